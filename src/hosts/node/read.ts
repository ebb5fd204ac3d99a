// From a request of Node to the request that the mock takes.
import type { IncomingMessage } from 'node:http'
import type { ServiceRequest } from '../../service/request.js'

/** A request of Node as the mock takes it, received now. */
export function toServiceRequest({ method, url, rawHeaders }: IncomingMessage): ServiceRequest {
  return {
    method: method ?? 'GET',
    target: url ?? '/',
    authorization: findHeader(rawHeaders, 'authorization'),
    receivedAt: Date.now(),
  }
}

/** The first value of a header. Node would make an object of all of them first, which costs more than the answer. */
function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!
    if (header.length === name.length && header.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}
