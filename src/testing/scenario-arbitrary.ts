// Random scenarios for properties with fast-check, which shrink to few faults, early windows and usual options.
// biome-ignore-all lint/suspicious/noTsIgnore: there is an error only in projects without fast-check, where the type is `any`.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { FAULTS } from '../faults/index.js'
import { probesOf, toFault } from '../hunt/probes.js'
import { knownFeeds } from '../hunt/profile.js'
import { toDuration } from '../hunt/values.js'
import { MAX_FAULTS } from '../scenario/schema.js'
import type { EndpointName, InlineScenario } from '../scenario-input.js'
import { assertNoProblems, integer, parseOrThrow } from '../settings/schema.js'

/**
 * The module fast-check.
 * @ts-ignore */
type FastCheck = Pick<typeof import('fast-check'), 'array' | 'integer' | 'nat' | 'record'>
/**
 * An arbitrary of fast-check.
 * @ts-ignore */
type Arbitrary<T> = import('fast-check').Arbitrary<T>

/** The requests that a property sends. */
export interface ScenarioArbitraryOptions {
  /**
   * Faults that cannot act on these endpoints are left out.
   * @default all endpoints
   */
  readonly endpoints?: readonly EndpointName[] | undefined
  /**
   * Feeds to which some faults are limited.
   * @default none: every fault is for all feeds
   */
  readonly feeds?: readonly string[] | undefined
  /**
   * Virtual seconds of a run, in which the windows are.
   * @default 60
   */
  readonly seconds?: number | undefined
  /** @default 3 */
  readonly maxFaults?: number | undefined
}

const NAMES = ENDPOINTS.map(({ name }) => name)
const WANT_ENDPOINTS = `a list of ${NAMES.join(', ')}, at least one`

const optionsSchema = z.strictObject({
  endpoints: z.optional(
    z.array(z.enum(NAMES), { error: WANT_ENDPOINTS }).check(z.minLength(1, { error: WANT_ENDPOINTS })),
  ),
  feeds: z.optional(z.array(z.string(), { error: 'a list of ids of feeds' })),
  seconds: z.optional(integer(1, 999_999_999)),
  maxFaults: z.optional(integer(1, MAX_FAULTS)),
})

/**
 * An arbitrary of scenarios.
 * @param fc the module fast-check
 * @throws PriceFeedMockError OPTIONS_INVALID
 * @example
 * fc.assert(fc.asyncProperty(scenarioArbitrary(fc, { endpoints: ['latest'] }), async scenario => {
 *   await using priceFeed = await openPriceFeed({ scenario })
 *   …
 * }))
 */
export function scenarioArbitrary(fc: FastCheck, options: ScenarioArbitraryOptions = {}): Arbitrary<InlineScenario> {
  if (typeof Object(fc).nat !== 'function')
    assertNoProblems('OPTIONS_INVALID', 'scenarioArbitrary(fc, options)', [
      { at: 'fc', got: fc, want: 'the module fast-check: import fc from "fast-check"' },
    ])
  const valid = parseOrThrow(optionsSchema, options, 'OPTIONS_INVALID', 'scenarioArbitrary(fc, options)')
  const { endpoints = NAMES, feeds = [], seconds = 60, maxFaults = 3 } = valid
  const use = { requests: seconds, interval: 1, feeds: [...feeds, '', ''], isByFeed: false }
  const uses = endpoints.map(endpoint => ({ endpoint, ...use }))
  const profile = {
    start: 0,
    seconds,
    busiest: undefined,
    endpoints: uses,
    feeds,
    known: knownFeeds(feeds),
    catalogue: [],
    requests: [],
  }
  const probes = probesOf(FAULTS, profile, endpoints)
  const drawn = fc.record({
    probe: fc.nat(probes.length - 1),
    from: fc.nat(Math.max(0, seconds - 1)),
    length: fc.integer({ min: 1, max: Math.max(1, seconds) }),
    // 0 stands for all feeds.
    feed: fc.nat(feeds.length),
    // 0 leaves it out: an array shrinks from one end only, and every fault has to be able to go.
    weight: fc.nat(3),
  })
  return fc.array(drawn, { minLength: 1, maxLength: maxFaults }).map(list => {
    const used = list.filter(({ weight }) => weight > 0)
    const faults = (used.length > 0 ? used : list.slice(0, 1)).map(({ probe, from, length, feed }) =>
      toFault(probes[probe]!, {
        ...(from > 0 ? { from: toDuration(from) } : {}),
        for: toDuration(length),
        ...(feed > 0 ? { feeds: [feeds[feed - 1]!] } : {}),
      }),
    )
    return { faults } as unknown as InlineScenario
  })
}
