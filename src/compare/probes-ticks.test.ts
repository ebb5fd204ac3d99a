// Heartbeats and lags: which of them count as one, and the settings of a feed for them.
import { expect, it } from 'vitest'
import { TICK_PROBE } from './probes-signed.js'

const SLOW = { heartbeat: 'above 32', lag: 'not told' }
const beat = (heartbeat: number, lag: number | readonly number[] | string) => ({ heartbeat, lag })
const isSame = (theirs: unknown, ours: unknown) => TICK_PROBE.same!(theirs as never, ours as never)
const patchOf = (theirs: unknown, ours: unknown) => TICK_PROBE.toPatch!(theirs as never, {} as never, ours as never)

it.each([
  [beat(4, 2), beat(4, 2), true, undefined],
  [beat(4, [1, 3]), beat(4, [3, 5]), true, undefined],
  [beat(4, [3, 5]), beat(4, [1, 3]), true, undefined],
  [beat(4, [1, 3]), beat(4, [4, 5]), false, beat(4, 3)],
  [beat(4, [4, 6]), beat(4, [1, 3]), false, beat(4, 4)],
  [beat(4, [1, 3]), beat(8, 2), false, beat(4, 2)],
  [beat(4, 'not told'), beat(4, 2), true, undefined],
  [beat(4, 2), beat(4, 'not told'), true, undefined],
  [beat(1, [2, 3]), undefined, false, beat(1, 2)],
  [beat(64, 'not told'), SLOW, false, beat(64, 0)],
  [beat(6, 2), beat(4, 2), false, undefined],
  [beat(-4, 2), beat(4, 2), false, undefined],
  [SLOW, SLOW, true, undefined],
  [SLOW, beat(4, 2), false, { heartbeat: 64 }],
])('default: %j beside ours, %j', (theirs, ours, same, feed) => {
  expect(isSame({ BTCUSD: theirs, ETHUSD: beat(1, 0) }, { BTCUSD: ours, ETHUSD: beat(1, 0) })).toBe(same)
  expect(isSame({ ETHUSD: beat(1, 0), BTCUSD: theirs }, { BTCUSD: ours, ETHUSD: beat(1, 0) })).toBe(same)
  expect(patchOf({ BTCUSD: theirs }, { BTCUSD: ours })).toEqual(feed && { feeds: { BTCUSD: feed } })
})

it('behavior: without heartbeats, only equal reasons are the same, and no setting gives one', () => {
  const [still, beats] = ['its clock stands still', { BTCUSD: beat(4, 2) }]
  expect([isSame(still, still), isSame(beats, beats)]).toEqual([true, true])
  for (const ours of ['else', beats]) expect(isSame(still, ours)).toBe(false)
  expect(isSame(beats, still)).toBe(false)
  expect([patchOf(still, beats), patchOf(beats, still)]).toEqual([undefined, { feeds: beats }])
})
