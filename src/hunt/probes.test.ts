// The probes of a hunt: all faults have some, and all of them are valid.
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../endpoints/index.js'
import { canActOn } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { parseScenario } from '../scenario/parse.js'
import { secondsOf } from '../settings/time.js'
import { adaptScenario, clocksOf, coursesOf, toFeedsOf } from './courses.js'

import { fillSlots, leftOutOf, probesOf, requestSlotsOf, type Slots, slotsOf, toFault } from './probes.js'
import { knownFeeds, type Profile } from './profile.js'
import type { HuntFault, HuntScenario } from './types.js'
import { VALUES } from './values.js'

const names = ENDPOINTS.map(({ name }) => name)
const vocabulary = { faults: FAULTS, endpoints: names, feeds: catalogueFeeds() }

/** A consumer of some endpoints. */
const profileOf = (endpoints: readonly string[], seconds = 120, feeds = ['BTCUSD', 'ETHUSD']): Profile => ({
  start: 0,
  busiest: undefined,
  seconds,
  endpoints: endpoints.map(endpoint => ({ endpoint, requests: seconds / 2, interval: 2, feeds, isByFeed: false })),
  feeds,
  known: knownFeeds(feeds),
  catalogue: catalogueFeeds(),
  requests: [],
})

describe('probesOf', () => {
  it.each([0, 3, 120, 86_400])('default: every fault has valid probes in a run of %d seconds', seconds => {
    const probes = probesOf(FAULTS, profileOf(names, seconds), names)
    expect(new Set(probes.map(({ fault }) => fault.name))).toEqual(new Set(FAULTS.map(({ name }) => name)))
    for (const probe of probes) {
      const faults = [toFault(probe, { feeds: ['BTCUSD'], endpoints: probe.endpoints, from: '1s', for: '2s' })]
      const parsed = parseScenario({ faults }, vocabulary, { name: 'one', subject: 'One', inline: true })
      expect(parsed.faults[0]!.fault).toBe(probe.fault)
    }
  })

  it('behavior: the table of values names faults that exist', () => {
    expect(Object.keys(VALUES).filter(name => FAULTS.every(fault => fault.name !== name))).toEqual([])
  })

  it('behavior: faults that the consumer cannot meet are left out', () => {
    const only = profileOf(['latest'])
    const others = FAULTS.filter(fault => !canActOn(fault, 'latest')).map(({ name }) => name)
    expect(leftOutOf(FAULTS, only)).toEqual(others)
    // An endpoint that is asked in trouble has its faults as well.
    const swapped = ['reply/high-low-swapped']
    expect(leftOutOf(FAULTS, profileOf(['latest'], 120))).toEqual(expect.arrayContaining(swapped))
    expect(leftOutOf(FAULTS, profileOf(['latest'], 120), ['history'])).not.toEqual(expect.arrayContaining(swapped))
    expect(others).toContain('signature/batch-swapped')
    expect(probesOf(FAULTS, only, ['latest']).some(({ fault }) => fault.name.startsWith('series/'))).toBe(false)
    expect(leftOutOf(FAULTS, profileOf(['batch'], 120, ['BTCUSD']))).toContain('signature/batch-swapped')
  })
})

