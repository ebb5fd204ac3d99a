// The fetch host: a function like `fetch`, for tests in process and for runtimes without sockets.
import type { Mock } from '../mock.js'
import { answerRequest } from './answer.js'

/**
 * Creates a function like `fetch` that a mock answers at any origin.
 * @example
 * const fetch = createFetch(createMock())
 * const response = await fetch('http://mock/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h')
 */
export function createFetch(mock: Mock): (input: Request | URL | string, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(input, init)
    const { origin, pathname, search } = new URL(request.url)
    const addresses = { baseUrl: origin, historyUrl: origin }
    const body = typeof init?.body === 'string' ? init.body : undefined
    return answerRequest(mock, request, { target: pathname + search, addresses, body })
  }
}
