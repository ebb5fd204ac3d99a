// The detail of one request: its reply, the commands that repeat it, and its signatures.
import { useEffect, useRef } from 'preact/hooks'
import { prefixOf, ROOT } from '../api'
import { formatDuration, formatInstant } from '../format'
import { Outcome } from '../market/reply-panel'
import { requestedBy } from '../signature/inspect'
import { SignatureInspector } from '../signature/inspector'
import { feeds, inspection, session, sessionId } from '../state'
import { useStore } from '../store'
import { Badge, Panel, Snippet } from '../ui'
import type { LiveEntry } from './events'

/** The detail. */
export function EntryDetail({ entry, onClose }: { entry: LiveEntry; onClose: () => void }) {
  const id = useStore(sessionId)
  const current = useStore(session)
  const found = useStore(inspection)
  const catalogue = useStore(feeds)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a narrow screen the detail is below the list.
    if (matchMedia('(max-width: 1100px)').matches) ref.current?.scrollIntoView({ block: 'start' })
  }, [entry.id])
  const { method, target, status, faults, now, durationMs, reply, ordinal, endpoint } = entry
  const key = entry.apiKey ?? ''
  const base = endpoint === 'candles' ? current?.historyUrl : current?.baseUrl
  const url = (base ?? ROOT + prefixOf(id)) + target
  const command = [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(key === '' ? [] : [`-H ${quote(`authorization: ${/^\(/.test(key) ? 'YOUR_KEY' : key}`)}`]),
    quote(url),
  ].join(' ')
  const reproduce = found?.reproduce.replace(
    /--at \S+/,
    `--at ${new Date(now * 1000).toISOString().replace('.000', '')}`,
  )
  return (
    <div class="detail" ref={ref}>
      <Panel
        title={`Request ${entry.n}`}
        side={
          <button type="button" class="button small push" onClick={onClose}>
            Close
          </button>
        }
      >
        <p class="detail-target">
          <code>
            {method} {target}
          </code>
        </p>
        <dl class="facts">
          <dt>Reply</dt>
          <dd>
            {reply === undefined ? (
              <Badge tone={status >= 200 && status < 400 ? 'good' : 'warn'}>{status === 0 ? 'none' : status}</Badge>
            ) : (
              <Outcome outcome={{ ...reply, ...(status === 0 ? {} : { status }) }} />
            )}
          </dd>
          <dt>Faults</dt>
          <dd>
            {faults.length === 0 ? (
              <span class="muted">none</span>
            ) : (
              faults.map(fault => <code key={fault}>{fault} </code>)
            )}
          </dd>
          <dt>Mock time</dt>
          <dd>{formatInstant(now)} UTC</dd>
          <dt>Count</dt>
          <dd>{ordinal === 0 ? 'not counted' : `${endpoint} request ${ordinal}`}</dd>
          <dt>API key</dt>
          <dd>{key === '' ? <span class="muted">none sent</span> : <code>{key}</code>}</dd>
          <dt>Duration</dt>
          <dd>{durationMs === undefined ? '–' : formatDuration(durationMs)}</dd>
        </dl>
        <Snippet short label="curl" text={command} />
        {reproduce !== undefined && <Snippet short label="Reproduce on a fresh server" text={reproduce} />}
        {reply === undefined ? (
          <p class="muted">Headers and body are kept only for requests that come while this page is open.</p>
        ) : (
          <>
            {reply.headers !== undefined && (
              <Snippet
                short
                label="Headers"
                text={Object.entries(reply.headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
              />
            )}
            {reply.body !== undefined && (
              <Snippet
                label={reply.bodyLength === undefined ? 'Body' : `Body, the start of ${reply.bodyLength} characters`}
                text={pretty(reply.body)}
              />
            )}
            {reply.body !== undefined && endpoint !== 'candles' && (
              <>
                <h3>Signatures</h3>
                {reply.bodyLength === undefined ? (
                  <SignatureInspector body={reply.body} now={now} {...requestedBy(target, catalogue)} />
                ) : (
                  <p class="muted">Not checked: only the start of the body is kept.</p>
                )}
              </>
            )}
          </>
        )}
      </Panel>
    </div>
  )
}

/** JSON in lines. Other bodies, and long ones, stay as they were sent. */
function pretty(body: string): string {
  if (body.length > 20_000 || /\d{16}/.test(body)) return body
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

/** Quotes text as one word for a POSIX shell. */
const quote = (text: string): string => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
