// A session as plain data, in two parts: its setup, which changes write, and its counters, which requests write as well.
import * as z from 'zod/mini'
import { type DeepReadonly, integer } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'
import { LATEST, toInstant } from '../settings/time.js'
import { MAX_PAST } from './changes.js'
import { verdictSchema } from './journal-entry.js'
import { MAX_KEYS } from './key-problem.js'
import { sessionBodySchema, sessionIdSchema } from './session-settings.js'
import { counter, snapshotSchema } from './snapshot.js'
import { MAX_VERDICTS } from './verdicts.js'

const { state: stateSchema, clock: clockSchema, scenario, overrides, seed, policy } = snapshotSchema.shape

/** The schema of a setup. */
export const setupSchema = z.strictObject({
  id: sessionIdSchema,
  /** Whether it was created or changed through the admin API. Only other sessions can be evicted. */
  isNamed: z.boolean(),
  /** The body of its creation, which a reset repeats. */
  createdWith: sessionBodySchema,
  /** Seed and policy below those of the scenario, of a snapshot or of another server; by default those of this server. */
  base: z.optional(z.strictObject({ seed, policy })),
  /** Its own settings, above those of the scenario. */
  own: settingsSchema,
  scenario,
  overrides,
  /** Seconds by which the series of feeds are moved. */
  seriesShift: integer(-LATEST, LATEST),
  /** The verdicts on its consumer, oldest first. */
  verdicts: z.array(verdictSchema).check(z.maxLength(MAX_VERDICTS)),
  /** Its state before each of its changes, oldest first. */
  past: z
    .array(
      z.strictObject({
        /** Its last request before the change. */
        until: counter,
        /** Undefined where it is no longer known. */
        snapshot: z.optional(snapshotSchema),
        /**
         * The second from which on it was over: by default that of the change. If the change moved the clock, it is the one after it, or
         * the earlier one from which on the next state has the time anew.
         */
        end: z.optional(counter),
      }),
    )
    .check(z.maxLength(MAX_PAST + 1)),
  /** The counters of the snapshot that was restored last. */
  restored: z.optional(stateSchema),
  /** Whether it replaces a session of the same id that was evicted. Its first reply says so. */
  replacesEvicted: z.boolean(),
})
/** The part of a session that requests do not change. The same object means: nothing to derive, to measure or to write. */
export type Setup = DeepReadonly<z.output<typeof setupSchema>>

/** The schema of counters. */
export const countersSchema = z.extend(stateSchema, {
  clock: z.extend(clockSchema, { realMs: z.number() }),
  /** The keys that got a 401. */
  refused: z.strictObject({
    /** The number of the newest one. */
    last: counter,
    /** The mark of each key, which does not hold it, and its number; oldest first. */
    marks: z.array(z.tuple([z.string().check(z.maxLength(40)), counter])).check(z.maxLength(MAX_KEYS)),
  }),
  /** Real milliseconds since the epoch of the newest request or change. */
  at: z.number(),
})
/** The part of a session that requests and steps of its clock change. */
export type Counters = DeepReadonly<z.output<typeof countersSchema>>

/** A session as data, without its journal. */
export interface SessionRecord {
  readonly setup: Setup
  readonly counters: Counters
}

/** A setup as its schema reads it. It differs in one place: in a body, a number would be a time in seconds. */
export function toData(setup: Setup): object {
  const { clock } = setup.createdWith
  if (clock?.at === undefined) return setup
  return { ...setup, createdWith: { ...setup.createdWith, clock: { ...clock, at: toInstant(clock.at) } } }
}
