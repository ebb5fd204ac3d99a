// A session as portable JSON: taken on one server, restored on another, it brings the same bytes back. No private key is in it.
import * as z from 'zod/mini'
import type { Problem } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { hashText } from '../market/random.js'
import { SCENARIO_NAME } from '../scenario/scenarios.js'
import { layoutSchema } from '../settings/layouts.js'
import { policySchema } from '../settings/policy.js'
import { assertNoProblems, integer, number, read, text } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import { checkLayouts } from '../signing/check-layouts.js'
import { readClock } from './clock.js'
import { largestTick } from './endpoint-context.js'
import { checkOverrides } from './prices.js'
import type { Session } from './session.js'

const counter = integer(0, Number.MAX_SAFE_INTEGER)
const overrideSchema = z.strictObject({ from: integer(0, LATEST), factor: number(1e-30, 1e30) })

const faultCountSchema = z.strictObject({
  hits: counter,
  misses: counter,
  lastMiss: z.optional(z.string()),
  quota: z.optional(z.strictObject({ window: integer(-1, LATEST), used: counter })),
})

/** The form of a snapshot. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  /** Seed and policy are those beneath the scenario, `own` what of them the session has set over it. */
  own: z.strictObject({ seed: settingsSchema.shape.seed, policy: settingsSchema.shape.policy }),
  seed: z.required(z.object({ seed: settingsSchema.shape.seed })).shape.seed,
  policy: z.required(policySchema),
  signing: z.strictObject({ svm: z.string(), evm: z.string(), layouts: z.record(z.string(), layoutSchema) }),
  apiKeys: z.required(z.object({ apiKeys: settingsSchema.shape.apiKeys })).shape.apiKeys,
  /** Null stands for a private key of the user's own: the server that restores it signs with its own key. */
  signer: z.nullable(integer(0, 9)),
  /** `virtualMs` in milliseconds since the epoch. */
  clock: z.strictObject({ virtualMs: number(0, LATEST * 1000 + 999), speed: number(0.001, 1e6), frozen: z.boolean() }),
  overrides: z.record(z.string(), z.array(overrideSchema)),
  /** The scenario as it was written, and the virtual second at which it was applied. */
  scenario: z.strictObject({
    name: text(SCENARIO_NAME, 'the name of a scenario'),
    source: z.unknown(),
    origin: integer(0, LATEST),
  }),
  state: z.strictObject({
    n: counter,
    ordinals: z.record(z.string(), counter),
    applied: z.record(z.string(), counter),
    faults: z.array(faultCountSchema),
  }),
  /** What the feeds of the server were: prices depend on them. */
  feeds: z.string(),
})
/** A snapshot, checked. */
export type Snapshot = z.output<typeof snapshotSchema>

/** Takes a snapshot of a session at real time `realMs`. */
export function takeSnapshot({ world, state, layers }: Session, realMs: number): Snapshot {
  const { seed, policy, own } = layers
  const { signing, apiKeys, signer, signerKeyUnsafe } = world.settings
  const { speed, frozen } = world.clock
  return {
    version: 1,
    own: { seed: own.seed, policy: own.policy },
    seed,
    policy: policy as Snapshot['policy'],
    signing: signing as Snapshot['signing'],
    apiKeys: [...apiKeys],
    signer: signerKeyUnsafe === undefined ? signer : null,
    clock: { virtualMs: readClock(world.clock, realMs), speed, frozen },
    overrides: world.overrides as Snapshot['overrides'],
    scenario: {
      name: world.scenario.scenario.name,
      source: world.scenario.scenario.source,
      origin: world.scenario.origin,
    },
    state: state as Snapshot['state'],
    feeds: fingerprint(world.market.feeds),
  }
}

/**
 * Reads a snapshot for a session.
 * @throws PriceFeedMockError SNAPSHOT_INVALID with everything that it cannot be in
 */
export function readSnapshot(data: unknown, { world: { market, settings } }: Session): Snapshot {
  const { feeds } = market
  const hasOwnKey = settings.signerKeyUnsafe !== undefined
  const { value, problems = [] } = read(snapshotSchema, data)
  assertNoProblems(
    'SNAPSHOT_INVALID',
    'The snapshot',
    value === undefined ? problems : checkSnapshot(value, feeds, hasOwnKey),
  )
  return value!
}

function checkSnapshot(
  { feeds: theirs, signer, signing, overrides }: Snapshot,
  feeds: readonly Feed[],
  hasOwnKey: boolean,
): Problem[] {
  const here = fingerprint(feeds)
  if (theirs !== here) return [{ at: 'feeds', got: theirs, want: `${here}: the feeds of this server are others` }]
  const unsigned = signer === null && !hasOwnKey
  const unfit = Object.entries(overrides).flatMap(([id, list]) => {
    const feed = feeds.find(known => known.id === id)
    return feed === undefined
      ? [{ at: `overrides.${id}`, got: id, want: 'the id of a feed' }]
      : checkOverrides(feed, list)
  })
  if (unfit.length > 0) return unfit
  const largest = feeds.map(feed => largestTick(feed, overrides[feed.id]))
  return [
    ...(unsigned
      ? [
          {
            at: 'signer',
            got: null,
            want: 'a server that was started with --signer-key-unsafe, as that of the snapshot was',
          },
        ]
      : []),
    ...checkLayouts(signing, largest),
  ]
}

const fingerprints = new WeakMap<readonly Feed[], string>()

/** A short name for a list of feeds: a hash of its JSON, in hex, after the number of feeds. */
function fingerprint(feeds: readonly Feed[]): string {
  let known = fingerprints.get(feeds)
  if (known === undefined) {
    const hash = hashText(JSON.stringify(feeds)).toString(16).padStart(8, '0')
    fingerprints.set(feeds, (known = `${feeds.length}-${hash}`))
  }
  return known
}
