// A session as plain data, in two parts: its setup, which changes write, and its counters, which requests write as well.
import * as z from 'zod/mini'
import { integer } from '../settings/schema.js'
import { type Settings, type SettingsPatch, settingsSchema } from '../settings/settings.js'
import { LATEST, toInstant } from '../settings/time.js'
import type { Clock } from './clock.js'
import { MAX_PAST, type Past } from './past.js'
import type { PriceOverrides } from './price-overrides.js'
import { MAX_KEYS, type RefusedKeys } from './refused-keys.js'
import { type SessionBody, sessionBodySchema, sessionIdSchema } from './session-settings.js'
import { snapshotSchema } from './snapshot.js'
import type { State } from './state.js'
import { type Verdict, verdictSchema } from './verdict-schema.js'
import { MAX_VERDICTS } from './verdicts.js'

/** The part of a session that requests do not change. The same object means: nothing to derive, to measure or to write. */
export interface Setup {
  readonly id: string
  /** Whether it was created or changed through the admin API. Only other sessions can be evicted. */
  readonly isNamed: boolean
  /** The body of its creation, which a reset repeats. */
  readonly createdWith: SessionBody
  /** Seed and policy below those of the scenario, of a snapshot or of another server; by default those of this server. */
  readonly base?: Pick<Settings, 'seed' | 'policy'> | undefined
  /** Its own settings, above those of the scenario. */
  readonly own: SettingsPatch
  /** The scenario as it was written, and the virtual seconds at which it was applied and ended. */
  readonly scenario: {
    readonly name: string
    readonly source: unknown
    readonly appliedAt: number
    readonly endedAt?: number | undefined
  }
  readonly overrides: PriceOverrides
  /** Seconds by which the series of feeds are moved. */
  readonly seriesShift: number
  /** The verdicts on its consumer, oldest first. */
  readonly verdicts: readonly Verdict[]
  /** Its state before each of its changes, oldest first. */
  readonly past: readonly Past[]
  /** The counters of the snapshot that was restored last. */
  readonly restored?: State | undefined
  /** Whether it replaces a session of the same id that was evicted. */
  readonly replacesEvicted: boolean
}

/** The part of a session that requests and steps of its clock change. */
export interface Counters extends State {
  readonly clock: Clock
  /** The keys that got a 401. */
  readonly refused: RefusedKeys
  /** Real milliseconds since the epoch of the newest request or change. */
  readonly at: number
}

/** A session as data, without its journal. */
export interface SessionRecord {
  readonly setup: Setup
  readonly counters: Counters
}

const counter = integer(0, Number.MAX_SAFE_INTEGER)
const { state: stateSchema, clock: clockSchema, scenario, overrides, seed, policy } = snapshotSchema.shape

/** The schema of a setup. */
export const setupSchema = z.strictObject({
  id: sessionIdSchema,
  isNamed: z.boolean(),
  createdWith: sessionBodySchema,
  base: z.optional(z.strictObject({ seed, policy })),
  own: settingsSchema,
  scenario,
  overrides,
  seriesShift: integer(-LATEST, LATEST),
  verdicts: z.array(verdictSchema).check(z.maxLength(MAX_VERDICTS)),
  past: z
    .array(z.strictObject({ until: counter, snapshot: z.optional(snapshotSchema), end: z.optional(counter) }))
    .check(z.maxLength(MAX_PAST + 1)),
  restored: z.optional(stateSchema),
  replacesEvicted: z.boolean(),
})

/** The schema of counters. */
export const countersSchema = z.extend(stateSchema, {
  clock: z.extend(clockSchema, { realMs: z.number() }),
  refused: z.strictObject({
    last: counter,
    marks: z.array(z.tuple([z.string().check(z.maxLength(40)), counter])).check(z.maxLength(MAX_KEYS)),
  }),
  at: z.number(),
})

/** A setup as its schema reads it. It differs in one place: in a body, a number would be a time in seconds. */
export function toData(setup: Setup): object {
  const { clock } = setup.createdWith
  if (clock?.at === undefined) return setup
  return { ...setup, createdWith: { ...setup.createdWith, clock: { ...clock, at: toInstant(clock.at) } } }
}
