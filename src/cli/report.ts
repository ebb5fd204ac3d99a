// `price-feed-mock exec --report`: the report cards of all sessions that the command used, as a JUnit file.
import { closeSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { toJUnit } from '../admin/report/junit.js'
import { buildReport, type ReportCard } from '../admin/report/report-card.js'
import { countOf } from '../errors.js'
import type { UsedSessions } from '../hosts/node/store/used-sessions.js'
import type { Mock } from '../index.js'
import type { Session } from '../service/session.js'
import { openToWrite } from './files.js'

/** Maximum number of ended sessions in a report. */
const MAX_ENDED = 1000

/** The report cards of the sessions of a run. */
export interface Reports {
  readonly cards: readonly ReportCard[]
  /** Number of sessions that ended and are left out. */
  readonly left: number
  /** Number of sessions that others removed from a store, with their journals. */
  readonly lost?: number
}

/**
 * Collects the report cards of sessions from now on: a kit deletes its session at the end of each test.
 * @returns a function that adds the sessions that are still there
 */
export function collectReports(
  mock: Pick<Mock, 'sessions'>,
  realTime: () => number = Date.now,
): (realMs: number) => Reports {
  const finish = collectEnded(mock.sessions.onEnd, realTime)
  return realMs => finish(mock.sessions.list(), realMs)
}

/** Collects the report cards of the sessions that are used through a server on a store, as `collectReports` does. */
export function collectStoredReports({ onEnd, present, realTime }: UsedSessions): () => Promise<Reports> {
  const finish = collectEnded(onEnd, realTime)
  return async () => {
    const { sessions, lost } = await present()
    return { ...finish(sessions, realTime()), lost }
  }
}

/** Collects sessions that end. The returned function adds those that are still there. */
function collectEnded(
  onEnd: (listener: (session: Session) => void) => void,
  realTime: () => number,
): (present: readonly Session[], realMs: number) => Reports {
  const ended: ReportCard[] = []
  let left = 0
  onEnd(session => {
    if (!isUsed(session)) return
    if (ended.length < MAX_ENDED) ended.push(buildReport(session, realTime()))
    else left++
  })
  return (present, realMs) => {
    const cards = present.filter(isUsed).map(session => buildReport(session, realMs))
    return { cards: withDistinctNames([...ended, ...cards]), left }
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

/** Creates a folder and those above it. The option `recursive` of Node never returns for a path such as `/proc/a/b`. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/** Writes a report and creates its folder. An error is reported on one line: the exit code belongs to the command. */
export function writeReport(file: string, { cards, left, lost = 0 }: Reports, report: (line: string) => void): void {
  if (left > 0) report(`the report leaves out ${countOf(left, 'session')}: it has the first ${MAX_ENDED} that ended.`)
  if (lost > 0) report(`the report leaves out ${countOf(lost, 'session')} that others removed from the store.`)
  try {
    makeFolder(dirname(file))
    const descriptor = openToWrite(file)
    try {
      writeFileSync(descriptor, toJUnit(cards))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    report(`the report was not written to ${file} (${code ?? message}).`)
  }
}
