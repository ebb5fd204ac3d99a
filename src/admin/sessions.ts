// /_mock/sessions and /_mock/sessions/{id}: sessions listed, created, shown, changed and deleted.
import * as z from 'zod/mini'
import { sessionBodySchema, sessionPatchSchema } from '../service/session-settings.js'
import { defineAdminRoute, NO_REPLY } from './admin-route.js'
import { describeSession, sessionSchema } from './describe-session.js'

/** GET /_mock/sessions, in the order of their creation. */
export const listSessions = defineAdminRoute({
  name: 'listSessions',
  summary: 'The sessions there are',
  path: '/_mock/sessions',
  reply: z.object({ sessions: z.array(sessionSchema) }),
  answer: context => ({ sessions: context.sessions.list().map(session => describeSession(session, context)) }),
})

/** POST /_mock/sessions: a world of its own, with a path and a key that lead to it. */
export const createSession = defineAdminRoute({
  name: 'createSession',
  summary: 'Create a session: its own seed, clock, policy, prices, counters and journal',
  method: 'POST',
  path: '/_mock/sessions',
  status: 201,
  body: sessionBodySchema,
  reply: sessionSchema,
  answer: (context, { body }) => describeSession(context.sessions.create(body, context.receivedAt), context),
})

/** GET /_mock/sessions/{id} */
export const getSession = defineAdminRoute({
  name: 'getSession',
  summary: 'One session',
  path: '/_mock/sessions/{id}',
  reply: sessionSchema,
  answer: (context, { path }) => describeSession(context.sessions.get(path.id), context),
})

/** PATCH /_mock/sessions/{id}: all of the change, or nothing and an error. */
export const changeSession = defineAdminRoute({
  name: 'changeSession',
  summary: 'Change a session: clock (at, advance, speed, frozen), prices, seed, policy, signing',
  method: 'PATCH',
  path: '/_mock/sessions/{id}',
  body: sessionPatchSchema,
  reply: sessionSchema,
  answer(context, { path, body }) {
    const session = context.sessions.get(path.id)
    session.change(body, context.receivedAt)
    return describeSession(session, context)
  },
})

/** DELETE /_mock/sessions/{id}; `default` stays. */
export const deleteSession = defineAdminRoute({
  name: 'deleteSession',
  summary: 'Delete a session',
  method: 'DELETE',
  path: '/_mock/sessions/{id}',
  status: 204,
  reply: NO_REPLY,
  answer: ({ sessions }, { path }) => sessions.delete(path.id) as undefined,
})
