// What can be done with the state of a session: back to the start, out as JSON, in again.
import * as z from 'zod/mini'
import { readSnapshot, snapshotSchema, takeSnapshot } from '../service/snapshot.js'
import { defineAdminRoute } from './admin-route.js'
import { describeSession, sessionSchema } from './describe-session.js'

/** POST /_mock/sessions/{id}/reset */
export const resetSession = defineAdminRoute({
  name: 'resetSession',
  summary: 'Back to the settings that the session was created with; counters and journal empty',
  method: 'POST',
  path: '/_mock/sessions/{id}/reset',
  reply: sessionSchema,
  answer(context, { path }) {
    const session = context.sessions.get(path.id)
    session.reset(context.receivedAt)
    return describeSession(session, context)
  },
})

/** POST /_mock/sessions/{id}/snapshot */
export const snapshotSession = defineAdminRoute({
  name: 'snapshotSession',
  summary: 'Take a snapshot: portable JSON that brings the same bytes back, here or on another server',
  method: 'POST',
  path: '/_mock/sessions/{id}/snapshot',
  status: 201,
  reply: z.object({ snapshot: snapshotSchema }),
  answer: ({ sessions, receivedAt }, { path }) => ({ snapshot: takeSnapshot(sessions.get(path.id), receivedAt) }),
})

/** POST /_mock/sessions/{id}/restore */
export const restoreSession = defineAdminRoute({
  name: 'restoreSession',
  summary: 'Put a snapshot in the place of settings, clock, prices and counters; the journal ends where it was taken',
  method: 'POST',
  path: '/_mock/sessions/{id}/restore',
  body: z.strictObject({ snapshot: z.unknown() }),
  reply: sessionSchema,
  answer(context, { path, body }) {
    const session = context.sessions.get(path.id)
    session.restore(readSnapshot(body.snapshot, session), context.receivedAt)
    return describeSession(session, context)
  },
})
