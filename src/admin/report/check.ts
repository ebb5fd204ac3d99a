// The definition of a check, one rule for consumers, and the journal of a session as checks see it. To add a check, write a file
// beside this one and add it to the list in report-card.ts.
import { getOrCreate } from '../../caches.js'
import { ENDPOINTS } from '../../endpoints/index.js'
import { type Endpoint, valuesOf } from '../../service/endpoint.js'
import type { JournalEntry } from '../../service/journal-entry.js'
import { parseTarget } from '../../service/request.js'
import { createRouter } from '../../service/router.js'
import type { Session } from '../../service/sessions.js'

/** The results of a check. `info` is no judgement, `not-seen` has nothing to judge. */
export const CHECK_STATUSES = ['ok', 'failed', 'info', 'not-seen'] as const
type CheckStatus = (typeof CHECK_STATUSES)[number]

/** A check. */
export interface Check {
  /** Stable across versions. */
  readonly id: string
  readonly title: string
  find(input: {
    /** The GET and HEAD requests in the journal, oldest first. */
    readonly requests: readonly AskedRequest[]
    /** The same requests in groups: requests of one group ask the same. */
    readonly groups: readonly (readonly AskedRequest[])[]
    readonly session: Pick<Session, 'runtime' | 'record'>
    /** Virtual seconds since the epoch. */
    readonly now: number
  }): ReturnType<typeof finding>
}

/**
 * The result of a check.
 * @param text the reason in one or two sentences
 * @param shownBy the requests that show it
 */
export const finding = (status: CheckStatus, text: string, shownBy: readonly AskedRequest[] = []) => ({
  status,
  text,
  shownBy,
})

/** A request of a journal with its parameters. */
export interface AskedRequest extends JournalEntry {
  /** Equal for requests that ask the same: the endpoint and its parameters, without others such as `_=123`. */
  readonly question: string
  /** The values of the parameters that name feeds. */
  readonly feedParameters: readonly string[]
}

const route = createRouter<Endpoint>(ENDPOINTS)

/** The parameters that a request gives to its endpoint. */
export function parametersOf({ target }: Pick<JournalEntry, 'target'>) {
  const parsed = parseTarget(target)
  const match = route(parsed)
  return Object.entries(match?.endpoint.parameters ?? {}).map(([name, { in: place, namesFeeds }]) => ({
    name,
    namesFeeds,
    given: valuesOf(name, place, match!.pathValues, parsed.query),
  }))
}

/** The GET and HEAD requests of a journal: browsers send OPTIONS by themselves. */
export function toAsked(entries: readonly JournalEntry[]): AskedRequest[] {
  return entries
    .filter(({ ordinal }) => ordinal > 0)
    .map(entry => {
      const values = parametersOf(entry)
      return {
        ...entry,
        question: JSON.stringify([entry.endpoint, ...values.map(({ given }) => given)]),
        feedParameters: values.flatMap(({ namesFeeds, given }) => (namesFeeds ? given : [])),
      }
    })
}

/** Groups of requests that ask the same, in the order of their first request. */
export function toGroups(requests: readonly AskedRequest[]): AskedRequest[][] {
  const groups = new Map<string, AskedRequest[]>()
  for (const request of requests) getOrCreate(groups, request.question, () => []).push(request)
  return [...groups.values()]
}

/** Virtual times are in whole seconds, so that a distance is wrong by less than this. */
const VIRTUAL_PRECISION_MS = 1000

/** Milliseconds from one request to a later one: real time, or virtual time where a clock that was moved or runs fast makes it longer. */
export function elapsedMs(from: JournalEntry, to: JournalEntry): number {
  const real = Math.max(0, to.receivedAt - from.receivedAt)
  const virtual = (to.now - from.now) * 1000
  return virtual - real > VIRTUAL_PRECISION_MS ? virtual : real
}

/** Whether a request was sent after the reply to another one, and not beside it. */
export const isAfterReply = (reply: JournalEntry, next: JournalEntry): boolean =>
  next.receivedAt >= reply.receivedAt + Math.floor(reply.durationMs ?? 0)

/** The middle of some numbers: the lower one of two. Undefined for none. */
export function median(numbers: readonly number[]): number | undefined {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)]
}

/** Milliseconds for people: `250 ms`, `1.5 s`, `12 min`. */
export function formatMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const tenths = Math.round(ms / 100) / 10
  if (tenths < 120) return `${tenths} s`
  return `${Math.round(ms / 6000) / 10} min`
}
