// Whole runs of a consumer: courses of the market, as the background of other faults and of several events that belong together; clocks;
// and built-in scenarios, fitted to the length of a run, since what lasts longer would never be met as a whole.
import { REPLY_SCHEMAS } from '../endpoints/reply-schemas.js'
import type { Fault } from '../faults/fault.js'
import { toFeedKey } from '../market/feeds.js'
import { fitsFeed } from '../market/levels.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { secondsOf, toInstant } from '../settings/time.js'
import { probesOf } from './probes.js'
import type { Profile } from './profile.js'
import type { HuntFault, HuntScenario, Trial } from './types.js'
import { endOf, timeAt, toDuration, windowOf } from './values.js'

/**
 * The feeds that a market moves: a currency or a stablecoin that falls with the others looks like a peg that is lost, and stops a
 * consumer before it meets anything else.
 */
function movingOf({ known }: Profile): Pick<HuntFault, 'feeds'> {
  const moving = known.filter(({ class: kind }) => kind !== 'stable' && kind !== 'fx')
  return moving.length === 0 || moving.length === known.length ? {} : { feeds: moving.map(({ id }) => id) }
}

/** A move under other faults: slowly, at once with a publisher that sticks to the new price, at once. Guards stop at fast ones. */
export function moveOf(n: number, profile: Profile): HuntFault[] {
  const { start, seconds } = profile
  const isFall = (n >> 1) % 2 === 0
  const feeds = movingOf(profile)
  if (n % 2 === 0)
    return [{ fault: 'market/drift', ...feeds, options: { change: isFall ? -0.35 : 0.15, per: toDuration(seconds) } }]
  const change = isFall ? -0.35 : 0.5
  const shock = { fault: 'market/shock', ...feeds, from: toDuration(start + seconds * 0.3), options: { change } }
  const stuck = { fault: 'market/stale', from: toDuration(start + seconds * 0.3 + 1), for: toDuration(seconds * 0.1) }
  return n % 4 === 1 ? [shock, stuck] : [shock]
}

/**
 * Readings that are far off, each twice with calm between them: what a consumer keeps of the first one meets the second. The last one
 * comes just before the price stays at another level.
 */
function badReadings(profile: Profile): HuntFault[] {
  const { start, seconds, endpoints } = profile
  const feeds = movingOf(profile)
  const poll = Math.min(...endpoints.map(({ interval }) => interval), seconds / 20)
  const off = (part: number, factor: number, polls: number): HuntFault => {
    const hold = toDuration(Math.ceil(poll * polls))
    return { fault: 'market/bad-tick', ...feeds, from: timeAt(profile, part), for: hold, options: { factor, hold } }
  }
  /** One that is read again and again, since no tick follows it. */
  const stuck = off(0.16, 1.5, 3)
  const after = toDuration(start + seconds * 0.62 + Math.ceil(poll))
  return [
    off(0.06, 1.5, 1),
    stuck,
    { ...stuck, fault: 'market/stale', options: {} },
    off(0.26, 0.6, 2),
    off(0.45, 0.6, 2),
    off(0.62, 1.5, 1),
    { fault: 'market/shock', ...feeds, from: after, options: { change: -0.4 } },
  ]
}

/** Prices that are late from the moment at which the market begins to move, so that no move is seen in time: by each of some ages. */
function unseenMove(profile: Profile, ages: readonly number[], change: number): HuntFault[] {
  const { seconds } = profile
  const part = 0.9 / ages.length
  const windows = ages.map((_, i) => windowOf(profile, 0.1 + i * part, part))
  const { from } = windows[0]!
  // An age below 0 is a price of the future.
  const dated = (age: number): Pick<HuntFault, 'fault' | 'options'> =>
    age < 0
      ? { fault: 'tick/ts-skew', options: { seconds: -age } }
      : { fault: 'market/stale', options: { age: toDuration(Math.min(age, seconds / 2)) } }
  return [
    { fault: 'market/drift', ...movingOf(profile), from, options: { change, per: toDuration(seconds) } },
    ...ages.map((age, i) => ({ ...dated(age), ...windows[i]! })),
  ]
}

