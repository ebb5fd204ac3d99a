// The admin routes of sessions: list, create, show, change, delete, reset, snapshot, restore.
import * as z from 'zod/mini'
import { readSeries } from '../market/read-series.js'
import { changed, reset, restored, type Step } from '../service/changes.js'
import type { Runtime } from '../service/runtime.js'
import { sessionBodySchema, sessionPatchSchema } from '../service/session-settings.js'
import type { Session } from '../service/sessions.js'
import { readSnapshot, snapshotSchema, takeSnapshot } from '../service/snapshot.js'
import { documented } from '../settings/schema.js'
import { toShownKey } from '../settings/settings.js'
import { toInstant } from '../settings/time.js'
import { testKeyNumber } from '../signing/signer.js'
import { type AdminContext, defineAdminRoute, matching } from './admin-route.js'
import { snapshotBefore } from './past-runtime.js'

/** A session in a reply. */
export const sessionSchema = documented(
  z.object({
    id: z.string(),
    created: documented(z.boolean(), 'True when an admin route created or changed it: it is never evicted.'),
    baseUrl: documented(z.string(), 'Base address of its signed-price endpoints.'),
    historyUrl: documented(z.string(), 'Base address of its charting endpoint.'),
    apiKey: documented(z.string(), 'The API key that selects it, if it is public.'),
    signer: z.object({
      testKey: documented(z.nullable(z.int()), 'Number of the test key; null for a private key of your own.'),
      address: z.string(),
      publicKey: z.string(),
    }),
    seed: z.string(),
    clock: z.object({
      at: documented(z.string(), 'Virtual time in ISO 8601.'),
      now: documented(z.int(), 'The same in seconds since the epoch.'),
      speed: documented(z.number(), 'Virtual seconds per real second.'),
      frozen: z.boolean(),
    }),
    scenario: documented(z.string(), 'Name of the scenario; `inline` for one given as an object.'),
    scenarioEndedAt: documented(z.optional(z.int()), 'Virtual second at which the scenario was ended, if it was.'),
    policy: documented(z.record(z.string(), z.unknown()), 'What the mock does where the interface is silent.'),
    requests: documented(z.int(), 'Number of requests so far.'),
    expiresAt: documented(z.optional(z.string()), 'Real time at which an idle session in a store is removed.'),
  }),
  'A session: an isolated simulation with its own settings, clock, scenario, counters and journal.',
  'Session',
)

/** The public part of the key that signs. */
export const showSigner = ({ settings, signer: { address, publicKey } }: Pick<Runtime, 'settings' | 'signer'>) => ({
  testKey: testKeyNumber(settings) ?? null,
  address,
  publicKey,
})

/** Describes a session at the time of the request. */
export function describeSession(session: Session, { receivedAt, addresses, sessions }: AdminContext) {
  const { id, record, runtime } = session
  const { settings } = runtime
  const { clock, n } = record.counters
  const nowMs = session.nowMs(receivedAt)
  const expires = sessions.expiresAt?.(session)
  const { definition, endedAt } = runtime.scenario
  const prefix = id === 'default' ? '' : `/session/${id}`
  return {
    id,
    created: record.setup.isNamed,
    baseUrl: addresses.baseUrl + prefix,
    historyUrl: addresses.historyUrl + prefix,
    apiKey: id === 'default' ? toShownKey(settings.apiKeys[0]!, settings) : `session.${id}`,
    signer: showSigner(runtime),
    seed: settings.seed,
    clock: { at: toInstant(nowMs), now: Math.floor(nowMs / 1000), speed: clock.speed, frozen: clock.frozen },
    scenario: definition.name,
    scenarioEndedAt: endedAt,
    policy: settings.policy,
    requests: n,
    expiresAt: expires === undefined ? undefined : toInstant(expires),
  }
}

async function runStep(context: AdminContext, id: string, step: Step) {
  return describeSession(await context.sessions.run(id, step), context)
}

/** The errors of every route that gives data to a session. */
const LIMIT_ERRORS = ['SESSION_TOO_LARGE', 'SESSIONS_FULL'] as const
const SETTINGS_ERRORS = ['SESSION_INVALID', 'SCENARIO_INVALID', 'SCENARIO_UNKNOWN', ...LIMIT_ERRORS] as const

/** GET /_mock/sessions */
export const listSessions = defineAdminRoute({
  name: 'listSessions',
  summary: 'List the sessions in order of creation',
  path: '/_mock/sessions',
  reply: z.object({ sessions: z.array(sessionSchema) }),
  answer: async context => ({
    sessions: (await context.sessions.list()).map(session => describeSession(session, context)),
  }),
})

