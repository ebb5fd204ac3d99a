// From a request of Node to the request that the mock takes.
import type { IncomingMessage } from 'node:http'
import type { ServiceRequest } from '../../service/request.js'

/** A request of Node as the mock takes it, received now. */
export function toServiceRequest({ method, url, headers }: IncomingMessage): ServiceRequest {
  return { method: method ?? 'GET', target: url ?? '/', authorization: headers.authorization, receivedAt: Date.now() }
}
