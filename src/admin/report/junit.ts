// Report cards as JUnit XML, which CI systems read: a suite for each session, a case for each check and verdict.
import type { ReportCard, ReportedCheck } from './report-card.js'

/** The parts of a report card that JUnit has a place for. */
export type JUnitInput = Pick<
  ReportCard,
  'session' | 'seed' | 'scenario' | 'requests' | 'dropped' | 'checks' | 'verdicts'
>

/** Report cards as one JUnit document. */
export function toJUnit(reports: readonly JUnitInput[]): string {
  const suites = reports.map(toSuite)
  const sum = (of: 'tests' | 'failures' | 'skipped'): number => suites.reduce((total, one) => total + one[of], 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="price-feed-mock" tests="${sum('tests')}" failures="${sum('failures')}" errors="0" time="0">`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>',
    '',
  ].join('\n')
}

function toSuite({ session, seed, scenario, requests, dropped, checks, verdicts }: JUnitInput) {
  const classname = `price-feed-mock.${session}`
  const cases = [
    ...checks.map(check => toCase(classname, check.id, contentOf(check))),
    ...verdicts.map(verdict =>
      toCase(
        classname,
        `verdict: ${verdict.case}`,
        verdict.ok
          ? toElement('system-out', verdict.why)
          : toFailure('verdict', verdict.why ?? 'The verdict is not ok.'),
      ),
    ),
  ]
  const tests = cases.length
  const failures = checks.filter(({ status }) => status === 'failed').length + verdicts.filter(({ ok }) => !ok).length
  const skipped = checks.filter(({ status }) => status === 'not-seen').length
  const properties = Object.entries({ seed, scenario, requests, dropped }).map(
    ([name, value]) => `      <property name="${name}" value="${escapeXml(String(value))}"/>`,
  )
  const name = escapeXml(`price-feed-mock session ${session}`)
  const xml = [
    `  <testsuite name="${name}" tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}" time="0">`,
    '    <properties>',
    ...properties,
    '    </properties>',
    ...cases,
    '  </testsuite>',
  ].join('\n')
  return { tests, failures, skipped, xml }
}

function contentOf({ id, status, text, requests, count }: ReportedCheck): string {
  if (status === 'failed') return toFailure(id, text, listOf(requests, count))
  if (status === 'not-seen') return `<skipped message="${escapeXml(text)}"/>`
  return toElement('system-out', text)
}

function listOf(requests: readonly number[], count: number): string {
  if (count === 0) return ''
  const more = count > requests.length ? `, and ${count - requests.length} more` : ''
  return `\nRequests of the journal (n): ${requests.join(', ')}${more}`
}

const toFailure = (type: string, message: string, more = ''): string =>
  `<failure message="${escapeXml(message)}" type="${type}">${escapeXml(message + more)}</failure>`

const toElement = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`

function toCase(classname: string, name: string, content: string): string {
  const start = `    <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}" time="0"`
  return content === '' ? `${start}/>` : `${start}>${content}</testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Escapes text for attributes and elements. Characters that XML 1.0 cannot hold are replaced. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, one => ENTITIES[one] ?? `&#${one.charCodeAt(0)};`)
}
