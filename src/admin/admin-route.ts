// A admin route of the admin: a declaration that routes, checks what it is given, answers and types itself.
import * as z from 'zod/mini'
import type { Sessions } from '../service/sessions.js'
import type { Started } from './reproduce-command.js'

/** What admin routes can see and move. */
export interface AdminContext extends Started {
  readonly sessions: Sessions
  /** The `Authorization` header of the request. */
  readonly authorization: string | undefined
  /** Real time of the request, in milliseconds since the epoch. */
  readonly receivedAt: number
  readonly addresses: Addresses
}

/** Under which addresses the mock was reached, without a slash at the end. */
export interface Addresses {
  readonly baseUrl: string
  readonly historyUrl: string
}

/** The names of the parameters in a path template. */
export type PathKeys<Path extends string> = Path extends `${string}{${infer Key}}${infer Rest}`
  ? Key | PathKeys<Rest>
  : never

/** What an admin route is handed, checked. */
export interface AdminRouteInput<Path extends string, Query, Body> {
  readonly path: Readonly<Record<PathKeys<Path>, string>>
  readonly query: Query
  readonly body: Body
}

/** A admin route. What it is given is checked by `query` and `body`, what it gives back is told by `reply`. */
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
  /** Of success: 200, 201, or 204 without a body. */
  readonly status: 200 | 201 | 204
  readonly query: Query
  /** A query to begin with, where the path alone asks for nothing. */
  readonly example?: string | undefined
  readonly body: Body
  readonly reply: Reply
  answer(context: AdminContext, input: AdminRouteInput<Path, z.output<Query>, z.output<Body>>): z.output<Reply>
}

const NOTHING = z.undefined()
const NO_QUERY = z.object({})
/** The reply of an admin route that answers 204. */
export const NO_REPLY = z.undefined()

/** Declares an admin route: GET without query and body, answered with 200, unless it says otherwise. */
export function defineAdminRoute<
  const Name extends string,
  const Path extends string,
  Reply extends z.core.$ZodType,
  Query extends z.core.$ZodType = typeof NO_QUERY,
  Body extends z.core.$ZodType = typeof NOTHING,
>(
  adminRoute: Pick<AdminRoute<Name, Path, Query, Body, Reply>, 'name' | 'summary' | 'path' | 'reply' | 'answer'> &
    Partial<Pick<AdminRoute<Name, Path, Query, Body, Reply>, 'method' | 'status' | 'query' | 'example' | 'body'>>,
): AdminRoute<Name, Path, Query, Body, Reply> {
  return { method: 'GET', status: 200, query: NO_QUERY as never, body: NOTHING as never, ...adminRoute }
}
