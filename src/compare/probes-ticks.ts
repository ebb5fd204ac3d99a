// The probe of heartbeats and lags: it polls prices, and sees the moments in which ticks are published.
import { greatestCommonDivisor } from '../market/windows.js'
import { type Answer, type Asking, at, type ByFeed, changesOf, listAt, type Probe, type Seen, to } from './probe.js'

/** Polls, a second apart: enough to see the moment in which a tick of a feed is published. */
const POLLS = 35
/** A heartbeat above it cannot be told within the time of all polls, but from the times in histories. */
export const MAX_HEARTBEAT = 32
/** Minutes of histories. For every heartbeat up to 4096 s, one of them has exactly two ticks. */
const WINDOWS = Array.from({ length: 8 }, (_, i) => [2 << i, 3 << i]).flat()
const MAX_LAG = 60

const isPowerOfTwo = (value: number): boolean => value > 0 && (value & (value - 1)) === 0

/** Heartbeats and lags by feed; several lags fit where no poll was at the moment of publication. */
interface Beat {
  readonly heartbeat: number | string
  readonly lag: number | readonly [from: number, to: number] | string
}
type Beats = ByFeed<Beat & { readonly [key: string]: Seen }>

/** The times of the ticks of a feed, and the ages at which the newest one was seen. */
interface Watched {
  readonly times: Set<number>
  readonly ages: number[]
}

function toBeat({ times, ages }: Watched): Beat {
  const [first = 0, ...rest] = times
  const heartbeat = Math.abs(rest.reduce((sum, time) => greatestCommonDivisor(sum, time - first), 0))
  if (heartbeat === 0) return { heartbeat: `above ${MAX_HEARTBEAT}`, lag: 'not told' }
  // The newest tick is at least as old as the lag, and the next one is not there yet.
  const bounds = [Math.max(...ages) - heartbeat + 1, Math.min(...ages)].map(age => Math.min(MAX_LAG, Math.max(0, age)))
  const [from, to] = bounds.sort((a, b) => a - b) as [number, number]
  return { heartbeat, lag: from === to ? from : [from, to] }
}

/** Adds the times of the highest and lowest ticks of ever longer windows, until one is refused. Returns the number of windows. */
function* readHistories(ids: readonly string[], watched: ReadonlyMap<string, Watched>): Asking<number> {
  for (const [i, minutes] of WINDOWS.entries()) {
    const { status, body } = yield to.history(ids, minutes)
    if (status !== 200) return i
    for (const id of ids)
      for (const end of ['high', 'low']) {
        const ts = at(body, id, end, 'ts')
        if (Number.isInteger(ts)) watched.get(id)!.times.add(ts as number)
      }
  }
  return WINDOWS.length
}

/** The row of heartbeats and lags. It comes last, because it takes most of the time. */
export const TICK_PROBE: Probe = {
  name: 'heartbeat and lag',
  page: 'docs/feeds.md',
  option: 'feeds',
  *ask({ feeds }) {
    const watched = new Map<string, Watched>()
    const polled: number[] = []
    let isBatch = true
    for (let poll = 0; poll < POLLS; poll++) {
      if (poll > 0) yield { pause: 1 }
      const answers: Answer[] = isBatch ? [yield to.batch(feeds, { again: true })] : []
      isBatch = answers[0]?.status === 200
      // A service may have too low a limit of ids, here and below.
      if (!isBatch) for (const id of feeds) answers.push(yield to.latest(id, { again: true }))
      const { now } = answers[0]!
      polled.push(now)
      const prices = isBatch ? listAt(answers[0]!.body, 'prices') : answers.slice(-feeds.length).map(({ body }) => body)
      prices.forEach((price, i) => {
        const ts = at(price, 'ts')
        if (typeof ts !== 'number' || !Number.isInteger(ts)) return
        const { times, ages } = watched.get(feeds[i]!) ?? { times: new Set(), ages: [] }
        watched.set(feeds[i]!, { times: times.add(ts), ages: [...ages, now - ts] })
      })
    }
    if (polled.at(-1)! - polled[0]! < MAX_HEARTBEAT - 2) return 'its clock stands still, or runs at another speed'
    // Two ticks are one heartbeat apart, or several that were missed.
    const slow = feeds.filter(id => (watched.get(id)?.times.size ?? 3) <= 2)
    if (slow.length > 0 && (yield* readHistories(slow, watched)) === 0)
      for (const id of slow) yield* readHistories([id], watched)
    return Object.fromEntries([...watched].map(([id, seen]) => [id, toBeat(seen) as Beats[string]]))
  },
  same(theirs: string | Beats, ours: string | Beats) {
    if (typeof theirs !== 'object' || typeof ours !== 'object') return theirs === ours
    return Object.entries(theirs).every(([id, beat]) => isSameBeat(beat, ours[id]))
  },
  toPatch(theirs: string | Beats, _, ours: string | Beats) {
    if (typeof theirs === 'string') return undefined
    return changesOf(theirs, ours, (beat, id) => {
      const { heartbeat } = beat
      const own = at(ours, id) as Beat | undefined
      if (isSameBeat(beat, own)) return undefined
      if (typeof heartbeat !== 'number') return { heartbeat: 2 * MAX_HEARTBEAT }
      const [from = 0, to = from] = lagsOf(beat)
      const [ownLag = from] = own === undefined ? [] : lagsOf(own)
      // Of the lags that fit, the one that is closest to ours.
      return isPowerOfTwo(heartbeat) ? { heartbeat, lag: Math.min(to, Math.max(from, ownLag)) } : undefined
    })
  },
}

const lagsOf = ({ lag }: Beat): readonly number[] => (typeof lag === 'string' ? [] : [lag].flat())

/** Whether one lag fits both. */
function isSameBeat(one: Beat, other: Beat | undefined): boolean {
  if (one.heartbeat !== other?.heartbeat) return false
  const [ours, theirs] = [lagsOf(one), lagsOf(other)]
  return ours.length === 0 || theirs.length === 0 || (ours[0]! <= theirs.at(-1)! && theirs[0]! <= ours.at(-1)!)
}
