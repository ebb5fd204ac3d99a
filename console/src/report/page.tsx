// The report card of the consumer: checks on the journal of the session, and verdicts from outside.
import { useState } from 'preact/hooks'
import { toJUnit } from '../../../src/admin/report/junit.js'
import { admin, hasToken, type ReplyOf, ROOT, routeOf } from '../api'
import { formatInstant, plural } from '../format'
import { act, sessionId, usePoll } from '../state'
import { useStore } from '../store'
import { Badge, Copy, Panel, Snippet, type Tone } from '../ui'

type Report = ReplyOf<'reportConsumer'>
type Check = Report['checks'][number]
type Verdict = Report['verdicts'][number]

/** A tone, a sign and a word: the colour is never the only sign. */
const RESULTS: Readonly<Record<Check['status'], readonly [tone: Tone, sign: string, word: string]>> = {
  failed: ['bad', '✗', 'failed'],
  ok: ['good', '✓', 'ok'],
  info: ['gap', 'i', 'info'],
  'not-seen': ['quiet', '–', 'not seen'],
}
const ORDER = Object.keys(RESULTS)

/** Number of links to the journal. */
const MAX_LINKS = 10

/** The page. */
export function ReportPage() {
  const id = useStore(sessionId)
  const [report, setReport] = useState<Report>()
  usePoll(
    async () => {
      const next = await admin.report(id)
      if (id === sessionId.get()) setReport(next)
    },
    1000,
    [id],
  )
  if (report === undefined || report.session !== id) return <Panel title="Report card">Loading …</Panel>
  return (
    <div class="stack narrow">
      <ChecksPanel report={report} />
      <VerdictsPanel report={report} />
    </div>
  )
}

function ChecksPanel({ report }: { report: Report }) {
  const { session, checks, requests, dropped, failed } = report
  // Failed checks first; the others keep their order.
  const sorted = [...checks].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
  return (
    <Panel
      title={`Report card of ${session}`}
      side={
        <>
          <Badge tone={failed > 0 ? 'bad' : 'good'}>{failed > 0 ? `✗ ${failed} failed` : '✓ nothing failed'}</Badge>
          <span class="muted count">{plural(requests, 'request')}</span>
          <span class="button-group push">
            <Copy text={JSON.stringify(report, undefined, 2)} label="Copy JSON" />
            <Copy text={toJUnit([report])} label="Copy JUnit" />
          </span>
        </>
      }
    >
      <p class="muted">
        {requests === 0
          ? 'No requests yet. Point your app at the base URL of this session.'
          : 'From the requests in the journal. Clearing the journal starts a new report.'}
        {dropped > 0 && ` The journal has dropped ${plural(dropped, 'older request')}: rates are those of the rest.`}
      </p>
      <ul class="report-list">
        {sorted.map(check => (
          <CheckItem key={check.id} check={check} />
        ))}
      </ul>
    </Panel>
  )
}

function Result({ of }: { of: Check['status'] }) {
  const [tone, sign, word] = RESULTS[of]
  return (
    <Badge tone={tone}>
      <span aria-hidden="true">{sign}</span> {word}
    </Badge>
  )
}

function CheckItem({ check: { id, title, status, text, requests, count } }: { check: Check }) {
  const shown = status === 'failed' ? requests.slice(0, MAX_LINKS) : []
  return (
    <li data-check={id}>
      <Result of={status} />
      <div class="report-text">
        <h3>{title}</h3>
        <p>{text}</p>
        {shown.length > 0 && (
          <p class="muted">
            Requests{' '}
            {shown.map((n, i) => (
              <>
                {i > 0 && ', '}
                <a key={n} href={`#/journal/${n}`} aria-label={`Request ${n} in the journal`}>
                  #{n}
                </a>
              </>
            ))}
            {count > shown.length && ` and ${count - shown.length} more`}
          </p>
        )}
      </div>
    </li>
  )
}

function VerdictsPanel({ report: { session, verdicts } }: { report: Report }) {
  const body = JSON.stringify({ case: 'stale-btc', ok: false, why: 'traded on an old price' })
  const token = hasToken() ? " -H 'authorization: Bearer YOUR_TOKEN'" : ''
  const curl = `curl -X POST ${ROOT}${routeOf(session)}/verdicts${token} \\\n  -H 'content-type: application/json' -d '${body}'`
  return (
    <Panel
      title="Verdicts"
      side={
        verdicts.length > 0 && (
          <button
            type="button"
            class="button small push"
            onClick={() => act('The verdicts are removed.', () => admin.clearVerdicts(session))}
          >
            Remove
          </button>
        )
      }
    >
      <p class="muted">A test adds them, for behaviour that HTTP cannot show.</p>
      <ul class="report-list">
        {verdicts.map(verdict => (
          <VerdictItem key={verdict.case} verdict={verdict} />
        ))}
      </ul>
      <Snippet label={`A verdict on ${session}`} text={curl} />
    </Panel>
  )
}

function VerdictItem({ verdict: { case: name, ok, why, now, n } }: { verdict: Verdict }) {
  return (
    <li>
      <Result of={ok ? 'ok' : 'failed'} />
      <div class="report-text">
        <h3>{name}</h3>
        {why !== undefined && <p>{why}</p>}
        <p class="muted">
          {formatInstant(now)}, after {plural(n, 'request')}
        </p>
      </div>
    </li>
  )
}
