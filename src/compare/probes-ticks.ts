// The probe of heartbeats and ages: it polls prices, and sees the moments in which ticks are published.
import { type Answer, at, type ByFeed, changesOf, listAt, type Probe, type Seen, to } from './probe.js'

/** Polls, a second apart: enough to see the moment in which a tick of a feed is published. */
const POLLS = 35
/** A heartbeat above it cannot be told within the time of all polls. */
export const MAX_HEARTBEAT = 32

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
const isPowerOfTwo = (value: number): boolean => value > 0 && (value & (value - 1)) === 0

/** Heartbeats and ages by feed. */
type Beats = ByFeed<{ readonly heartbeat: Seen; readonly age: Seen }>

/** The row of heartbeats and ages. It comes last, because it takes most of the time. */
export const TICK_PROBE: Probe = {
  name: 'heartbeat and age',
  page: 'docs/feeds.md',
  option: 'feeds',
  *ask({ feeds }) {
    const ticks = new Map<string, { readonly ts: number[]; age: number }>()
    let [first, last] = [Number.NaN, 0]
    let isBatch = true
    for (let poll = 0; poll < POLLS; poll++) {
      if (poll > 0) yield { pause: 1 }
      const answers: Answer[] = isBatch ? [yield to.batch(feeds, { again: true })] : []
      isBatch = answers[0]?.status === 200
      // A service may have too low a limit of ids.
      if (!isBatch) for (const id of feeds) answers.push(yield to.latest(id, { again: true }))
      const now = answers[0]!.now
      if (Number.isNaN(first)) first = now
      last = now
      const prices = isBatch ? listAt(answers[0]!.body, 'prices') : answers.slice(-feeds.length).map(({ body }) => body)
      prices.forEach((price, i) => {
        const ts = at(price, 'ts')
        if (typeof ts !== 'number' || !Number.isInteger(ts)) return
        const tick = ticks.get(feeds[i]!) ?? { ts: [], age: Number.POSITIVE_INFINITY }
        if (tick.ts.at(-1) !== ts) tick.ts.push(ts)
        ticks.set(feeds[i]!, { ...tick, age: Math.min(tick.age, now - ts) })
      })
    }
    if (last - first < MAX_HEARTBEAT - 2) return 'its clock stands still, or runs at another speed'
    return Object.fromEntries(
      [...ticks].map(([id, { ts, age }]) => {
        const every = ts.slice(1).reduce((sum, time, i) => divisor(sum, time - ts[i]!), 0)
        const isFast = every > 0 && every <= MAX_HEARTBEAT
        return [id, { heartbeat: isFast ? every : `above ${MAX_HEARTBEAT}`, age: isFast ? age : 'not told' }]
      }),
    )
  },
  same: haveSameAges,
  toPatch(theirs: string | Beats, _, ours: string | Beats) {
    if (typeof theirs === 'string') return undefined
    return changesOf(theirs, ours, ({ heartbeat, age }) => {
      if (typeof heartbeat !== 'number') return { heartbeat: 2 * MAX_HEARTBEAT }
      return isPowerOfTwo(heartbeat) ? { heartbeat, lag: Math.min(60, Math.max(0, Number(age))) } : undefined
    })
  },
}

/** Ages depend on the moments of the polls, which are farther apart for slow feeds. */
function haveSameAges(theirs: Seen, ours: Seen): boolean {
  if (typeof theirs !== 'object' || typeof ours !== 'object') return theirs === ours
  return Object.entries(theirs as Beats).every(([id, { heartbeat, age }]) => {
    const other = (ours as Beats)[id]
    const tolerance = Math.max(1, Number(heartbeat) / 4)
    return (
      other?.heartbeat === heartbeat && (other.age === age || Math.abs(Number(other.age) - Number(age)) <= tolerance)
    )
  })
}
