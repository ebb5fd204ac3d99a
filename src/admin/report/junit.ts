// Report cards as JUnit XML: a suite for each session, a case for each check and verdict.
import { type JUnitCase, type JUnitSuite, toJUnitDocument } from './junit-document.js'
import type { ReportCard, ReportedCheck } from './report-card.js'

/** The parts of a report card that JUnit has a place for. */
export type JUnitInput = Pick<
  ReportCard,
  'session' | 'seed' | 'scenario' | 'requests' | 'dropped' | 'checks' | 'verdicts'
>

/** Report cards as one JUnit document. */
export const toJUnit = (reports: readonly JUnitInput[]): string => toJUnitDocument(...reports.map(toSuite))

function toSuite({ session, seed, scenario, requests, dropped, checks, verdicts }: JUnitInput): JUnitSuite {
  return {
    name: `price-feed-mock session ${session}`,
    classname: `price-feed-mock.${session}`,
    properties: { seed, scenario, requests, dropped },
    cases: [...checks.map(toCase), ...verdicts.map(toVerdictCase)],
  }
}

function toCase({ id, status, text, requests, count }: ReportedCheck): JUnitCase {
  if (status === 'failed')
    return { name: id, failure: { type: id, message: text, text: text + listOf(requests, count) } }
  return status === 'not-seen' ? { name: id, skipped: text } : { name: id, output: text }
}

function toVerdictCase({ case: name, ok, why }: JUnitInput['verdicts'][number]): JUnitCase {
  const failure = { type: 'verdict', message: why ?? 'The verdict is not ok.' }
  return { name: `verdict: ${name}`, ...(ok ? { output: why } : { failure }) }
}

function listOf(requests: readonly number[], count: number): string {
  if (count === 0) return ''
  const more = count > requests.length ? `, and ${count - requests.length} more` : ''
  return `\nRequests of the journal (n): ${requests.join(', ')}${more}`
}
