// GET /_mock/sessions/{id}/timeline: the requests of a session between the changes of its scenario and market, as text.
import * as z from 'zod/mini'
import { getOrCreate } from '../caches.js'
import { countOf, shorten, UNSAFE_CHARACTERS } from '../errors.js'
import { ownOverrides } from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import type { ActiveFault } from '../scenario/scenario.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/sessions.js'
import { unlessTooCostly } from '../service/work-limit.js'
import { documented } from '../settings/schema.js'
import { toInstant } from '../settings/time.js'
import { defineAdminRoute, secondOf } from './admin-route.js'
import { type Segment, segmentsOf } from './past-runtime.js'
import { type AskedRequest, formatMs, toAsked } from './report/check.js'

/** Maximum number of lines, besides those of dates: the first ones, and the newest. */
const MAX_LINES = 60
const FIRST_LINES = 20
/** Maximum number of characters of a part of a line, and of feeds whose prices it shows. */
const MAX_PART = 100
const MAX_FEEDS = 3
/** Maximum number of windows between two requests of one fault, and of all together. */
const MAX_WINDOWS = 20
const MAX_ALL_WINDOWS = 400
/** Shorter replies show no duration. */
const SLOW_MS = 1000

/** GET /_mock/sessions/{id}/timeline */
export const showTimeline = defineAdminRoute({
  name: 'showTimeline',
  summary: 'Show what the consumer of a session asked and got, second by second, between changes of market and faults',
  path: '/_mock/sessions/{id}/timeline',
  reply: z.object({
    text: documented(
      z.string(),
      `At most ${MAX_LINES} lines, a heading and dates, for people: the form may change. Prices are those after market faults.`,
    ),
  }),
  answer: async ({ sessions, receivedAt }, { path }) => ({
    text: toTimeline(await sessions.get(path.id, 'journal'), receivedAt),
  }),
})

/** A line before its prices are looked up, which only shown lines need. */
interface Line {
  /** Virtual seconds since the epoch. */
  readonly at: number
  /** Number of the request, or of several alike. */
  readonly n: string
  readonly what: string
  readonly reply: string
  market(): string
  readonly faults: string
}

/** The timeline of a session. Pure: it changes and counts nothing. */
export function toTimeline(session: Session, realMs: number): string {
  const { id, runtime, journal } = session
  const entries = journal.entries()
  const requests = toAsked(entries)
  const dropped = journal.summarize().reduce((sum, one) => sum + one.requests, 0) - entries.length
  const now = secondOf(session, realMs)
  const lines = listLines(requests, segmentsOf(session), now)
  const hidden = lines.length - MAX_LINES
  const shown =
    hidden > 0 ? [...lines.slice(0, FIRST_LINES), undefined, ...lines.slice(FIRST_LINES - MAX_LINES)] : lines
  const { seed } = runtime.settings
  const count = dropped > 0 ? `the newest ${requests.length}, ${dropped} earlier ones are gone` : requests.length
  const scenario = runtime.scenario.definition.name
  const heading = `Timeline of the session ${id}: seed ${seed}, scenario ${scenario}, requests: ${count}. Virtual times, UTC:`
  return [heading, ...layOut(shown, hidden)].join('\n')
}

