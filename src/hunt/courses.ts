// Courses of the market for one run of a consumer: as the background of other faults, and of several events that belong together.
import type { Profile } from './profile.js'
import type { HuntFault } from './types.js'
import { toDuration } from './values.js'

/** A move under other faults: slowly, at once with a publisher that sticks to the new price, at once. Guards stop at fast ones. */
export function moveOf(n: number, { start, seconds }: Profile): HuntFault[] {
  const isFall = (n >> 1) % 2 === 0
  if (n % 2 === 0)
    return [{ fault: 'market/drift', options: { change: isFall ? -0.35 : 0.15, per: toDuration(seconds) } }]
  const change = isFall ? -0.35 : 0.5
  const shock = { fault: 'market/shock', from: toDuration(start + seconds * 0.3), options: { change } }
  const stuck = { fault: 'market/stale', from: toDuration(start + seconds * 0.3 + 1), for: toDuration(seconds * 0.1) }
  return n % 4 === 1 ? [shock, stuck] : [shock]
}

/**
 * Readings that are far off, each twice with calm between them: what a consumer keeps of the first one meets the second. The last one
 * comes just before the price stays at another level.
 * @param once the factor of a single reading
 * @param twice that of two readings in a row
 */
function badReadings({ start, seconds, endpoints }: Profile, once: number, twice: number, change: number): HuntFault[] {
  const poll = Math.min(...endpoints.map(({ interval }) => interval), seconds / 20)
  const off = (part: number, factor: number, polls: number): HuntFault => {
    const hold = toDuration(Math.ceil(poll * polls))
    return { fault: 'market/bad-tick', from: toDuration(start + seconds * part), for: hold, options: { factor, hold } }
  }
  /** One that is read again and again, since no tick follows it. */
  const stuck = off(0.16, once, 3)
  const after = toDuration(start + seconds * 0.62 + Math.ceil(poll))
  return [
    ...[off(0.06, once, 1), stuck, { ...stuck, fault: 'market/stale', options: {} }],
    ...[off(0.26, twice, 2), off(0.45, twice, 2), off(0.62, once, 1)],
    { fault: 'market/shock', from: after, options: { change } },
  ]
}

/** Prices that are late from the moment at which the market begins to move, so that no move is seen in time. */
function unseenMove({ start, seconds }: Profile, age: string, change: number): HuntFault[] {
  const from = toDuration(start + seconds * 0.1)
  return [
    { fault: 'market/drift', from, options: { change, per: toDuration(seconds) } },
    { fault: 'market/stale', from, options: { age } },
  ]
}

/** Replies to a moving market that are late, each by another time, so that some overtake others. */
function unevenReplies({ start, seconds }: Profile, jitterMs: number, change: number): HuntFault[] {
  const options = { ms: 100, jitterMs: Math.round(Math.min(jitterMs, seconds * 50)) }
  return [
    { fault: 'market/drift', options: { change, per: toDuration(seconds) } },
    { fault: 'reply/latency', from: toDuration(start + seconds * 0.05), options },
  ]
}

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

/** The courses that are trials of their own, for runs that are long enough. */
export function coursesOf(profile: Profile): readonly HuntFault[][] {
  const { seconds } = profile
  if (seconds < 20) return []
  const [short, long] = [Math.min(16, seconds / 2), Math.min(61, seconds / 2)].map(toDuration)
  return [
    badReadings(profile, 1.5, 0.6, -0.4),
    unevenReplies(profile, 8_000, 0.5),
    unseenMove(profile, short!, 0.5),
    hoveringPrice(profile),
    badReadings(profile, 0.6, 1.5, 0.5),
    unevenReplies(profile, 12_000, -0.35),
    unseenMove(profile, long!, -0.35),
  ]
}