describe('coursesOf', () => {
  it.each([20, 300, 86_400])('default: each course is a valid scenario of a run of %d seconds', seconds => {
    const courses = coursesOf(profileOf(names, seconds))
    expect(courses.length).toBeGreaterThan(0)
    for (const faults of courses) {
      const parsed = parseScenario({ faults }, vocabulary, { name: 'one', subject: 'One', inline: true })
      expect(parsed.faults).toHaveLength(faults.length)
      for (const { from = '0s' } of faults) expect(secondsOf(from)).toBeLessThan(seconds)
    }
  })

  it.each([2, 20, 300, 86_400])('default: each clock is a valid scenario of a run of %d seconds', seconds => {
    const clocks = clocksOf(profileOf(names, seconds))
    expect(clocks.length).toBeGreaterThan(3)
    for (const { at, faults } of clocks) {
      const parsed = parseScenario({ clock: { at }, faults }, vocabulary, { name: 'one', subject: 'One', inline: true })
      expect(parsed.faults).toHaveLength(faults.length)
      for (const { from = '0s' } of faults) expect(secondsOf(from)).toBeLessThan(seconds)
    }
  })

  it('behavior: currencies and stablecoins do not move with the market', () => {
    const movedOf = (feeds: string[]) =>
      coursesOf(profileOf(['batch'], 300, feeds)).flatMap(course =>
        course.filter(({ fault, options }) => fault === 'market/shock' && options?.change === -0.4),
      )
    expect(movedOf(['USDTUSD', 'BTCUSD', 'EURUSD'])).toMatchObject([{ feeds: ['BTCUSD'] }])
    for (const alike of [['BTCUSD', 'ETHUSD'], ['USDTUSD']]) expect(movedOf(alike)[0]!.feeds).toBeUndefined()
  })

  it('behavior: none in a run that is too short for its parts', () => {
    expect(coursesOf(profileOf(names, 19))).toEqual([])
    expect(clocksOf(profileOf(names, 1))).toEqual([])
  })

  it('behavior: a clock starts before its moment, by a part of the run', () => {
    const startsOf = (seconds: number) => clocksOf(profileOf(names, seconds)).map(({ at }) => at)
    expect(startsOf(2)).toContain('2038-01-19T03:14:07Z')
    expect(startsOf(100)).toContain('2038-01-19T03:13:48Z')
    expect(startsOf(9000)).toContain('2038-01-19T03:13:08Z')
  })

  it('behavior: on a weekend only currencies and metals are closed, for a consumer that has some', () => {
    const closedOf = (feeds: string[]) =>
      clocksOf(profileOf(names, 300, feeds)).flatMap(({ faults: [one] }) =>
        one!.fault === 'market/closed' ? [one!.feeds] : [],
      )
    expect(closedOf(['BTCUSD', 'EURUSD', 'XAUUSD'])).toEqual([
      ['EURUSD', 'XAUUSD'],
      ['EURUSD', 'XAUUSD'],
    ])
    expect(closedOf(['BTCUSD'])).toEqual([undefined, undefined])
  })

  it('behavior: no price that a feed of a coarser step cannot have', () => {
    const [feed] = knownFeeds(['BTCUSD'])
    const known = [{ ...feed!, expo: 0, step: 10_000 }]
    const profile = { ...profileOf(names, 300, ['BTCUSD']), known }
    const faults = [...coursesOf(profile).flat(), ...probesOf(FAULTS, profile, names).map(one => toFault(one, {}))]
    const prices = faults.flatMap(({ fault, options }) => (fault === 'market/price' ? [Number(options!.price)] : []))
    expect(prices).not.toEqual([])
    expect(Math.min(...prices)).toBeGreaterThanOrEqual(10_000)
  })
})

