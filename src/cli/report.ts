// `price-feed-mock exec --report`: the report cards of all sessions that the command used, as a JUnit file.
import { toJUnit } from '../admin/report/junit.js'
import { buildReport, type ReportCard } from '../admin/report/report-card.js'
import { countOf } from '../errors.js'
import type { UsedSessions } from '../hosts/node/store/replica.js'
import type { Mock } from '../index.js'
import type { Session } from '../service/sessions.js'
import { writeAtEnd } from './files.js'

const MAX_ENDED = 1000

/** The report cards of the sessions of a run. */
export interface Reports {
  readonly cards: readonly ReportCard[]
  /** Number of sessions that ended and are left out. */
  readonly left: number
  /** Number of sessions that others removed from a store, with their journals. */
  readonly lost: number
}

/** The sessions of a server without a store, as they are used. */
export const usedOf = ({ sessions }: Pick<Mock, 'sessions'>): UsedSessions => ({
  onEnd: sessions.onEnd,
  present: async () => ({ sessions: sessions.list(), lost: 0 }),
  realTime: Date.now,
})

/**
 * Collects the report cards of sessions from now on: a kit deletes its session at the end of each test.
 * @returns a function that adds the sessions that are still there
 */
export function collectReports({ onEnd, present, realTime }: UsedSessions): () => Promise<Reports> {
  const ended: ReportCard[] = []
  let left = 0
  onEnd(session => {
    if (!isUsed(session)) return
    if (ended.length < MAX_ENDED) ended.push(buildReport(session, realTime()))
    else left++
  })
  return async () => {
    const { sessions, lost } = await present()
    const now = realTime()
    const cards = sessions.filter(isUsed).map(session => buildReport(session, now))
    return { cards: withDistinctNames([...ended, ...cards]), left, lost }
  }
}

/** Whether there is anything to report of a session. */
const isUsed = ({ journal, record }: Session): boolean =>
  record.setup.verdicts.length > 0 || journal.summarize().length > 0

/** Numbers cards of sessions with the same id, which followed each other. */
function withDistinctNames(cards: readonly ReportCard[]): ReportCard[] {
  const seen = new Map<string, number>()
  return cards.map(card => {
    const count = (seen.get(card.session) ?? 0) + 1
    seen.set(card.session, count)
    return count === 1 ? card : { ...card, session: `${card.session} (${count})` }
  })
}

/** Writes a report and creates its folder. An error is reported on one line: the exit code belongs to the command. */
export function writeReport(file: string, { cards, left, lost }: Reports, report: (line: string) => void): void {
  if (left > 0) report(`the report leaves out ${countOf(left, 'session')}: it has the first ${MAX_ENDED} that ended.`)
  if (lost > 0) report(`the report leaves out ${countOf(lost, 'session')} that others removed from the store.`)
  writeAtEnd(file, toJUnit(cards), 'the report', report)
}
