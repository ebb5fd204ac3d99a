// From a Request of the Fetch standard to the Response of a mock: what all hosts without sockets have in common.
import type { Addresses } from '../admin/admin-route.js'
import { internalReply } from '../admin/mock-reply.js'
import type { Mock } from '../mock.js'
import { type Outcome, plannedMs } from '../outcome.js'
import type { Base } from '../service/endpoint.js'
import { toResponse } from './response.js'

/** Where a request arrived. */
export interface Arrival {
  /** What is asked for below the base address: path and query. */
  readonly target: string
  /** The base address that was asked; either, without one. */
  readonly base?: Base | undefined
  readonly addresses: Addresses
  /** Ends waits, as the signal of the request does. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Answers a request, whatever it asks for.
 * @throws TypeError for what `fetch` calls a network error, the reason of a signal, or what the body of the request failed with
 */
export async function answerRequest(mock: Mock, request: Request, arrival: Arrival): Promise<Response> {
  const { method } = request
  const signal = arrival.signal ? AbortSignal.any([request.signal, arrival.signal]) : request.signal
  return toResponse(await outcomeOf(mock, request, arrival), { method, signal })
}

async function outcomeOf(mock: Mock, request: Request, { target, base, addresses }: Arrival): Promise<Outcome> {
  const started = performance.now()
  const serviceRequest = {
    method: request.method,
    target,
    authorization: request.headers.get('authorization') ?? undefined,
    receivedAt: Date.now(),
  }
  try {
    const served = mock.serve(serviceRequest, base)
    if (served !== undefined) {
      mock.record(served, performance.now() - started + plannedMs(served.outcome))
      return served.outcome
    }
  } catch (error) {
    return internalReply(error)
  }
  // A body that cannot be read is the caller's: `fetch` rejects with its error, and so does this.
  const body = await request.text()
  return mock.administer({ ...serviceRequest, body }, addresses).catch(internalReply)
}