/** POST /_mock/sessions */
export const createSession = defineAdminRoute({
  name: 'createSession',
  summary: 'Create a session with its own seed, clock, policy, prices, counters and journal',
  method: 'POST',
  path: '/_mock/sessions',
  status: 201,
  body: sessionBodySchema,
  exampleBody: { id: 'test-1', seed: '7', scenario: 'stale-btc' },
  reply: sessionSchema,
  errors: [...SETTINGS_ERRORS, 'SERIES_INVALID', 'SESSION_EXISTS'],
  answer: async (context, { body }) =>
    describeSession(await context.sessions.create(body, context.receivedAt, readSeries), context),
})

/** GET /_mock/sessions/{id} */
export const getSession = defineAdminRoute({
  name: 'getSession',
  summary: 'Show a session',
  path: '/_mock/sessions/{id}',
  reply: sessionSchema,
  answer: async (context, { path }) => describeSession(await context.sessions.get(path.id), context),
})

/** PATCH /_mock/sessions/{id}: the whole change is applied, or none of it. */
export const changeSession = defineAdminRoute({
  name: 'changeSession',
  summary: 'Change a session: clock (at, advance, speed, frozen), scenario, prices, seed, policy, signing',
  method: 'PATCH',
  path: '/_mock/sessions/{id}',
  body: sessionPatchSchema,
  exampleBody: { clock: { advance: '1h' } },
  reply: sessionSchema,
  errors: [...SETTINGS_ERRORS, 'CLOCK_OUT_OF_RANGE'],
  answer: (context, { path, body }) => runStep(context, path.id, changed(body, context.receivedAt)),
})

/** DELETE /_mock/sessions/{id} */
export const deleteSession = defineAdminRoute({
  name: 'deleteSession',
  summary: 'Delete a session; `default` cannot be deleted',
  method: 'DELETE',
  path: '/_mock/sessions/{id}',
  errors: ['SESSION_DEFAULT'],
  answer: ({ sessions }, { path }) => sessions.delete(path.id) as undefined,
})

/** POST /_mock/sessions/{id}/reset */
export const resetSession = defineAdminRoute({
  name: 'resetSession',
  summary: 'Reset a session to the settings that it was created with; empties counters and journal',
  method: 'POST',
  path: '/_mock/sessions/{id}/reset',
  reply: sessionSchema,
  errors: ['SESSIONS_FULL'],
  answer: (context, { path }) => runStep(context, path.id, reset(context.receivedAt)),
})

/** POST /_mock/sessions/{id}/snapshot */
export const snapshotSession = defineAdminRoute({
  name: 'snapshotSession',
  summary:
    'Take a snapshot, of now or of the moment before a request: portable JSON that gives the same replies on any server',
  method: 'POST',
  path: '/_mock/sessions/{id}/snapshot',
  status: 201,
  query: z.strictObject({
    before: documented(
      matching(/^[1-9]\d{0,15}$/, 'the number `n` of a request'),
      'Number of a request in the journal: the snapshot is that of the moment before it. Default: now.',
    ),
  }),
  reply: z.object({ snapshot: documented(snapshotSchema, 'The state of a session.', 'Snapshot') }),
  async answer({ sessions, receivedAt }, { path, query: { before } }) {
    const session = await sessions.get(path.id, before === undefined ? undefined : 'journal')
    return {
      snapshot:
        before === undefined
          ? takeSnapshot(session, receivedAt)
          : snapshotBefore(session, before, receivedAt, 'before'),
    }
  },
})

/** POST /_mock/sessions/{id}/restore */
export const restoreSession = defineAdminRoute({
  name: 'restoreSession',
  summary: 'Restore a snapshot: replaces settings, clock, prices and counters, and drops later journal entries',
  method: 'POST',
  path: '/_mock/sessions/{id}/restore',
  body: z.strictObject({ snapshot: documented(z.unknown(), 'The `snapshot` of an earlier reply.') }),
  reply: sessionSchema,
  errors: ['SNAPSHOT_INVALID', 'SCENARIO_INVALID', ...LIMIT_ERRORS],
  answer: (context, { path, body }) =>
    runStep(context, path.id, (record, runtime) =>
      restored(readSnapshot(body.snapshot, { runtime }), context.receivedAt)(record, runtime),
    ),
})
