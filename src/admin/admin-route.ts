// The definition of an admin route: routing, input schemas, reply schema, error codes and answer in one declaration.
import * as z from 'zod/mini'
import { type ErrorCode, type PriceFeedMockError, type Problem, wrongValue } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import type { Step } from '../service/changes.js'
import type { RunInTurns } from '../service/market-stage.js'
import type { ServiceRequest } from '../service/request.js'
import type { Session, Sessions } from '../service/sessions.js'
import type { DeepReadonly } from '../settings/schema.js'
import { LATEST } from '../settings/time.js'
import type { Started } from './reproduce-command.js'

type Awaitable<T> = T | Promise<T>

/** The sessions of a server for admin routes: those of a mock in memory at once, those of a store as promises. */
export interface AdminSessions extends Pick<Sessions, 'parts'> {
  /** Fails if the sessions cannot be used. */
  check?(): Promise<void>
  readonly size: Awaitable<number>
  /** The real time at which a session is removed if it stays idle, in milliseconds; undefined if it stays. */
  readonly expiresAt?: (session: Session) => number | undefined
  /**
   * A session to read from.
   * @param needs whether its journal is read as well
   * @throws PriceFeedMockError SESSION_UNKNOWN
   */
  get(id: string, needs?: 'journal'): Awaitable<Session>
  /** Makes a step of a session, which a store may repeat. Returns the session after it. */
  run(id: string, step: Step): Awaitable<Session>
  create(...args: Parameters<Sessions['create']>): Awaitable<Session>
  delete(id: string): Awaitable<void>
  list(): Awaitable<readonly Session[]>
  route(...args: Parameters<Sessions['route']>): Awaitable<Session>
  preview(...args: Parameters<Sessions['preview']>): Awaitable<Session>
}

/** Everything an admin route may read or change. */
export interface AdminContext extends Started, Pick<ServiceRequest, 'authorization' | 'receivedAt'> {
  readonly sessions: AdminSessions
  readonly addresses: Addresses
  /** Makes the look-ups of a route that looks up much and changes nothing in turns with those of other requests. */
  readonly run: RunInTurns
}

/** The addresses under which the request reached the mock, without a slash at the end. */
export interface Addresses {
  readonly baseUrl: string
  readonly historyUrl: string
  /**
   * The start of a shell command, which writes a snapshot of a session to `snapshot.json`, on hosts that a shell can reach.
   * `before`: the request before which it is taken; by default now.
   */
  readonly saveSnapshot?: ((id: string, before?: number) => string) | undefined
}

/** The names of the parameters in a path template. */
export type PathKeys<Path extends string> = Path extends `${string}{${infer Key}}${infer Rest}`
  ? Key | PathKeys<Rest>
  : never

/** An admin route. The typed client, the index page, the OpenAPI document and docs/admin-api.md follow from it. */
export interface AdminRoute<
  Name extends string = string,
  Path extends string = string,
  Query extends z.core.$ZodType = z.core.$ZodType,
  Body extends z.core.$ZodType = z.core.$ZodType,
  Reply extends z.core.$ZodType = z.core.$ZodType,
> {
  readonly name: Name
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: Path
  /** The callers that reach it, as in `routes.ts`. */
  readonly access: 'admin' | 'probe' | 'root'
  /** The status of success; 204 has no body. */
  readonly status: 200 | 201 | 204
  readonly query: Query
  /** A query string for the link on the index page and for the documentation, where the path alone is not enough. */
  readonly example?: string | undefined
  readonly body: Body
  /** A body for the documentation. */
  readonly exampleBody?: z.input<Body> | undefined
  readonly reply: Reply
  /** Error codes of this route, besides those that follow from its path, query and body. */
  readonly errors: readonly ErrorCode[]
  answer(
    context: AdminContext,
    input: {
      readonly path: Readonly<Record<PathKeys<Path>, string>>
      readonly query: z.output<Query>
      readonly body: z.output<Body>
    },
  ): Awaitable<DeepReadonly<z.output<Reply>>>
}

const NO_BODY = z.undefined()
/** A parameter that an admin route ignored could have been meant to narrow what it changes. */
const NO_QUERY = z.strictObject({})
/** Of a probe or the root, to which a monitor or a browser may add one. */
const ANY_QUERY = z.object({})
const NO_REPLY = z.undefined()