describe('slotsOf', () => {
  it('default: ten windows over the run, each followed by calm', () => {
    const { slots, frequent } = slotsOf(profileOf(['batch']), true)
    expect(slots.map(({ selectors }) => `${selectors.from ?? '0s'} ${selectors.for}`)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${i * 12}s 6s`),
    )
    expect(frequent).toEqual(['batch'])
  })

  it('behavior: fewer windows for one that asks seldom, and single requests for an endpoint of few', () => {
    const rare = { endpoint: 'history', requests: 5, interval: 24, feeds: [], isByFeed: true }
    const { slots, frequent } = slotsOf(
      { ...profileOf(['batch']), endpoints: [...profileOf(['batch']).endpoints, rare] },
      true,
    )
    expect(frequent).toEqual(['batch'])
    expect(slots.filter(({ endpoint }) => endpoint === 'history').map(({ selectors }) => selectors)).toEqual([
      { endpoints: ['history'], requests: '1' },
      { endpoints: ['history'], requests: '3' },
    ])
    expect(slotsOf({ ...profileOf([]), endpoints: [rare] }, false).slots).toHaveLength(2)
  })

  it('behavior: single requests for an endpoint that is asked less often than a window is long', () => {
    const { endpoints } = profileOf(['batch'])
    const frequentWith = (interval: number) =>
      slotsOf(
        {
          ...profileOf([]),
          endpoints: [...endpoints, { endpoint: 'candles', requests: 24, interval, feeds: [], isByFeed: true }],
        },
        true,
      ).frequent
    expect(frequentWith(6)).toEqual(['batch', 'candles'])
    expect(frequentWith(7)).toEqual(['batch'])
  })
})

describe('fillSlots', () => {
  const placedIn = (names: readonly string[], slots: Slots, feeds?: readonly string[]): HuntFault[] => {
    const queue = names.flatMap(name => probesOf(FAULTS, PROFILE, ALL).find(({ fault }) => fault.name === name)!)
    return fillSlots(queue, slots, feeds).map(({ fault }) => fault)
  }
  const ALL = ['batch', 'candles']
  const PROFILE = profileOf(ALL)
  const ONE: Slots = { slots: [{ selectors: { from: '30s' }, endpoint: undefined }], frequent: ALL }

  it('behavior: candle faults that leave the candles of others share a slot', () => {
    const names = ['series/missing', 'series/empty', 'series/duplicate', 'series/negative-volume', 'series/null-values']
    const placed = placedIn(names, ONE)
    expect(placed.map(({ fault }) => fault)).toEqual(['series/missing', 'series/duplicate', 'series/negative-volume'])
    expect(placed.map(({ from }) => from)).toEqual(['30s', '30s', '30s'])
  })

  it('behavior: faults of the market and of ticks share a slot where each gets a feed of its own', () => {
    const names = ['tick/zero', 'signature/wrong-signer', 'market/stale', 'reply/status', 'tick/negative']
    expect(placedIn(names, ONE).map(({ fault }) => fault)).toEqual(['tick/zero'])
    expect(placedIn(names, ONE, ['BTCUSD', 'ETHUSD']).map(({ fault, feeds }) => [fault, feeds])).toEqual([
      ['tick/zero', ['BTCUSD']],
      ['market/stale', ['ETHUSD']],
    ])
    const forged = probesOf(FAULTS, profileOf(['latest']), ['latest']).filter(({ fault }) => names.includes(fault.name))
    expect(fillSlots(forged, { ...ONE, frequent: ['latest'] }, ['BTCUSD', 'ETHUSD', 'SOLUSD'])).toHaveLength(3)
  })

  it('behavior: a run has no more faults than a scenario', () => {
    const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'EURUSD']
    const rare = names.slice(1).map(endpoint => ({ endpoint, requests: 19, interval: 50, feeds, isByFeed: false }))
    const profile: Profile = {
      ...profileOf([names[0]!], 1000, feeds),
      endpoints: [...profileOf(['batch'], 1000).endpoints, ...rare],
    }
    const queue = probesOf(FAULTS, profile, ['batch'])
    const count = queue.length
    expect(fillSlots(queue, slotsOf(profile, true), feeds)).toHaveLength(90)
    expect(queue).toHaveLength(count - 90)
  })

  it('behavior: single requests, those after which a consumer keeps quiet last', () => {
    const names = ['reply/rate-limit', 'reply/malformed-json', 'market/stale', 'tick/zero', 'reply/empty-body']
    const placedIn18 = placedIn(names, requestSlotsOf(profileOf(['batch'], 18), 2))
    expect(placedIn18).toMatchObject([
      { fault: 'reply/malformed-json', requests: '2' },
      { fault: 'tick/zero', requests: '4' },
      { fault: 'reply/empty-body', requests: '6' },
      { fault: 'reply/rate-limit', requests: '8' },
    ])
    const requestsOf = (seconds: number, first: 2 | 3) =>
      requestSlotsOf(profileOf(['batch'], seconds), first).slots.map(({ selectors }) => selectors.requests)
    // A consumer that asks for two feeds in turn meets them with both.
    expect(requestsOf(18, 3)).toEqual(['3', '5', '7'])
    for (const first of [2, 3] as const) expect(requestsOf(8, first)).toEqual(['2', '3', '4'])
    expect(requestSlotsOf(profileOf(['batch', 'candles'], 86_400), 2).slots).toHaveLength(40)
    expect(requestSlotsOf(profileOf(names, 86_400), 2).slots).toHaveLength(60)
  })
})

describe('adaptScenario', () => {
  it('behavior: windows that become shorter ask for shorter pauses', () => {
    const faults = ['0s', '60s'].map(from => ({
      fault: 'reply/status',
      from,
      for: '30s',
      options: { status: 429, retryAfter: '20s' },
    }))
    const [fitted] = adaptScenario({ title: 'Pauses', why: 'A test.', faults }, profileOf(['batch'], 45))
    expect(fitted!.faults).toMatchObject([
      { from: '1s', for: '15s', options: { status: 429, retryAfter: '10s' } },
      { from: '30s', for: '15s', options: { status: 429, retryAfter: '10s' } },
    ])
  })

  it('behavior: windows that would be shorter than two requests become several scenarios, each with some of them', () => {
    const fault = ['tick/zero', 'tick/negative', 'tick/wrong-expo', 'market/gap', 'market/stale', 'reply/status']
    const faults = fault.map((fault, i) => ({ fault, from: `${20 * i}s`, for: '10s', repeat: '120s' }))
    const parts = adaptScenario({ title: 'Six', why: 'A test.', loop: '120s', faults }, profileOf(['batch'], 24))
    expect(parts.map(({ loop, faults }) => [loop, faults.map(({ fault, from }) => `${fault} ${from}`)])).toEqual([
      [undefined, ['tick/zero 1s', 'tick/negative 3s', 'tick/wrong-expo 6s']],
      [undefined, ['market/gap 1s', 'market/stale 3s', 'reply/status 6s']],
    ])
  })

  it('behavior: one of them may have only a fault without an end', () => {
    const faults = [
      { fault: 'tick/zero', from: '1h', for: '2s' },
      { fault: 'market/shock', from: '2h' },
    ]
    const parts = adaptScenario({ title: 'Two', why: 'A test.', faults }, profileOf(['batch'], 60))
    expect(parts.map(part => part.faults)).toEqual([
      [{ fault: 'tick/zero', from: '1s', for: '60s' }],
      [{ fault: 'market/shock', from: '1s' }],
    ])
  })

  it('behavior: but for pauses that a back-off of its own would outlast', () => {
    const options = { status: 429, retryAfter: '20s' }
    const faults = ['0s', '300s'].map(from => ({ fault: 'reply/status', from, for: '60s', options }))
    const [fitted] = adaptScenario({ title: 'Pauses', why: 'A test.', faults }, profileOf(['batch'], 60))
    expect(fitted!.faults.map(one => one.options?.retryAfter)).toEqual(['8s', '8s'])
  })
})

describe('toFeedsOf', () => {
  const faultsFor = (faults: readonly HuntFault[], feeds: string[]): readonly HuntFault[] =>
    toFeedsOf({ title: 'Ages', why: 'A test.', faults }, profileOf(['batch'], 60, feeds)).faults
  const stale = (...feeds: string[]): HuntFault => ({ fault: 'market/stale', feeds })

  it('default: each feed that the consumer does not ask for is replaced by one of its own', () => {
    const faults = [stale('BTCUSD'), stale('ETHUSD'), stale('SOLUSD', 'USDCUSD'), { fault: 'market/gap' }]
    expect(faultsFor(faults, ['XAUUSD', 'EURUSD', 'GBPUSD', 'AUDUSD'])).toEqual([
      stale('XAUUSD'),
      stale('EURUSD'),
      stale('GBPUSD', 'AUDUSD'),
      { fault: 'market/gap' },
    ])
  })

  it('behavior: those that it asks for stay, and faults that have no feed then are left out', () => {
    const faults = [stale('btcusd'), stale('ETHUSD'), stale('SOLUSD', 'USDCUSD')]
    expect(faultsFor(faults, ['BTCUSD', 'XAUUSD'])).toEqual([stale('btcusd'), stale('XAUUSD')])
    expect(faultsFor(faults, ['BTCUSD'])).toEqual([stale('btcusd')])
  })

  it('behavior: a price in units of its feed stays with it, where the consumer asks for that or for one that follows it', () => {
    const priced = { fault: 'market/price', feeds: ['BTCUSD'], options: { price: 1 } }
    expect(faultsFor([priced], ['BTCUSD'])).toEqual([priced])
    expect(faultsFor([priced], ['WBTCUSD'])).toEqual([priced])
    expect(faultsFor([priced], ['XAUUSD'])).toEqual([])
  })

  it('behavior: all built-in scenarios stay valid', () => {
    for (const [name, scenario] of Object.entries(BUILT_IN)) {
      const own = toFeedsOf(scenario as unknown as HuntScenario, profileOf(names, 60, ['XAUUSD', 'DOGEUSD']))
      if (own.faults.length > 0) parseScenario(own, vocabulary, { name, subject: name, inline: true })
    }
  })
})
