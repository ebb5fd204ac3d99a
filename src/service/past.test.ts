// The earlier states that a session remembers: as many as its pages promise, within a bound of bytes.
import { expect, it } from 'vitest'
import { createCalls, LATEST, NOW } from '../../test/support/calls.js'
import { changed, MAX_PAST } from './changes.js'
import type { SessionPatch } from './session-settings.js'

/** The states that are known after a request and a change in turn. */
function rememberedAfter(count: number, patchOf: (i: number) => SessionPatch) {
  const { session, serve } = createCalls()
  for (let i = 0; i < count; i++) {
    serve(LATEST)
    session().run(changed({ clock: { advance: 1 } }, 0))
    session().run(changed(patchOf(i), 0))
  }
  return session().record.setup.past
}

it.each<[string, (i: number) => SessionPatch]>([
  ['prices', i => ({ prices: { BTCUSD: 50_000 + i } })],
  ['scenarios', i => ({ scenario: ['stale-btc', 'calm'][i % 2]! })],
  ['seeds', i => ({ seed: String(i) })],
])('default: the last %s that were set, 20 times', (_, patchOf) => {
  const known = rememberedAfter(MAX_PAST + 5, patchOf).filter(({ snapshot }) => snapshot !== undefined)
  expect(known.map(({ until }) => until)).toEqual(Array.from({ length: MAX_PAST }, (_, i) => i + 6))
})

it('behavior: large ones are fewer, and the newest stay', () => {
  const faults = Array.from({ length: 40 }, (_, i) => ({
    fault: 'reply/latency',
    from: `${i}s`,
    for: '1s',
    options: { ms: i },
  }))
  const past = rememberedAfter(10, i => ({ scenario: { title: `${i}`, faults } as never }))
  const known = past.filter(({ snapshot }) => snapshot !== undefined)
  // Two of them are over 40 kB.
  expect(known.length).toBe(1)
  expect(past.at(-1)).toMatchObject({ until: 10, snapshot: { clock: { virtualMs: (NOW + 10) * 1000 } } })
})

it('behavior: equal parts are held once', () => {
  const [first, second] = rememberedAfter(2, i => ({ prices: { BTCUSD: 50_000 + i } }))
  expect(second!.snapshot!.policy).toBe(first!.snapshot!.policy)
  expect(second!.snapshot!.signing).toBe(first!.snapshot!.signing)
  expect(second!.snapshot!.overrides).not.toEqual(first!.snapshot!.overrides)
})

it('behavior: a state without a request is remembered if it has lasted for a second', () => {
  const { session } = createCalls()
  const set = (i: number) => session().run(changed({ prices: { BTCUSD: 50_000 + i } }, 0))
  const endsOf = () =>
    session().record.setup.past.map(({ until, snapshot }) => [until, snapshot!.clock.virtualMs - 1000 * NOW])
  set(0)
  set(1)
  expect(endsOf()).toEqual([])
  for (const [i, ms] of [999, 1, 1, 30_000].entries()) {
    session().run(changed({ clock: { advance: ms / 1000 } }, 0))
    set(2 + i)
  }
  expect(endsOf()).toEqual([
    [0, 1000],
    [0, 31_001],
  ])
})
