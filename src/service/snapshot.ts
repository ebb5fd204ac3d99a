// Snapshots: a session as portable JSON that gives the same bytes on another server. They hold no private key and no API key.
import * as z from 'zod/mini'
import { oncePerObject } from '../caches.js'
import type { Problem } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { hashText } from '../market/random.js'
import { SCENARIO_NAME } from '../scenario/scenarios.js'
import { MAX_FAULT_ENDPOINTS, MAX_FAULTS } from '../scenario/schema.js'
import { layoutsSchema } from '../settings/layouts.js'
import { policySchema } from '../settings/policy.js'
import { assertNoProblems, type DeepReadonly, integer, number, parseOrThrow, text } from '../settings/schema.js'
import { mergeSettings, type Settings, settingsSchema } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import { testKeyNumber } from '../signing/signer.js'
import { readClock } from './clock.js'
import { checkOverrides, checkSignable } from './price-overrides.js'
import type { Session } from './sessions.js'

/** A number of things that were counted. */
export const counter = integer(0, Number.MAX_SAFE_INTEGER)
const overrideSchema = z.strictObject({
  from: integer(0, LATEST),
  factor: number(1e-30, 1e30),
  alone: z.optional(z.literal(true)),
})

const WANT_ORDINALS = `at most ${MAX_FAULT_ENDPOINTS} endpoints`
const ordinalsSchema = z
  .record(z.string().check(z.maxLength(64, { error: 'the name of an endpoint' })), counter)
  .check(z.refine(counts => Object.keys(counts).length <= MAX_FAULT_ENDPOINTS, { error: WANT_ORDINALS }))

const faultCountSchema = z.strictObject({
  /** Answers that it changed. */
  hits: counter,
  /** Answers of its endpoints that it did not change. */
  misses: counter,
  /** Reason for the latest miss. */
  lastMiss: z.optional(z.string().check(z.maxLength(200))),
  /** For faults with a quota: the number of the current window, and what is used of it. */
  quota: z.optional(z.strictObject({ window: integer(-1, LATEST), used: counter })),
  /** For faults that count requests in their windows: that of the latest request, and the ordinals when it was entered. */
  window: z.optional(z.strictObject({ from: integer(0, LATEST), ordinals: ordinalsSchema })),
})

/** The schema of a snapshot. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  /** `seed` and `policy` are below those of the scenario, `own` holds the session's own above it. */
  own: z.strictObject({ seed: settingsSchema.shape.seed, policy: settingsSchema.shape.policy }),
  seed: z.required(z.object({ seed: settingsSchema.shape.seed })).shape.seed,
  policy: z.required(policySchema),
  signing: z.strictObject({ svm: z.string(), evm: z.string(), layouts: layoutsSchema }),
  /** Ignored, from version 0.1.0: a session that restores a snapshot keeps its own keys. */
  apiKeys: settingsSchema.shape.apiKeys,
  /** Null stands for a private key: the server that restores the snapshot signs with its own. */
  signer: z.nullable(integer(0, 9)),
  /** `virtualMs` in milliseconds since the epoch. */
  clock: z.strictObject({ virtualMs: number(0, LATEST * 1000 + 999), speed: number(0.001, 1e6), frozen: z.boolean() }),
  overrides: z.record(z.string(), z.array(overrideSchema)),
  /** The scenario as it was written, and the virtual seconds at which it was applied and ended. */
  scenario: z.strictObject({
    name: text(SCENARIO_NAME, 'the name of a scenario'),
    source: z.unknown(),
    appliedAt: integer(0, LATEST),
    endedAt: z.optional(integer(0, LATEST)),
  }),
  state: z.strictObject({
    /** Requests so far. */
    n: counter,
    /** GET and HEAD requests so far, by endpoint. */
    ordinals: ordinalsSchema,
    /** The ordinals when the scenario was applied. Its faults count requests from there. */
    applied: ordinalsSchema,
    /** By the index of the fault. A missing entry counts as 0. */
    faults: z.array(faultCountSchema).check(z.maxLength(MAX_FAULTS, { error: `at most ${MAX_FAULTS} faults` })),
  }),
  /** Seconds by which the series of feeds are moved. */
  seriesShift: z.optional(integer(-LATEST, LATEST)),
  /** Fingerprint of the feed catalogue, which prices depend on. */
  feeds: z.string(),
})
/** A checked snapshot. */
export type Snapshot = DeepReadonly<z.output<typeof snapshotSchema>>

/** Takes a snapshot of a session at real time `realMs`. */
export function takeSnapshot(
  { record: { setup, counters }, runtime }: Pick<Session, 'record' | 'runtime'>,
  realMs: number,
): Snapshot {
  const { settings, market, shared } = runtime
  const { seed, policy } = mergeSettings(shared.baseOf(setup), setup.own)
  const { n, ordinals, applied, faults, clock } = counters
  return {
    version: 1,
    own: { seed: setup.own.seed, policy: setup.own.policy },
    seed,
    policy,
    signing: settings.signing,
    signer: testKeyNumber(settings) ?? null,
    clock: { virtualMs: readClock(clock, realMs), speed: clock.speed, frozen: clock.frozen },
    overrides: setup.overrides,
    scenario: setup.scenario,
    state: { n, ordinals, applied, faults },
    ...(market.feeds.some(({ series }) => series !== undefined) ? { seriesShift: setup.seriesShift } : {}),
    feeds: fingerprint(market.feeds),
  }
}

/**
 * Reads a snapshot for a session.
 * @throws PriceFeedMockError SNAPSHOT_INVALID with all problems
 */
export function readSnapshot(data: unknown, { runtime }: Pick<Session, 'runtime'>): Snapshot {
  const snapshot = parseOrThrow(snapshotSchema, data, 'SNAPSHOT_INVALID', 'The snapshot')
  assertNoProblems('SNAPSHOT_INVALID', 'The snapshot', checkSnapshot(snapshot, runtime.market.feeds, runtime.settings))
  return snapshot
}

/** The reasons why a session with some feeds and settings cannot continue from saved data. */
export function checkSnapshot(
  {
    feeds: theirs,
    signer,
    signing,
    overrides,
  }: Pick<Snapshot, 'feeds' | 'signer' | 'overrides'> & Pick<Settings, 'signing'>,
  feeds: readonly Feed[],
  settings: Pick<Settings, 'signerKeyUnsafe'>,
): Problem[] {
  const here = fingerprint(feeds)
  if (theirs !== here)
    return [{ at: 'feeds', got: theirs, want: `${here}: the snapshot was taken with a different feed catalogue` }]
  const unfit = Object.entries(overrides).flatMap(([id, list]) => {
    const feed = feeds.find(known => known.id === id)
    return feed === undefined
      ? [{ at: `overrides.${id}`, got: id, want: 'the id of a feed' }]
      : checkOverrides(feeds, overrides, feed, list)
  })
  if (unfit.length > 0) return unfit
  const unsignable = checkSignable(feeds, signing, overrides)
  if (signer !== null || settings.signerKeyUnsafe !== undefined) return [...unsignable]
  const want = 'a server started with --signer-key-unsafe, as the snapshot was taken on one'
  return [{ at: 'signer', got: null, want }, ...unsignable]
}

/** Number of feeds and a hash of their JSON, in hex. */
export const fingerprint = oncePerObject((feeds: readonly Feed[]): string => {
  const hash = hashText(JSON.stringify(feeds)).toString(16).padStart(8, '0')
  return `${feeds.length}-${hash}`
})
