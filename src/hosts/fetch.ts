// The fetch host: (Request) → Promise<Response>, for tests in process and for runtimes without sockets.
import { internalReply } from '../admin/own-reply.js'
import type { Mock } from '../mock.js'
import { plannedMs } from '../outcome.js'
import { toResponse } from './response.js'

/**
 * Makes a function like `fetch` that a mock answers; the origin of the URL does not matter.
 * @example
 * const fetch = createFetch(createMock())
 * const response = await fetch('http://mock/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h')
 */
export function createFetch(mock: Mock): (input: Request | URL | string, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, url, headers } = request
    const serviceRequest = {
      method,
      target: url,
      authorization: headers.get('authorization') ?? undefined,
      receivedAt: Date.now(),
    }
    const started = performance.now()
    try {
      const served = mock.serve(serviceRequest)
      if (served !== undefined) {
        mock.record(served, performance.now() - started + plannedMs(served.outcome))
        return toResponse(served.outcome, request)
      }
      const { origin } = new URL(url)
      const body = await request.text()
      return toResponse(
        await mock.administer({ ...serviceRequest, body }, { baseUrl: origin, historyUrl: origin }),
        request,
      )
    } catch (error) {
      return toResponse(internalReply(error), request)
    }
  }
}
