// GET /_mock/sessions/{id}/inspect: what a session runs, with the windows of its faults.
import * as z from 'zod/mini'
import { getOrCreate } from '../caches.js'
import { overriddenPath, overridesInForce } from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { EVER, outside, type Window } from '../market/windows.js'
import type { ActiveFault, ActiveScenario } from '../scenario/scenario.js'
import { type FaultCount, NO_COUNT } from '../service/apply-faults.js'
import { keptFrom } from '../service/changes.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/sessions.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute, invalidQuery, second, secondOf, seconds } from './admin-route.js'
import { segmentsOf } from './past-runtime.js'
import { toFrozenCommand } from './reproduce-command.js'

/** Maximum number of windows of one fault in a reply. */
const MAX_WINDOWS = 200
/** Maximum number of windows of one fault that are looked through. */
const MAX_SEEN = 5000
/** Maximum number of them of all faults, as long as each has `MAX_WINDOWS`. */
const MAX_ALL = 20_000
/** Maximum number of faults of earlier scenarios in a reply. */
const MAX_EARLIER = 20
/** Seconds before and after the present that are shown by default. */
const HOUR = 3600

const windowsSchema = () =>
  documented(
    z.array(z.object({ from: z.int(), until: z.nullable(z.int()) })),
    `As they were: each time with the scenario that ran then. The first ${MAX_WINDOWS} in the range, of at most ${MAX_SEEN} that are joined: \`until\` is not included, and null without an end.`,
  )

/** GET /_mock/sessions/{id}/inspect */
export const inspectSession = defineAdminRoute({
  name: 'inspectSession',
  summary: 'Show the scenario that a session runs and the windows of its faults',
  path: '/_mock/sessions/{id}/inspect',
  query: z.strictObject({
    from: documented(second(), 'Only windows that end after this second. Default: an hour ago.'),
    to: documented(second(), 'Only windows that start by this second. Default: in an hour.'),
    bin: documented(
      seconds(),
      'Windows that are less than so many seconds apart are shown as one. Default: 1, so that windows which adjoin are one.',
    ),
  }),
  reply: z.object({
    now: z.int(),
    reproduce: z.string(),
    signing: z.record(z.string(), z.unknown()),
    scenario: z.object({
      name: z.string(),
      title: z.string(),
      why: z.string(),
      appliedAt: z.int(),
      endedAt: documented(z.optional(z.int()), 'The second at which it was ended, if it was.'),
      source: z.record(z.string(), z.unknown()),
    }),
    overrides: documented(
      z.array(
        z.object({
          feed: z.string(),
          since: documented(z.int(), 'The second from which on the price is set.'),
          price: documented(
            z.number(),
            'The price at that second, in quote units and without faults: it moves on from there.',
          ),
          alone: documented(z.boolean(), 'Whether derived feeds stay where they are.'),
        }),
      ),
      'Feeds whose price was set.',
    ),
    faults: z.array(
      z.object({
        fault: z.string(),
        planned: z.string(),
        feeds: documented(z.nullable(z.array(z.string())), 'null for all feeds.'),
        endpoints: documented(z.nullable(z.array(z.string())), 'null for all endpoints.'),
        active: z.boolean(),
        windows: windowsSchema(),
        hits: documented(z.int(), 'Since this version of the scenario was applied.'),
        hitsBefore: documented(
          z.int(),
          'Of the same fault in earlier versions, which had another time or other options.',
        ),
        misses: z.int(),
        lastMiss: z.optional(z.string()),
      }),
    ),
    earlier: documented(
      z.array(z.object({ fault: z.string(), planned: z.string(), windows: windowsSchema(), hits: z.int() })),
      `Faults that the scenario no longer has, with a window in the range: at most ${MAX_EARLIER}, newest first.`,
    ),
  }),
  async answer(context, { path, query }) {
    const session = await context.sessions.get(path.id)
    const { settings, scenario } = session.runtime
    const now = secondOf(session, context.receivedAt)
    // One end that is far from now is no contradiction to the default of the other one.
    const to = query.to ?? Math.max(now + HOUR, query.from ?? 0)
    const from = query.from ?? Math.max(0, Math.min(now - HOUR, to))
    if (to < from) throw invalidQuery({ at: 'to', got: to, want: 'a second that is not before `from`' })
    const bin = Number(query.bin ?? 1)
    const { appliedAt, endedAt } = scenario
    const { present, earlier } = faultLanes(session, now, { from, to, bin })
    const { name, title, why, source } = scenario.definition
    return {
      now,
      reproduce: toFrozenCommand(session, context),
      signing: { ...settings.signing },
      scenario: { name, title, why, appliedAt, endedAt, source: { ...source } },
      overrides: listOverrides(session.runtime),
      faults: present.map(lane => showFault(lane, now)),
      earlier: earlier.map(({ active: { fault, planned }, windows, count, hitsBefore }) => ({
        fault: fault.name,
        planned,
        windows: toPlain(windows),
        hits: count.hits + hitsBefore,
      })),
    }
  },
})