/** Prices of other magnitudes from the start: of some steps, far above the usual one, and almost none. */
function otherLevels({ known }: Profile): HuntFault[] {
  return known.slice(0, 12).flatMap((feed, i) => {
    const unit = feed.step / POWERS_OF_TEN[-feed.expo]!
    const price = [20 * unit, feed.base * 50, 3 * unit][i % 3]!
    return fitsFeed(price, feed) === undefined ? [{ fault: 'market/price', feeds: [feed.id], options: { price } }] : []
  })
}

/** Usual limits of the age of a price, in seconds. */
const AGE_LIMITS = [60, 30, 10]

/** Prices that are two seconds younger than a limit when they are asked for, in a window of a run. */
const justYoung = (profile: Profile, limit: number, from: number, length: number): HuntFault => ({
  fault: 'tick/ts-skew',
  ...windowOf(profile, from, length),
  options: { seconds: 2 - limit },
})

/**
 * Replies to a moving market that are late, each by another time, so that some overtake others. In the second half prices are just young
 * enough when they are asked for, by each of some usual limits.
 */
function unevenReplies(profile: Profile, jitterMs: number, change: number): HuntFault[] {
  const { start, seconds } = profile
  const options = { ms: 100, jitterMs: Math.round(Math.min(jitterMs, seconds * 50)) }
  return [
    { fault: 'market/drift', options: { change, per: toDuration(seconds) } },
    { fault: 'reply/latency', from: toDuration(start + seconds * 0.05), options },
    ...AGE_LIMITS.map((limit, i) => justYoung(profile, limit, 0.5 + 0.15 * i, 0.1)),
  ]
}

/**
 * Prices that are just young enough when they are asked for, by each of some usual limits, and too old once a slow reply, or a slow one
 * of another endpoint that is asked because they jump, has arrived.
 */
function agedOnTheWay(profile: Profile): HuntFault[] {
  const main = profile.endpoints[0]!.endpoint
  const others = Object.keys(REPLY_SCHEMAS).filter(name => name !== main)
  const slow = { fault: 'reply/latency', options: { ms: Math.round(Math.min(3000, profile.seconds * 50)) } }
  return AGE_LIMITS.flatMap((limit, i) => {
    const at = 0.1 + 0.3 * i
    return [
      justYoung(profile, limit, at, 0.3),
      { fault: 'market/shock', from: timeAt(profile, at + 0.06), options: { change: 0.12 } },
      { fault: 'market/shock', from: timeAt(profile, at + 0.225), options: { change: -0.12 } },
      { ...slow, ...windowOf(profile, at + 0.15, 0.15), endpoints: [main] },
      { ...slow, ...windowOf(profile, at, 0.15), endpoints: others },
    ]
  })
}

/** Two outages of all feeds, which come back one after the other: the first one first, and then the last one. */
function recoveryInTurn(profile: Profile): HuntFault[] {
  const feeds = profile.feeds.slice(0, 12)
  return [0.1, 0.55].flatMap((part, n) =>
    feeds.map((feed, i) => {
      const place = (n === 0 ? i : feeds.length - 1 - i) / (feeds.length - 1)
      return { fault: 'market/stale', feeds: [feed], ...windowOf(profile, part, 0.15 + 0.15 * place) }
    }),
  )
}

/** A market that falls twice for long, with calm after each: what it leaves behind meets the second fall. */
const twoFalls = (profile: Profile): HuntFault[] =>
  [0.05, 0.55].map(part => ({
    fault: 'market/shock',
    ...movingOf(profile),
    ...windowOf(profile, part, 0.3),
    options: { change: -0.3 },
  }))

