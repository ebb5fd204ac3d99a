// Random feeds and seconds for the one-truth properties, and requests to a mock at any second.

import fc from 'fast-check'
import { createMock, type MockOptions } from '../../src/index.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed, FeedDefinition } from '../../src/market/feeds.js'
import { parseFeeds } from '../../src/market/feeds-file.js'
import { replyOf } from '../support/ask.js'

/** The last second of the mock: the end of 2105. */
export const LATEST = 4_291_747_199
/** The second of the published samples. */
export const NOW = 1_753_354_105

export type Answered = { readonly status: number; readonly body: string }
/** Requests a target at a second of virtual time. */
export type Ask = (now: number, target: string) => Answered

/** One mock whose clock is set by each request: seconds may come in any order. */
export function travelling(options: MockOptions = {}): Ask {
  const mock = createMock({ ...options, clock: { at: 0 }, startedAt: 0 })
  return (now, target) => {
    const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: now * 1000 }
    const { status, body } = replyOf(mock.serve(request))
    return { status, body }
  }
}

/** A new mock for every request, its clock frozen at the second. */
export function restarted(options: MockOptions = {}): Ask {
  return (now, target) => {
    const mock = createMock({ ...options, clock: { at: now, frozen: true } })
    const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
    const { status, body } = replyOf(mock.serve(request))
    return { status, body }
  }
}

/** The body of a 200. */
export function read<T>({ status, body }: Answered): T {
  if (status !== 200) throw new Error(`${status} ${body}`)
  return JSON.parse(body) as T
}

/** Any second, and more often those where arithmetic could break: the ends, 2^31, and the ends of nodes and blocks. */
export const anySecond = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: LATEST }) },
  fc.integer({ min: 0, max: 700 }),
  fc.integer({ min: 2_147_483_600, max: 2_147_483_700 }),
  fc
    .oneof(
      fc.integer({ min: 1, max: 1023 }).map(k => k * 4_194_304),
      fc.integer({ min: -13, max: 18 }).map(k => 1_753_219_072 + k * 134_217_728),
    )
    .chain(at => fc.integer({ min: at - 9, max: at + 9 })),
  fc.integer({ min: LATEST - 700, max: LATEST }),
)

/** The definition of a feed with any heartbeat from 1 to 128 and any lag from 0 to 5. */
export const anyFeed: fc.Arbitrary<FeedDefinition> = fc.record({
  id: fc.constantFrom('ACMEUSD', 'Acme-1.x', 'B'),
  base: fc.constantFrom(118_300, 3650.5, 1, 0.0231),
  drivers: fc.constantFrom<Record<string, number>[]>({ a: 0.5 }, { a: 0.4, b: -0.3 }, { a: 0.6, b: 0.4, c: 0.3 }),
  span: fc.constantFrom(65_536, 262_144, 4_194_304, 134_217_728),
  heartbeat: fc.integer({ min: 0, max: 7 }).map(level => 2 ** level),
  lag: fc.integer({ min: 0, max: 5 }),
  // The coarser the step, the more ticks share their price.
  step: fc.constantFrom(1, 100, 10_000),
  volume: fc.constantFrom(0, 1000.01, 50e6, 35e9),
})

/** A market of one feed: the options of its mock, the feed, and the price of a single tick of it. */
export function marketOf(definition: FeedDefinition, seed: string) {
  const feeds = { extends: 'none', feeds: [definition] } as const
  const feed = parseFeeds(feeds, 'feeds')[0]!
  const path = createFeedPath(seed, feed)
  return { options: { seed, feeds }, feed, priceAt: path.at }
}

/** The last tick that is published at a second, if there is one. */
export function lastTickAt({ heartbeat, lag }: Feed, now: number): number | undefined {
  const tick = now - lag - ((((now - lag) % heartbeat) + heartbeat) % heartbeat)
  return tick < 0 ? undefined : tick
}
