// From parameters to what an endpoint answers, before faults of the reply and before headers.
import { nearest } from '../errors.js'
import type { Content } from '../faults/fault.js'
import { MEDIA_TYPE } from '../outcome.js'
import { type Endpoint, ServiceError } from './endpoint.js'
import type { EndpointContext } from './endpoint-context.js'
import type { Target } from './request.js'
import type { Match } from './router.js'

/** An endpoint of the service, as the reducer sees it. */
export type ServiceEndpoint = Endpoint<EndpointContext>

/** Parameters stage and everything that the endpoint asks of the moment. */
export function answerOf(
  { endpoint, pathValues }: Match<ServiceEndpoint>,
  moment: EndpointContext,
  { query }: Target,
): { status: number; value: unknown } {
  try {
    const values: Record<string, unknown> = {}
    for (const [name, parameter] of Object.entries(endpoint.parameters)) {
      const found = valuesOf(name, parameter.in, pathValues, query)
      try {
        values[name] = parameter.parse(found, name, moment.policy)
      } catch (error) {
        throw found.length === 0 && error instanceof ServiceError ? withSlip(error, name, query) : error
      }
    }
    return { status: 200, value: endpoint.answer(moment, values) }
  } catch (error) {
    if (error instanceof ServiceError) return { status: error.status, value: error.value }
    throw error
  }
}

/** The ids of the feeds that a request names, as the catalogue spells them; none where it cannot be read. */
export function feedsAsked(
  { endpoint, pathValues }: Match<ServiceEndpoint>,
  { feed, policy }: Pick<EndpointContext, 'feed' | 'policy'>,
  { query }: Target,
): Set<string> {
  const asked = new Set<string>()
  for (const [name, parameter] of Object.entries(endpoint.parameters)) {
    if (parameter.namesFeeds !== true) continue
    try {
      const value = parameter.parse(valuesOf(name, parameter.in, pathValues, query), name, policy)
      for (const id of [value].flat()) asked.add(feed(String(id))?.id ?? '')
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }
  return asked
}

/** An answer as faults of the reply take it. */
export const toContent = (status: number, value: unknown): Content => ({
  status,
  body: { value },
  mediaType: MEDIA_TYPE.json,
  cors: true,
  headers: [],
  delayMs: 0,
  isStatusSet: false,
})

function valuesOf(
  name: string,
  place: 'path' | 'query',
  pathValues: Match<ServiceEndpoint>['pathValues'],
  query: Target['query'],
): string[] {
  return place === 'path' ? [pathValues[name]!] : query.filter(([key]) => key === name).map(([, value]) => value)
}

/** A refusal of a missing parameter, and the name that was likely meant for it. */
function withSlip(refusal: ServiceError, name: string, query: Target['query']): ServiceError {
  const slip = nearest(
    name,
    query.map(([key]) => key),
  )
  if (slip === undefined) return refusal
  return new ServiceError(
    refusal.status,
    refusal.code,
    `${refusal.message} There is "${slip.slice(0, 40)}": write "${name}".`,
  )
}