/** A service that is away when the consumer starts, for a third of the run: what it takes for granted from the start is missing. */
const lateStart = (profile: Profile): HuntFault[] => [{ fault: 'reply/status', for: timeAt(profile, 1 / 3) }]

/**
 * A key that is refused twice, with much calm after each: a lockout that never ends shows only in a calm that is longer than it should
 * be, and what a refusal leaves behind at the next one. First by the status that fewer expect, also to the request that follows at once.
 */
const refusedTwice = (profile: Profile): HuntFault[] =>
  [403, 401].map((status, i) => ({
    fault: 'reply/status',
    from: timeAt(profile, 0.05 + 0.45 * i),
    requests: { first: 2 - i },
    options: { status },
  }))

/**
 * Prices that move, but are old from the first one on, and become younger, so that none is older than the one before; not equally old
 * for all feeds, as those of publishers with other heartbeats. Then statuses that are neither good nor an error, each with what a cache
 * would send, for so long that a price is too old.
 */
function oldPrices(profile: Profile): HuntFault[] {
  const { start, seconds, feeds } = profile
  const ages = [45, 28, 14]
  const part = Math.round(seconds / 10)
  const groups = feeds.length < 2 ? [feeds] : [0, 1].map(n => feeds.filter((_, i) => i % 2 === n))
  const skews = groups.flatMap((feeds, n) =>
    ages.slice(n).map((age, i) => ({
      fault: 'tick/ts-skew',
      feeds,
      ...(i > 0 && { from: toDuration(start + i * part) }),
      for: toDuration(i > 0 ? part : start + part),
      options: { seconds: -age },
    })),
  )
  const statuses = [{ status: 304 }, { status: 206, keepBody: true }].map((options, i) => ({
    fault: 'reply/status',
    ...windowOf(profile, 0.34 + 0.33 * i, 0.32),
    options,
  }))
  return [...skews, ...statuses]
}

/** Charts with holes for nearly half of a run, and then whole again: what was given up meanwhile, or never filled, shows in the calm. */
const holesInCharts = (profile: Profile): HuntFault[] => [{ fault: 'series/missing', ...windowOf(profile, 0.1, 0.45) }]

/** Part of a price that three requests see it above and three below, and how far it gets on in the time of one. */
const [SWING, ADVANCE] = [0.004, 0.0011]

/** A price that goes up and then down so slowly, and with so many steps back, that it crosses each limit several times. */
function hoveringPrice({ start, seconds, endpoints }: Profile): HuntFault[] {
  const [from, until] = [start + seconds * 0.1, start + seconds * 0.55]
  const poll = Math.ceil(Math.min(...endpoints.map(({ interval }) => interval), seconds / 20))
  const change = Math.min(0.3, Math.max(0.04, ((until - from) / poll) * ADVANCE))
  const drift = (begin: number, end: number, by: number): HuntFault => {
    const length = toDuration(end - begin)
    return { fault: 'market/drift', from: toDuration(begin), for: length, options: { change: by, per: length } }
  }
  const hold = toDuration(3 * poll)
  const back = { for: hold, repeat: toDuration(6 * poll), options: { factor: 1 - SWING, hold } }
  return [
    drift(from, until, change),
    drift(until, start + seconds, -2 * change),
    { fault: 'market/bad-tick', from: toDuration(from), ...back },
  ]
}

/** A time at which programs have failed, with faults that belong to it. */
interface ClockTrial {
  readonly at: string
  readonly faults: readonly HuntFault[]
}

