// What an endpoint is: a declaration that routes, parses, answers, documents and types itself. The five endpoints and the
// admin's admin routes are all made of it.
import type * as z from 'zod/mini'
import type { Policy } from '../settings/policy.js'

/** A parameter, from the query or from a place in the path. `T` is what callers of the typed client pass. */
export interface Parameter<T = unknown> {
  readonly in: 'query' | 'path'
  readonly description: string
  /** The values that are accepted, as a JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string
  /** A value that is refused, where there is one: documentation asks with it and shows the answer. */
  readonly counterExample?: string
  /** Whether its value is the id of a feed, or a list of such. */
  readonly namesFeeds?: true
  /** Reads the values found under its name; refuses by throwing. A path parameter has exactly one. */
  parse(values: readonly string[], name: string, policy: Policy): T
}

/** The parameters of an endpoint, by name. */
export type Parameters = Readonly<Record<string, Parameter>>
/** What an endpoint is handed: each parameter, read. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

/** The base addresses: that of the signed prices, and that of the charts. */
export type Base = 'prices' | 'history'

/** An endpoint. `Context` is what it answers from: a moment of a world, or the whole mock. */
export interface Endpoint<
  Context = never,
  P extends Parameters = Parameters,
  R extends z.core.$ZodType = z.core.$ZodType,
  Name extends string = string,
> {
  /** Its name in scenarios, journals, metrics and clients. */
  readonly name: Name
  readonly summary: string
  /** A template such as `/prices/{feedId}/latest`. */
  readonly path: string
  /** Other templates that reach it. */
  readonly aliases?: readonly string[]
  /** The fixed parts of the path match in any case. */
  readonly anyCase?: boolean
  /** Which of the two base addresses it stands under. */
  readonly base: Base
  /** Whether it wants an API key. */
  readonly protected: boolean
  readonly parameters: P
  /** The body of a 200. */
  readonly reply: R
  answer(context: Context, parameters: ParameterValues<P>): z.output<R>
}

/** Declares an endpoint; the types of its parameters and of its reply follow from the declaration. */
export function defineEndpoint<
  Context,
  const P extends Parameters,
  R extends z.core.$ZodType,
  const Name extends string,
>(endpoint: Endpoint<Context, P, R, Name>): Endpoint<Context, P, R, Name> {
  return endpoint
}

/** What the service answers instead of a reply: thrown by parameters and endpoints, turned into an answer in one place. */
export class ServiceError extends Error {
  readonly status: number
  readonly code: string
  /** The body of the answer. */
  readonly value: { readonly error: string; readonly message: string }

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ServiceError'
    this.status = status
    this.code = code
    this.value = { error: code, message }
  }
}
