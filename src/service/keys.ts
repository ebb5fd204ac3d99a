// The auth stage: which API keys open the protected endpoints, and what may be said of those that do not.
import { ServiceError } from './endpoint.js'
import type { SessionContext } from './endpoint-context.js'

/** A refusal, or undefined when the key is one of the world's. */
export function refuseKey(world: SessionContext, authorization: string | undefined): ServiceError | undefined {
  if (authorization === undefined || authorization === '')
    return unauthorized('The Authorization header is missing: its value is the API key itself, without a scheme.')
  if (world.acceptsKey(authorization)) return undefined
  const scheme = /^(bearer|basic|token|apikey|api-key)\s+/i.exec(authorization)
  return unauthorized(
    scheme
      ? `The API key is sent bare: remove "${scheme[1]}" from the Authorization header, its value is the key itself.`
      : 'The API key in the Authorization header is not a valid one.',
  )
}

/** A key that the mock does not know may be a real one: it is never repeated. */
export function redactKey(world: SessionContext, authorization: string | undefined): string | undefined {
  if (authorization === undefined || world.acceptsKey(authorization)) return authorization
  return '(not shown)'
}

const unauthorized = (message: string): ServiceError => new ServiceError(401, 'unauthorized', message)
