// The definition of an endpoint: routes, parsing, documentation and types all follow from it.
import type * as z from 'zod/mini'
import { nearest } from '../errors.js'
import type { Policy } from '../settings/policy.js'
import type { EndpointContext } from './endpoint-context.js'
import type { Target } from './request.js'
import type { Match, Routed } from './router.js'

/** A parameter, from the query or from a place in the path. `T` is what callers of the typed client pass. */
export interface Parameter<T = unknown> {
  readonly in: 'query' | 'path'
  readonly description: string
  /** The values that are accepted, as a JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string
  /** An invalid value, if any: the documentation shows the error for it. */
  readonly counterExample?: string
  /** Whether its value is a feed id or a list of feed ids. */
  readonly namesFeeds?: true
  /**
   * Reads the values found under its name. A path parameter has exactly one.
   * @throws ServiceError if a value is invalid
   */
  parse(values: readonly string[], name: string, policy: Policy): T
}

type Parameters = Readonly<Record<string, Parameter>>
/** The parsed parameters of an endpoint. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

/** The two base addresses: signed prices, and charting. */
export type Base = 'prices' | 'history'

/** An endpoint. It answers from a `Context`. */
export interface Endpoint<
  Context = never,
  P extends Parameters = Parameters,
  R extends z.core.$ZodType = z.core.$ZodType,
  Name extends string = string,
> extends Routed {
  /** Its name in scenarios, journals, metrics and clients. */
  readonly name: Name
  readonly summary: string
  /** Units and signatures of the reply, for the documentation. */
  readonly description?: string
  /** The base address that it belongs to. */
  readonly base: Base
  /** Whether it requires an API key. */
  readonly protected: boolean
  readonly parameters: P
  /** Schema of the body of a 200. */
  readonly reply: R
  answer(context: Context, parameters: ParameterValues<P>): z.output<R>
  /** Makes its long look-ups, one a step. Hosts can make them before the answer, which then finds their results. */
  lookUps?(context: Context, parameters: ParameterValues<P>): Iterator<unknown>
}

/** Defines an endpoint. The types of its parameters and of its reply follow. */
export function defineEndpoint<
  Context,
  const P extends Parameters,
  R extends z.core.$ZodType,
  const Name extends string,
>(endpoint: Endpoint<Context, P, R, Name>): Endpoint<Context, P, R, Name> {
  return endpoint
}

/** A simulated error of the service. Parameters and endpoints throw it; `answerEndpoint` turns it into an answer. */
export class ServiceError extends Error {
  readonly status: number
  /** The body of the answer. */
  readonly value: { readonly error: string; readonly message: string }

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ServiceError'
    this.status = status
    this.value = { error: code, message }
  }
}

/** An endpoint of the service. */
export type ServiceEndpoint = Endpoint<EndpointContext>

/** Parses the parameters and answers: status and body before reply faults and headers. */
export function answerEndpoint(
  match: Match<ServiceEndpoint>,
  context: EndpointContext,
  target: Target,
): { status: number; value: unknown } {
  try {
    return { status: 200, value: match.endpoint.answer(context, parseParameters(match, context, target)) }
  } catch (error) {
    if (error instanceof ServiceError) return { status: error.status, value: error.value }
    throw error
  }
}

/**
 * Parses the parameters of a request.
 * @throws ServiceError
 */
export function parseParameters(
  { endpoint, pathValues }: Match<ServiceEndpoint>,
  { policy }: EndpointContext,
  { query }: Target,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  // `Object.entries` is much slower.
  for (const name of Object.keys(endpoint.parameters)) {
    const parameter = endpoint.parameters[name]!
    const given = valuesOf(name, parameter.in, pathValues, query)
    try {
      values[name] = parameter.parse(given, name, policy)
    } catch (error) {
      throw given.length === 0 && error instanceof ServiceError
        ? withMisspelling(error, name, Object.keys(endpoint.parameters), query)
        : error
    }
  }
  return values
}

/** The ids of the feeds that a request names, spelled as in the catalogue. Empty if they cannot be parsed. */
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

/** Path and query of a request with some values, encoded by their names. Those of the query may be missing. */
export function toTarget({ path, parameters }: Endpoint<never>, encoded: (name: string) => string | undefined): string {
  const query = Object.keys(parameters)
    .filter(name => parameters[name]!.in === 'query' && encoded(name) !== undefined)
    .map(name => `${name}=${encoded(name)}`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(encoded(name)))
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** The values that a request gives for a parameter. */
export function valuesOf(
  name: string,
  location: 'path' | 'query',
  pathValues: Match<ServiceEndpoint>['pathValues'],
  query: Target['query'],
): string[] {
  return location === 'path' ? [pathValues[name]!] : query.filter(([key]) => key === name).map(([, value]) => value)
}

/** Adds the misspelled name, if there is one, to the error of a missing parameter. */
function withMisspelling(
  error: ServiceError,
  name: string,
  parameters: readonly string[],
  query: Target['query'],
): ServiceError {
  const given = query.map(([key]) => key).filter(key => !parameters.includes(key))
  const misspelled = nearest(name, given)
  if (misspelled === undefined) return error
  const hint = `There is "${misspelled.slice(0, 40)}": write "${name}".`
  return new ServiceError(error.status, error.value.error, `${error.message} ${hint}`)
}