/** The trials with a clock of their own: most start some time before the moment that matters. None in a run of a second. */
export function clocksOf({ start, seconds, known }: Profile): readonly ClockTrial[] {
  if (seconds < 2) return []
  const withHours = known.filter(({ class: kind }) => kind === 'fx' || kind === 'metal')
  const closed = { fault: 'market/closed', ...(withHours.length > 0 && { feeds: withHours.map(({ id }) => id) }) }
  const lead = Math.max(1, Math.round(start + Math.min(60, seconds * 0.2)))
  const around = Math.min(10, Math.max(1, seconds * 0.05))
  const shortBefore = (moment: string, ...faults: HuntFault[]): ClockTrial => ({
    at: toInstant(Date.parse(moment) - lead * 1000),
    faults,
  })
  const from = lead - around < 1 ? {} : { from: toDuration(lead - around) }
  return [
    // A Sunday: currencies and metals open.
    shortBefore('2025-07-27T21:00:00Z', closed),
    shortBefore('2027-01-01T00:00:00Z', { fault: 'reply/status', ...from, for: toDuration(5 * around) }),
    // A Friday, on which they have been closed for a while.
    { at: '2025-07-25T22:30:00Z', faults: [closed] },
    shortBefore('2038-01-19T03:14:08Z', { fault: 'market/shock', options: { change: -0.1 } }),
    shortBefore(
      '2028-02-29T00:00:00Z',
      { fault: 'market/drift', options: { change: 0.1, per: '10m' } },
      { fault: 'reply/latency', ...from, for: toDuration(2 * around), options: { ms: 400 * Math.round(around) } },
    ),
  ]
}

/** The courses that are trials of their own, for runs that are long enough. */
export function coursesOf(profile: Profile): readonly HuntFault[][] {
  const { seconds } = profile
  if (seconds < 20) return []
  return [
    badReadings(profile),
    unevenReplies(profile, 8_000, 0.5),
    otherLevels(profile),
    refusedTwice(profile),
    oldPrices(profile),
    twoFalls(profile),
    unseenMove(profile, [12, 16, -2, 8, 25], 0.5),
    hoveringPrice(profile),
    ...(profile.endpoints.some(({ endpoint }) => endpoint === 'candles') ? [holesInCharts(profile)] : []),
    unevenReplies(profile, 12_000, -0.35),
    unseenMove(profile, [61], -0.35),
    agedOnTheWay(profile),
    ...(profile.feeds.length > 1 ? [recoveryInTurn(profile)] : []),
    lateStart(profile),
  ]
}

/** Faults whose options hold for the price of their feed. */
export const PRICED = /^market\/(path|price)$/

/**
 * A scenario for a consumer of other feeds: each feed that it does not ask for is replaced by one that it asks for and the scenario
 * does not name. One with prices of its own stays with its feeds. Faults that have no feed then are left out.
 */
export function toFeedsOf(scenario: HuntScenario, { feeds, known }: Profile): HuntScenario {
  const named = [...new Set(scenario.faults.flatMap(fault => fault.feeds ?? []).map(toFeedKey))]
  const others = feeds.filter(feed => !named.includes(feed))
  const unasked = named.filter(feed => !feeds.includes(feed))
  const toOwn = (id: string): string[] => {
    const at = unasked.indexOf(toFeedKey(id))
    return at < 0 ? [id] : others.slice(at, at + 1)
  }
  const isMet = (id: string): boolean =>
    known.some(({ id: own, parent = own }) => [own, parent].some(one => toFeedKey(one) === toFeedKey(id)))
  const faults = scenario.faults.flatMap((fault): HuntFault[] => {
    if (fault.feeds === undefined) return [fault]
    const own = PRICED.test(fault.fault) ? fault.feeds.filter(isMet) : fault.feeds.flatMap(toOwn)
    return own.length === 0 ? [] : [{ ...fault, feeds: own }]
  })
  return { ...scenario, faults }
}

const TIMES = ['from', 'for', 'repeat'] as const

/**
 * A scenario as one or more that fit into a run. Windows become shorter, but not shorter than two requests; where that is not enough,
 * each of the scenarios gets some of the faults.
 */
