// The detail of one request: its reply, the commands that repeat it, and its signatures.
import { useEffect, useRef, useState } from 'preact/hooks'
import { admin, prefixOf, ROOT } from '../api'
import { formatDuration, formatInstant } from '../format'
import { Outcome } from '../market/reply-panel'
import { requestedBy } from '../signature/inspect'
import { SignatureInspector } from '../signature/inspector'
import { feeds, session, sessionId } from '../state'
import { useStore } from '../store'
import { Badge, Panel, Snippet } from '../ui'
import type { LiveEntry } from './events'

/** The detail. */
export function EntryDetail({ entry, onClose }: { entry: LiveEntry; onClose: () => void }) {
  const id = useStore(sessionId)
  const current = useStore(session)
  const catalogue = useStore(feeds)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a narrow screen the detail is below the list.
    if (matchMedia('(max-width: 1100px)').matches) ref.current?.scrollIntoView({ block: 'start' })
  }, [entry.id])
  const reproduce = useReproduce(id, entry.n)
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
        {reproduce?.command !== undefined && (
          <Snippet short label="Reproduce on a fresh server" text={reproduce.command} />
        )}
        {reproduce?.problem !== undefined && <p class="muted">Cannot be reproduced: {reproduce.problem}</p>}
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

/** The command that gives the reply once more, or why there is none; undefined until the server has answered. */
function useReproduce(id: string, n: number): { readonly command?: string; readonly problem?: string } | undefined {
  const [found, setFound] = useState<{ readonly command?: string; readonly problem?: string }>()
  useEffect(() => {
    let isShown = true
    setFound(undefined)
    admin.request(id, n).then(
      ({ reproduce }) => isShown && setFound({ command: reproduce }),
      ({ message }: Error) => isShown && setFound({ problem: message }),
    )
    return () => {
      isShown = false
    }
  }, [id, n])
  return found
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