/** Whether an admin route takes a body. */
export const takesBody = ({ body }: Pick<AdminRoute, 'body'>): boolean => body !== NO_BODY
/** Whether an admin route takes query parameters. */
export const takesQuery = ({ query }: Pick<AdminRoute, 'query'>): boolean => query !== NO_QUERY && query !== ANY_QUERY

/** Defines an admin route. The default is a GET without query and body. It answers 200, or 204 without a reply. */
export function defineAdminRoute<
  const Name extends string,
  const Path extends string,
  Reply extends z.core.$ZodType = typeof NO_REPLY,
  Query extends z.core.$ZodType = typeof NO_QUERY,
  Body extends z.core.$ZodType = typeof NO_BODY,
>(
  adminRoute: Pick<AdminRoute<Name, Path, Query, Body, Reply>, 'name' | 'summary' | 'path' | 'answer'> &
    Partial<AdminRoute<Name, Path, Query, Body, Reply>>,
): AdminRoute<Name, Path, Query, Body, Reply> {
  return {
    method: 'GET',
    access: 'admin',
    status: adminRoute.reply === undefined ? 204 : 200,
    reply: NO_REPLY as never,
    query: ((adminRoute.access ?? 'admin') === 'admin' ? NO_QUERY : ANY_QUERY) as never,
    body: NO_BODY as never,
    errors: [],
    ...adminRoute,
  }
}

/** Every route that only a server answers. `description` is that of the body, and `headers` are those of a request. */
export const HOST_ROUTES = [
  {
    name: 'metrics',
    path: '/_mock/metrics',
    summary: 'Counters of the server, for Prometheus',
    mediaType: 'text/plain',
    description: 'Counters in the text format of Prometheus.',
    errors: [],
    headers: {},
  },
  {
    name: 'events',
    path: '/_mock/sessions/{id}/events',
    summary: 'The journal of a session as Server-Sent Events; Last-Event-ID resumes',
    mediaType: 'text/event-stream',
    description:
      'One event `request` for each request; its `data` is a journal entry as JSON (JournalEntry). With `?replies=1` the data of a new request has `reply` as well: `kind`, `delayMs`, `headers` and `body`, and `bodyLength` if the body was truncated. After an event `cleared` the entries before it are gone, by a reset for instance, and those that stay follow; a stream resumes with it where the last event is gone. A reader that is too slow gets a last event `dropped` and is disconnected.',
    errors: ['SESSION_UNKNOWN', 'STREAMS_FULL'],
    headers: { 'Last-Event-ID': 'Number of the last event received: the stream begins with the next one.' },
  },
] as const
/** A route that only a server answers, as the index page and the OpenAPI document list it. */
export type HostRoute = (typeof HOST_ROUTES)[number]

const WANT_SECOND = `whole seconds since the epoch, such as 1753354105, up to ${LATEST}`

/** An optional second of the virtual time. */
export const second = () =>
  z.optional(
    z.pipe(
      z.string().check(
        z.regex(/^\d{1,10}$/, { error: WANT_SECOND }),
        // Other texts are the problem of the line above.
        z.refine(text => text.length > 10 || !(Number(text) > LATEST), { error: WANT_SECOND }),
      ),
      z.transform(Number),
    ),
  )

/** An optional text that matches a pattern. */
export const matching = (pattern: RegExp, want: string) =>
  z.optional(z.string().check(z.regex(pattern, { error: want })))

/** An optional length of time in seconds, as text. */
export const seconds = () => matching(/^[1-9]\d{0,7}$/, 'a number of seconds from 1 to 99999999')

/** The error of a query with one problem. */
export const invalidQuery = (problem: Problem): PriceFeedMockError =>
  wrongValue('REQUEST_INVALID', 'The query has 1 problem.', problem)

/** The virtual second of a session at real time `realMs`. */
export const secondOf = (session: Session, realMs: number): number => Math.floor(session.nowMs(realMs) / 1000)

/** A feed by its id. */
export function findFeed(at: string, id: string, market: Market): Feed {
  const feed = market.feed(id)
  if (feed === undefined) throw invalidQuery({ at, got: id.slice(0, 100), want: 'the id of a feed' })
  return feed
}
