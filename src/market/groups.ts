// The groups of feeds that share a trading time: which feeds have their wild hours together, how wild these are, and at which hours
// of the week they come.
import type { FeedClass } from '../settings/policy.js'
import { repeatedWindows, type Windows } from './windows.js'

/** All groups: coins with what is derived from them, currencies with metals, stablecoins. */
export const FEED_GROUPS = ['crypto', 'fx', 'stable'] as const
/** A group of feeds with one trading time. */
export type FeedGroup = (typeof FEED_GROUPS)[number]

/** The group of the feeds of a class. */
export const GROUP_OF_CLASS: Readonly<Record<FeedClass, FeedGroup>> = {
  crypto: 'crypto',
  meme: 'crypto',
  staked: 'crypto',
  wrapped: 'crypto',
  stable: 'stable',
  fx: 'fx',
  metal: 'fx',
}

/** How the activity of a group is spread over time. */
interface Activity {
  /** How unevenly a node of a level divides its variance: its left half gets ½ ± about this much. */
  unevenness(level: number): number
  /** The usual variance of each hour of the week, in any unit. Hour 0 is Thursday 00:00 UTC, as the epoch is. */
  readonly week: readonly number[]
  /** The times in which prices stand still and nothing is traded. The variance of these hours is that of the gap after them. */
  readonly closed?: Windows
}

const DAYS = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'] as const
type Day = (typeof DAYS)[number]
const weekOf = (weight: (day: Day, hour: number) => number): number[] =>
  DAYS.flatMap(day => Array.from({ length: 24 }, (_, hour) => weight(day, hour)))

/** Below this level halves are even: a second has no structure of its own. */
const LOWEST_UNEVEN_LEVEL = 4
const unevenness =
  (years: number, days: number, hours: number, minutes: number) =>
  (level: number): number =>
    level > 26 ? years : level > 16 ? days : level > 5 ? hours : level >= LOWEST_UNEVEN_LEVEL ? minutes : 0

/** Coins trade around the clock, most when Europe and America are both awake, and less at weekends. */
const CRYPTO_HOURS = [
  1.25, 1.1, 0.95, 0.85, 0.8, 0.75, 0.75, 0.85, 0.9, 0.9, 0.9, 0.95, 1.05, 1.35, 1.75, 1.7, 1.5, 1.35, 1.2, 1.1, 1,
  0.95, 0.85, 0.9,
]
const CRYPTO_DAYS: Record<Day, number> = { thu: 1.15, fri: 1.1, sat: 0.62, sun: 0.7, mon: 1.1, tue: 1.1, wed: 1.15 }

/** Currencies have the sessions of London and New York. They are closed from Friday to Sunday, 21:00 UTC. */
const FX_HOURS = [
  0.55, 0.5, 0.5, 0.45, 0.4, 0.5, 0.9, 1.6, 1.7, 1.4, 1.2, 1.2, 1.7, 2.1, 2.2, 1.9, 1.3, 0.9, 0.7, 0.6, 0.5, 0.35, 0.35,
  0.4,
]
/** The gap of a Monday is as large as a move of an hour and a half. */
const FX_WEEKEND = 0.03
const HOUR = 3600
const FX_CLOSED = repeatedWindows(0, [{ from: 45 * HOUR, until: 93 * HOUR }], 168 * HOUR)

const crypto: Activity = {
  unevenness: unevenness(0.08, 0.18, 0.2, 0.15),
  week: weekOf((day, hour) => CRYPTO_HOURS[hour]! * CRYPTO_DAYS[day]),
}

/** The activity of each group. */
export const ACTIVITY: Readonly<Record<FeedGroup, Activity>> = {
  crypto,
  fx: {
    unevenness: unevenness(0.06, 0.1, 0.19, 0.15),
    week: weekOf((_day, hour) => FX_HOURS[hour]!).map((weight, i) => (FX_CLOSED.at(i * HOUR) ? FX_WEEKEND : weight)),
    closed: FX_CLOSED,
  },
  stable: { ...crypto, unevenness: unevenness(0.08, 0.24, 0.2, 0.15) },
}