/** The feeds whose price was set and not released, each with its price at that second. */
function listOverrides({ market, overrides }: Runtime) {
  return Object.entries(overrides).flatMap(([id, list]) => {
    const feed = market.feed(id)
    const last = list.at(-1)
    if (feed === undefined || last === undefined || last.factor === 1) return []
    const inForce = overridesInForce(market.feeds, overrides, feed)
    const path = overriddenPath(market.path(feed), inForce, feed)
    const price = path.at(path.lastTick(last.from)!) / POWERS_OF_TEN[-feed.expo]!
    return [{ feed: id, since: last.from, price, alone: last.alone ?? false }]
  })
}

function showFault({ active, windows, count, hitsBefore }: FaultLane, now: number) {
  const { fault, planned, feeds, endpoints } = active
  const { hits, misses, lastMiss } = count
  return {
    fault: fault.name,
    planned,
    feeds: feeds === undefined ? null : [...feeds],
    endpoints: endpoints === undefined ? null : [...endpoints],
    active: active.windows.at(now) !== undefined,
    windows: toPlain(windows),
    hits,
    hitsBefore,
    misses,
    lastMiss,
  }
}

const toPlain = (windows: FaultLane['windows']) =>
  windows.map(({ from, until }) => ({ from, until: Number.isFinite(until) ? until : null }))

type FaultLane = ReturnType<typeof faultLanes>['present'][number]

/** A version of the scenario, and the seconds in which it ran. */
interface Version {
  readonly spans: readonly Window[]
  readonly scenario: ActiveScenario
  readonly counts: readonly FaultCount[]
}

/** The part of a time of which windows are wanted; those that are less than `bin` seconds apart are one. */
type Range = Readonly<Record<'from' | 'to' | 'bin', number>>

/** The faults of the present scenario in its order, and those of earlier ones that have a window in the range. */
function faultLanes(session: Session, now: number, range: Range) {
  const versions = versionsOf(session, now)
  const count = versions.reduce((sum, { scenario }) => sum + scenario.faults.length, 0)
  const most = Math.min(MAX_SEEN, Math.max(MAX_WINDOWS, Math.floor(MAX_ALL / Math.max(1, count))))
  const lanes = versions.flatMap(({ scenario, counts }, age) => {
    const next = versions[age - 1]?.scenario
    // The counts of these faults went on in the next version.
    const kept = next?.appliedAt === scenario.appliedAt ? keptFrom(scenario.definition, next.definition) : []
    return scenario.faults.map(active => {
      const count = counts[active.index] ?? NO_COUNT
      return {
        age,
        active,
        /** Counted in this version of the scenario. */
        count,
        hits: kept.includes(active.index) ? 0 : count.hits,
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
      .filter(hasLength)
      .sort((a, b) => a.from - b.from)
    const spans = outside(seen, [{ from: scenario.appliedAt, until: end ?? EVER }].filter(hasLength))
    versions.unshift({ spans, scenario, counts })
  }
  return versions
}

const hasLength = ({ from, until }: Window): boolean => from < until

/** The windows of a fault in a range, as far as its version ran. */
function windowsOf({ windows }: ActiveFault, { spans }: Version, { from, to }: Range, most: number): readonly Window[] {
  const found: Window[] = []
  for (const span of spans) {
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