function listLines(requests: readonly AskedRequest[], segments: readonly Segment[], now: number): Line[] {
  const lines: Line[] = []
  /** The second up to which windows of faults are listed. */
  let cursor = Number.NEGATIVE_INFINITY
  let before: Runtime | undefined
  /** The second of the latest change. */
  let since: number | undefined
  const moveTo = (second: number, runtime: Runtime | undefined, isShown = true): void => {
    if (second < cursor) lines.push(event(second, 'the clock goes back'))
    else if (runtime !== undefined && isShown) lines.push(...listEdges(runtime.scenario.faults, cursor, second))
    cursor = second
  }
  let at = 0
  const parts = segments.map(segment => {
    const own = requests.slice(at).filter(({ n }) => n <= segment.until)
    at += own.length
    return { ...segment, own, groups: toGroups(own) }
  })
  // Each group is a line: of those in between nothing is shown.
  const last = parts.reduce((sum, { groups }) => sum + groups.length, 0) - (MAX_LINES - FIRST_LINES)
  let listed = 0
  for (const { end, runtime, own, groups } of parts) {
    if (runtime === undefined) lines.push(event(own[0]?.now ?? now, 'earlier changes are no longer known'))
    else if (!isSameScenario(runtime, before)) {
      const { appliedAt, definition } = runtime.scenario
      // An edited scenario keeps its start: it is another one from the edit on, unless the clock has gone back with it.
      const isEdited = since !== undefined && since > appliedAt && (own[0]?.now ?? now) >= since
      const start = isEdited ? since! : appliedAt
      lines.push(event(start, `scenario ${definition.name}`))
      if (isEdited) lines.push(...toEdges(start, 'begins', switchedOn(runtime, before, start)))
      // Its windows are listed from there, also if the clock was moved meanwhile.
      cursor = start - 1
    }
    if (runtime !== undefined) {
      const { definition, endedAt } = runtime.scenario
      if (endedAt !== undefined && endedAt !== before?.scenario.endedAt) {
        moveTo(Math.max(endedAt, cursor), before)
        lines.push(event(cursor, `scenario ${definition.name} ended`))
      }
      for (const line of listOverrides(runtime, before, Math.max(since ?? cursor, cursor))) {
        moveTo(line.at, runtime)
        lines.push(line)
      }
    }
    for (const group of groups) {
      moveTo(group[0]!.now, runtime, listed < FIRST_LINES || listed >= last)
      lines.push(toLine(group, runtime))
      listed++
    }
    before = runtime
    since = end
  }
  moveTo(now, before)
  return lines
}

const event = (at: number, what: string): Line => ({ at, n: '', what, reply: '', market: () => '', faults: '' })

/** Whether two states have a scenario that started at the same time, ended or not. */
function isSameScenario({ setup }: Runtime, before: Runtime | undefined): boolean {
  const textOf = ({ endedAt: _, ...scenario }: Runtime['setup']['scenario']): string => JSON.stringify(scenario)
  return before !== undefined && textOf(setup.scenario) === textOf(before.setup.scenario)
}

/** The feeds whose price was set, or that were released, since the state before. */
function listOverrides({ overrides, market }: Runtime, before: Runtime | undefined, notBefore: number): Line[] {
  const lines = Object.entries(overrides).flatMap(([id, list]) => {
    const last = list.at(-1)
    const isNew =
      last !== undefined && JSON.stringify(ownOverrides(before?.overrides ?? {}, id).at(-1)) !== JSON.stringify(last)
    if (!isNew) return []
    // In the states of earlier versions it is set from the tick in force on, which may be older.
    const at = Math.max(last.from + (market.feed(id)?.lag ?? 0), notBefore)
    return event(at, `${last.factor === 1 ? 'price released' : 'price set'}: ${id}`)
  })
  return lines.sort((a, b) => a.at - b.at)
}

/** The starts and ends of faults after second `from`, up to `to`: a line for all at the same second. */
function listEdges(faults: readonly ActiveFault[], from: number, to: number): Line[] {
  const edges: { at: number; what: 'ends' | 'begins'; fault: string }[] = []
  const isDue = (at: number): boolean => at > from && at <= to
  const most = Math.min(MAX_WINDOWS, Math.ceil(MAX_ALL_WINDOWS / Math.max(1, faults.length)))
  for (const { fault, planned, windows } of faults) {
    let seen = 0
    for (const window of windows.between(Math.max(0, from), to)) {
      const named = `${fault.name} (${planned}${seen === most ? '; and so on' : ''})`
      if (seen++ > most) break
      if (isDue(window.from)) edges.push({ at: window.from, what: 'begins', fault: named })
      if (isDue(window.until)) edges.push({ at: window.until, what: 'ends', fault: named })
    }
  }
  const together = new Map<string, { at: number; what: 'ends' | 'begins'; faults: string[] }>()
  // Ends come before beginnings of the same second.
  for (const edge of edges.sort((a, b) => a.at - b.at || Number(a.what === 'begins') - Number(b.what === 'begins')))
    getOrCreate(together, `${edge.at} ${edge.what}`, () => ({ ...edge, faults: [] })).faults.push(edge.fault)
  return [...together.values()].flatMap(({ at, what, faults }) => toEdges(at, what, faults))
}

function toEdges(at: number, what: 'ends' | 'begins', faults: readonly string[]): Line[] {
  if (faults.length === 0) return []
  const [list, verb] = [faults.join('; '), what === 'ends' ? 'end' : 'begin']
  return [event(at, faults.length === 1 ? `${list} ${what}` : `${faults.length} faults ${verb}: ${list}`)]
}