export function adaptScenario(scenario: HuntScenario, { start, seconds, endpoints }: Profile): HuntScenario[] {
  const { loop, faults } = scenario
  // A run without time has no windows.
  if (seconds < 2)
    return faults.map(({ from, for: _, repeat, ...fault }) => ({ ...withoutLoop(scenario), faults: [fault] }))
  const whole = loop === undefined ? Math.max(0, ...faults.map(endOf)) : secondsOf(loop)
  if (whole <= start + seconds) return [scenario]
  const windows = faults.flatMap(one => (one.for === undefined ? [] : secondsOf(one.for)))
  const factor = seconds / whole
  const least = Math.max(1, 2 * Math.min(...endpoints.map(({ interval }) => interval), seconds / 2))
  const shortest = Math.min(...windows) * factor
  // Faults in the order of their windows, as many in a run as have room.
  const parts = shortest >= least ? 1 : Math.min(faults.length, Math.ceil(least / shortest))
  return Array.from({ length: parts }, (_, part) => {
    const size = Math.ceil(faults.length / parts)
    const own = faults.slice(part * size, (part + 1) * size)
    const first = Math.min(...own.map(({ from }) => secondsOf(from)))
    // Faults that begin together and have no end of their own have no length.
    const length = parts === 1 ? whole : Math.max(1, ...own.map(fault => endOf(fault) - first))
    const scale = (text: string, less = 0): string => toDuration((secondsOf(text) - less) * (seconds / length))
    const fitted = own.map(fault => {
      const times = Object.fromEntries(
        TIMES.flatMap(key => (fault[key] === undefined ? [] : [[key, scale(fault[key], key === 'from' ? first : 0)]])),
      )
      // The pauses that replies ask for become shorter as well, or the consumer would miss what comes next.
      const { retryAfter } = fault.options ?? {}
      const pause = (text: string): number => Math.min(secondsOf(text), Math.max(secondsOf(scale(text)), seconds / 8))
      const options = typeof retryAfter === 'string' && {
        options: { ...fault.options, retryAfter: toDuration(pause(retryAfter)) },
      }
      return { ...fault, ...times, ...options }
    })
    return { ...withoutLoop(scenario), faults: fitted }
  }).filter(({ faults }) => faults.length > 0)
}

/** A scenario that is not begun again. */
export const withoutLoop = ({ loop, ...scenario }: HuntScenario): HuntScenario => scenario

/**
 * Parts of scenarios, without those that the consumer cannot meet: a user's own, and built-in ones in the order in which they add the
 * most kinds of faults.
 */
export function builtInTrials(
  scenarios: Readonly<Record<string, HuntScenario>>,
  faults: readonly Fault[],
  profile: Profile,
): Trial[] {
  const canMeet = new Set<string>(probesOf(faults, profile, []).map(({ fault }) => fault.name))
  // A fault that stays is another one than the same in a window.
  const idOf = ({ fault, options, for: length, chance, requests }: HuntFault): string =>
    `${fault} ${JSON.stringify(options)} ${(length ?? chance ?? requests) === undefined}`
  const left = Object.entries(scenarios).flatMap(([label, scenario]) => {
    const faults = toFeedsOf(scenario, profile).faults.filter(({ fault }) => canMeet.has(fault))
    const parts = faults.length === 0 ? [] : adaptScenario({ ...scenario, faults }, profile)
    const isOwn = scenario !== (BUILT_IN as Readonly<Record<string, unknown>>)[label]
    return parts.map(part => ({ trial: { label, scenario: part }, isOwn, unseen: new Set(part.faults.map(idOf)) }))
  })
  const order: Trial[] = []
  while (left.length > 0) {
    const best = left.find(({ isOwn }) => isOwn) ?? left.reduce((a, b) => (b.unseen.size > a.unseen.size ? b : a))
    left.splice(left.indexOf(best), 1)
    for (const id of best.unseen) for (const other of left) other.unseen.delete(id)
    order.push(best.trial)
  }
  return order
}
