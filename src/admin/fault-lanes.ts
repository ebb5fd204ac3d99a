// The windows of the faults of a session as they were: each stretch of time with the scenario that ran then.
import { getOrCreate } from '../caches.js'
import type { ActiveFault, ActiveScenario } from '../scenario/scenario.js'
import { keptFrom } from '../service/changes.js'
import type { Session } from '../service/session.js'
import { type FaultCount, NO_COUNT } from '../service/state.js'
import { segmentsOf } from './past-runtime.js'

/** Maximum number of windows of one fault in a reply. */
export const MAX_WINDOWS = 200
/** Maximum number of windows of one fault that are looked through. */
export const MAX_SEEN = 5000
/** Maximum number of them of all faults, as long as each has `MAX_WINDOWS`. */
const MAX_ALL = 20_000
/** Maximum number of faults of earlier scenarios in a reply. */
export const MAX_EARLIER = 20

/** A fault of the present scenario, or of an earlier one. */
export type FaultLane = ReturnType<typeof faultLanes>['present'][number]

/** `until` is not included, and infinite without an end. */
interface Window {
  readonly from: number
  readonly until: number
}

/** A version of the scenario, and the seconds in which it ran. */
interface Version {
  readonly spans: readonly Window[]
  readonly scenario: ActiveScenario
  readonly counts: readonly FaultCount[]
}

/** The part of a time of which windows are wanted; those that are less than `bin` seconds apart are one. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly bin: number
}

/** The faults of the present scenario in its order, and those of earlier ones that have a window in the range. */
export function faultLanes(session: Session, now: number, range: Range) {
  const versions = versionsOf(session, now)
  const count = versions.reduce((sum, { scenario }) => sum + scenario.faults.length, 0)
  const most = Math.min(MAX_SEEN, Math.max(MAX_WINDOWS, Math.floor(MAX_ALL / Math.max(1, count))))
  const lanes = versions.flatMap(({ scenario, counts }, age) => {
    const isCarried = age === 0 ? () => false : carriedBy(scenario, versions[age - 1]!.scenario)
    return scenario.faults.map(active => {
      const count = counts[active.index] ?? NO_COUNT
      return {
        age,
        active,
        /** Counted in this version of the scenario. */
        count,
        hits: isCarried(active.index) ? 0 : count.hits,
        windows: windowsOf(active, versions[age]!, range, most),
      }
    })
  })
  // Alike are those of which only the time or the options were changed, in the order of their scenario.
  const alike = new Map<string, (typeof lanes)[number][]>()
  const places = new Map<string, number>()
  for (const lane of lanes) {
    const { fault, feeds, endpoints } = lane.active
    const name = JSON.stringify([fault.name, [...(feeds ?? [])], [...(endpoints ?? [])]])
    const place = places.get(`${lane.age} ${name}`) ?? 0
    places.set(`${lane.age} ${name}`, place + 1)
    getOrCreate(alike, `${place} ${name}`, () => []).push(lane)
  }
  const shown = [...alike.values()].map(([newest, ...older]) => ({
    ...newest!,
    /** Hits of the same fault in earlier versions. */
    hitsBefore: older.reduce((sum, { hits }) => sum + hits, 0),
    windows: joined([newest!, ...older].flatMap(({ windows }) => windows).slice(0, MAX_SEEN), range.bin),
  }))
  return {
    present: shown.filter(({ age }) => age === 0),
    earlier: shown.filter(({ age, windows }) => age > 0 && windows.length > 0).slice(0, MAX_EARLIER),
  }
}

/** The present version, then the earlier ones, newest first, as far as the session remembers them. */
function versionsOf(session: Session, now: number): readonly Version[] {
  const versions: Version[] = []
  for (const { end, runtime, counts } of segmentsOf(session)) {
    if (runtime === undefined) continue
    const { scenario } = runtime
    // A clock may go back: time that was seen twice is shown as it was first, for the present version until now.
    const seen = versions
      .flatMap(version => version.spans)
      .map(span => ({ ...span, until: Math.min(span.until, end ?? now) }))
    const spans = without({ from: scenario.appliedAt, until: end ?? Number.POSITIVE_INFINITY }, seen)
    versions.unshift({ spans, scenario, counts })
  }
  return versions
}

const hasLength = ({ from, until }: Window): boolean => from < until

/** The parts of a time that others leave. */
const without = (whole: Window, others: readonly Window[]): readonly Window[] =>
  others.filter(hasLength).reduce<readonly Window[]>(
    (left, other) =>
      left
        .flatMap(({ from, until }) => [
          { from, until: Math.min(until, other.from) },
          { from: Math.max(from, other.until), until },
        ])
        .filter(hasLength),
    [whole].filter(hasLength),
  )

/** The windows of a fault in a range, as far as its version ran. */
function windowsOf({ windows }: ActiveFault, { spans }: Version, { from, to }: Range, most: number): readonly Window[] {
  const found: Window[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const [start, end] = [Math.max(from, span.from), Math.min(to, span.until)]
    if (start > end) continue
    for (const window of windows.between(start, end)) {
      if (found.length === most) break
      const cut = { from: Math.max(window.from, span.from), until: Math.min(window.until, span.until) }
      if (hasLength(cut)) found.push(cut)
    }
  }
  return found
}

function joined(windows: readonly Window[], bin: number): readonly Window[] {
  const all: { from: number; until: number }[] = []
  for (const { from, until } of windows.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last !== undefined && from - last.until < bin) last.until = Math.max(last.until, until)
    else if (all.length === MAX_WINDOWS) break
    else all.push({ from, until })
  }
  return all
}

/** Whether the counts of a fault went on in the next version. */
function carriedBy(before: ActiveScenario, after: ActiveScenario): (index: number) => boolean {
  const kept = before.appliedAt === after.appliedAt ? keptFrom(before.definition, after.definition) : []
  return index => kept.includes(index)
}
