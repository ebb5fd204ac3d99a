// A lever of the admin: an endpoint that answers from the mock as a whole instead of a moment of one world.

import type * as z from 'zod/mini'
import type { Endpoint, Parameters } from '../service/endpoint.js'
import type { Session } from '../service/session.js'

/** What levers can see. */
export interface AdminContext {
  /** The session `default`. */
  readonly session: Session
  /** Real time of the request, in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** A lever, whatever it answers. */
export type Lever = Endpoint<AdminContext>

/** Declares a lever: a route without parameters, open to whoever reaches the admin. */
export function defineLever<R extends z.core.$ZodType>(
  lever: Pick<Endpoint<AdminContext, Parameters, R>, 'name' | 'summary' | 'path' | 'reply'> & {
    answer(context: AdminContext): z.output<R>
  },
): Endpoint<AdminContext, Parameters, R> {
  return { ...lever, base: 'prices', protected: false, parameters: {} }
}
