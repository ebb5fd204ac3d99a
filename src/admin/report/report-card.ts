// The report card of a consumer: every check on the journal of a session, with the verdicts from outside.
import { ENDPOINTS } from '../../endpoints/index.js'
import { GOT, type Got } from '../../service/received.js'
import type { Session } from '../../service/session.js'
import type { Verdict } from '../../service/verdict-schema.js'
import { type Check, type CheckStatus, toAsked, toGroups } from './check.js'
import { faultsFired } from './faults-fired.js'
import { keyForm } from './key-form.js'
import { measurePolling, type Polling, pollingRate } from './polling-rate.js'
import { errorsHeeded, retriesAfter401, retryAfter } from './retries.js'
import { unknownFeeds } from './unknown-feeds.js'

/** Maximum number of requests that a check lists. */
export const MAX_LISTED = 50

/** The result of a check as data. */
export interface ReportedCheck {
  readonly id: string
  readonly title: string
  readonly status: CheckStatus
  readonly text: string
  /** The numbers `n` of the first requests that show it. */
  readonly requests: number[]
  /** Number of requests that show it. */
  readonly count: number
}

/** The report card of a consumer. */
export interface ReportCard {
  readonly session: string
  readonly seed: string
  readonly scenario: string
  /** Virtual time in seconds since the epoch. */
  readonly now: number
  /** Requests since the journal was cleared, and those of them that it has dropped. */
  readonly requests: number
  readonly dropped: number
  /** Requests by what the consumer got. */
  readonly got: Partial<Record<Got, number>>
  /** Number of failed checks, and of verdicts that are not ok. */
  readonly failed: number
  readonly endpoints: (Polling & { readonly endpoint: string })[]
  readonly checks: ReportedCheck[]
  readonly verdicts: Verdict[]
}

/** Builds the report card of a session. Pure: it changes and counts nothing. */
export function buildReport(session: Session, realMs: number): ReportCard {
  const { id, runtime, record, journal } = session
  const { verdicts } = record.setup
  const entries = journal.entries()
  const summaries = journal.summarize()
  const total = summaries.reduce((sum, { requests }) => sum + requests, 0)
  const got: Partial<Record<Got, number>> = {}
  for (const kind of GOT) {
    const count = summaries.reduce((sum, one) => sum + (one.got[kind] ?? 0), 0)
    if (count > 0) got[kind] = count
  }
  const requests = toAsked(entries)
  const groups = toGroups(requests)
  const now = Math.floor(session.nowMs(realMs) / 1000)
  const checks = CHECKS.map((check): ReportedCheck => {
    const { status, text, shownBy } = check.find({ requests, groups, session, now })
    const numbers = [...shownBy].sort((a, b) => a - b)
    const { id, title } = check
    return { id, title, status, text, requests: numbers.slice(0, MAX_LISTED), count: numbers.length }
  })
  return {
    session: id,
    seed: runtime.settings.seed,
    scenario: runtime.scenario.definition.name,
    now,
    requests: total,
    dropped: total - entries.length,
    got,
    failed: checks.filter(({ status }) => status === 'failed').length + verdicts.filter(({ ok }) => !ok).length,
    endpoints: ENDPOINTS.map(({ name }) => ({ endpoint: name, ...measurePolling(name, requests, groups) })).filter(
      ({ requests }) => requests > 0,
    ),
    checks,
    verdicts: [...verdicts],
  }
}

/** Every check. */
export const CHECKS: readonly Check[] = [
  keyForm,
  retriesAfter401,
  retryAfter,
  errorsHeeded,
  unknownFeeds,
  faultsFired,
  ...ENDPOINTS.map(({ name }) => pollingRate(name)),
]
