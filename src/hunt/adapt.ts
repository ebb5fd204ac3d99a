// Built-in scenarios, fitted to the length of a run: what lasts longer than the consumer would never be met as a whole.
import type { Fault } from '../faults/fault.js'
import { toFeedKey } from '../market/feeds.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { probesOf } from './probes.js'
import type { Profile } from './profile.js'
import type { HuntFault, HuntScenario, Trial } from './types.js'
import { endOf, secondsOf, toDuration } from './values.js'

/** Faults whose options hold for the price of their feed. */
const PRICED = /^market\/(path|price)$/

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
