// JUnit XML, which CI systems read: suites of cases. Those of a report card are its sessions, with a case for each check and verdict.
import type { ReportCard, ReportedCheck } from './report-card.js'

/** A case of a suite. Without a failure and a reason to skip it, it has passed. */
export interface JUnitCase {
  readonly name: string
  /** @default 0 */
  readonly seconds?: number
  readonly failure?: {
    readonly type: string
    readonly message: string
    /**
     * The text that CI systems show below the message.
     * @default the message
     */
    readonly text?: string | undefined
  }
  /** The reason why it did not run. */
  readonly skipped?: string | undefined
  readonly output?: string | undefined
}

/** A suite. */
interface JUnitSuite {
  readonly name: string
  /** The class of its cases, by which CI systems group them. */
  readonly classname: string
  readonly properties?: Readonly<Record<string, string | number>>
  readonly cases: readonly JUnitCase[]
}

/** The text of a document. */
export function toJUnitDocument(...suites: readonly JUnitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases)
  const { tests, failures, time } = countsOf(all)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="price-feed-mock" tests="${tests}" failures="${failures}" errors="0" time="${time}">`,
    ...suites.flatMap(toSuite),
    '</testsuites>',
    '',
  ].join('\n')
}

function countsOf(cases: readonly JUnitCase[]) {
  const skipped = cases.filter(one => one.skipped !== undefined).length
  const failures = cases.filter(one => one.failure !== undefined).length
  return {
    tests: cases.length,
    failures,
    skipped,
    time: toSeconds(cases.reduce((sum, one) => sum + (one.seconds ?? 0), 0)),
  }
}

function toSuite({ name, classname, properties = {}, cases }: JUnitSuite): string[] {
  const { tests, failures, skipped, time } = countsOf(cases)
  return [
    `  <testsuite name="${escapeXml(name)}" tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}">`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([key, value]) => `      <property name="${escapeXml(key)}" value="${escapeXml(String(value))}"/>`,
    ),
    '    </properties>',
    ...cases.map(one => toCase(classname, one)),
    '  </testsuite>',
  ]
}

function toCase(classname: string, { name, seconds = 0, failure, skipped, output }: JUnitCase): string {
  const start = `    <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}" time="${toSeconds(seconds)}"`
  const content = [
    skipped === undefined ? '' : `<skipped message="${escapeXml(skipped)}"/>`,
    failure === undefined ? '' : toFailure(failure),
    output === undefined ? '' : `<system-out>${escapeXml(output)}</system-out>`,
  ].join('')
  return content === '' ? `${start}/>` : `${start}>${content}</testcase>`
}

const toFailure = ({ type, message, text = message }: NonNullable<JUnitCase['failure']>): string =>
  `<failure message="${escapeXml(message)}" type="${escapeXml(type)}">${escapeXml(text)}</failure>`

const toSeconds = (seconds: number): string => String(Math.round(seconds * 1000) / 1000)

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

/** The parts of a report card that JUnit has a place for. */
export type JUnitInput = Pick<
  ReportCard,
  'session' | 'seed' | 'scenario' | 'requests' | 'dropped' | 'checks' | 'verdicts'
>

/** Report cards as one JUnit document. */
export const toJUnit = (reports: readonly JUnitInput[]): string => toJUnitDocument(...reports.map(suiteOf))

function suiteOf({ session, seed, scenario, requests, dropped, checks, verdicts }: JUnitInput): JUnitSuite {
  return {
    name: `price-feed-mock session ${session}`,
    classname: `price-feed-mock.${session}`,
    properties: { seed, scenario, requests, dropped },
    cases: [...checks.map(caseOf), ...verdicts.map(caseOfVerdict)],
  }
}

function caseOf({ id, status, text, requests, count }: ReportedCheck): JUnitCase {
  if (status === 'failed')
    return { name: id, failure: { type: id, message: text, text: text + listOf(requests, count) } }
  return status === 'not-seen' ? { name: id, skipped: text } : { name: id, output: text }
}

function caseOfVerdict({ case: name, ok, why }: JUnitInput['verdicts'][number]): JUnitCase {
  const failure = { type: 'verdict', message: why ?? 'The verdict is not ok.' }
  return { name: `verdict: ${name}`, ...(ok ? { output: why } : { failure }) }
}

function listOf(requests: readonly number[], count: number): string {
  if (count === 0) return ''
  const more = count > requests.length ? `, and ${count - requests.length} more` : ''
  return `\nRequests of the journal (n): ${requests.join(', ')}${more}`
}