/** The faults that are active because a scenario was edited: their windows began before that. */
const switchedOn = ({ scenario }: Runtime, before: Runtime | undefined, at: number): string[] =>
  scenario.faults
    .filter(({ windows }) => (windows.at(at)?.from ?? at) < at)
    .filter(
      ({ fault, planned }) =>
        !before?.scenario.faults.some(one => one.fault === fault && one.planned === planned && one.windows.at(at)),
    )
    .map(({ fault, planned }) => `${fault.name} (${planned})`)

/** Successive requests that asked and got the same at the same second. */
function toGroups(requests: readonly AskedRequest[]): AskedRequest[][] {
  const keyOf = ({ now, target, method, status, got, faults, keyProblem }: AskedRequest): string =>
    JSON.stringify([now, target, method, status, got, faults, keyProblem])
  const groups: AskedRequest[][] = []
  for (const request of requests) {
    const last = groups.at(-1)
    if (last !== undefined && keyOf(last[0]!) === keyOf(request)) last.push(request)
    else groups.push([request])
  }
  return groups
}

function toLine(group: readonly AskedRequest[], runtime: Runtime | undefined): Line {
  const { n, now, method, target, status, got, faults, keyProblem, retryAfter } = group[0]!
  const count = group.length
  const slowest = Math.max(...group.map(({ durationMs = 0 }) => durationMs))
  const reply = [
    status === 0 ? 'no reply' : String(status),
    // A status says that a request was refused, but not what is wrong with a 200.
    ...(status !== 200 || got === undefined || got === 'fresh' ? [] : [got]),
    ...(keyProblem === undefined ? [] : [`key: ${keyProblem}`]),
    ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter}`]),
    ...(slowest < SLOW_MS ? [] : [`after ${formatMs(slowest)}`]),
  ]
  return {
    at: now,
    n: count === 1 ? `#${n}` : `#${n}-${group.at(-1)!.n}`,
    what: `${count === 1 ? '' : `${count} times `}${method === 'GET' ? '' : `${method} `}${target}`,
    reply: reply.join(', '),
    market: () => (runtime === undefined ? '' : toMarket(group[0]!, runtime)),
    faults: faults.length === 0 ? '' : `<- ${faults.join(', ')}`,
  }
}

/** The price and the age of each feed that a request names: `BTCUSD 110085.88, 300 s old`. */
function toMarket({ feedParameters, now }: AskedRequest, { market, stage }: Runtime): string {
  const named = feedParameters.flatMap(list => list.split(','))
  const feeds = [...new Set(named.flatMap(id => market.feed(id) ?? []))]
  const shown = feeds.slice(0, MAX_FEEDS).map(feed => {
    const tracked = unlessTooCostly(() => stage.track(() => stage.latest(feed, now)))
    if (tracked === undefined) return `${feed.id} too costly to look up`
    const tick = tracked.result
    if (tick === undefined) return `${feed.id} no price`
    return `${feed.id} ${tick.price / POWERS_OF_TEN[-feed.expo]!}, ${now - tick.ts} s old`
  })
  const more = feeds.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** The lines in columns, with a line for each date; undefined stands for those that are left out. */
function layOut(lines: readonly (Line | undefined)[], hidden: number): string[] {
  const part = (text: string): string => shorten(text, MAX_PART).replace(UNSAFE_CHARACTERS, '?')
  const rows = lines.map(
    line => line && { ...line, texts: [line.n, part(line.what), line.reply, part(line.market()), part(line.faults)] },
  )
  const widths = [0, 1, 2, 3, 4].map(i =>
    // Events are texts of their own, and set no column.
    Math.max(0, ...rows.map(row => (row === undefined || row.n === '' ? 0 : row.texts[i]!.length))),
  )
  let day = ''
  return rows.flatMap(row => {
    if (row === undefined) return `  … ${countOf(hidden, 'line')} left out`
    const [date, time] = toInstant(row.at * 1000).split('T') as [string, string]
    const isNext = date !== day
    day = date
    const cells = row.texts.map((text, i) => (row.n === '' && i > 0 ? text : text.padEnd(widths[i]!)))
    return [...(isNext ? [`  ${date}`] : []), [`  ${time.slice(0, 8)}`, ...cells].join('  ').trimEnd()]
  })
}
