// The detail of one request: its reply, the commands that repeat it, and its signatures.
import { useEffect, useRef, useState } from 'preact/hooks'
import { quote } from '../../../src/admin/reproduce-command.js'
import { admin, keyToCopy, prefixOf, type ReplyOf, ROOT } from '../api'
import { formatAge, formatDuration, formatInstant, formatPrice } from '../format'
import { FaultLines, Outcome } from '../market/reply-panel'
import { requestedBy } from '../signature/inspect'
import { SignatureInspector } from '../signature/inspector'
import { feeds, session, sessionId } from '../state'
import { useStore } from '../store'
import { Badge, GotMark, Panel, Snippet, statusTone } from '../ui'
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
  const again = useReplay(id, entry.n)
  const {
    method,
    target,
    status,
    got,
    why,
    faults,
    now,
    durationMs,
    reply: live,
    ordinal,
    endpoint,
    targetLength,
  } = entry
  const made = again !== undefined && 'replayed' in again && again.replayed ? again.explanation?.outcome : undefined
  // The page keeps the replies that came while it was open. The others are made again.
  const reply: LiveEntry['reply'] = live ?? made
  const key = entry.apiKey ?? ''
  const base = endpoint === 'candles' ? current?.historyUrl : current?.baseUrl
  const url = (base ?? ROOT + prefixOf(id)) + target
  const command = [
    // Brackets and braces would stand for several addresses.
    /[[{]/.test(target) ? 'curl -gi' : 'curl -i',
    ...(method === 'GET' ? [] : [method === 'HEAD' ? '-I' : `-X ${method}`]),
    ...(key === '' ? [] : [`-H ${quote(`authorization: ${keyToCopy(key)}`)}`]),
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
            {targetLength !== undefined && `… (${targetLength} characters)`}
          </code>
        </p>
        <dl class="facts">
          <dt>Reply</dt>
          <dd>
            {reply === undefined ? (
              <Badge tone={statusTone(status, got)}>{status === 0 ? 'none' : status}</Badge>
            ) : (
              <Outcome outcome={{ ...reply, ...(status === 0 ? {} : { status }) }} got={got} />
            )}
          </dd>
          <dt>Got</dt>
          <dd>
            {got === undefined ? <span class="muted">nothing: a preflight</span> : <GotMark got={got} />}
            {why !== undefined && <div class="muted">{why}</div>}
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
        {again !== undefined && 'problem' in again ? (
          <p class="muted">Cannot be reproduced: {again.problem}</p>
        ) : (
          again !== undefined && <Why again={again} body={live?.body} />
        )}
        {targetLength === undefined && <Snippet short label="curl" text={command} />}
        {again !== undefined && 'reproduce' in again && (
          <Snippet short label="Reproduce on a fresh server" text={again.reproduce} />
        )}
        {reply !== undefined && (
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

type Again = ReplyOf<'getRequest'>

/** The request, answered again by the server, or why it cannot be; undefined until the server has answered. */
function useReplay(id: string, n: number): Again | { readonly problem: string } | undefined {
  const [found, setFound] = useState<Again | { readonly problem: string }>()
  useEffect(() => {
    let isShown = true
    setFound(undefined)
    admin.request(id, n).then(
      again => isShown && setFound(again),
      ({ message }: Error) => isShown && setFound({ problem: message }),
    )
    return () => {
      isShown = false
    }
  }, [id, n])
  return found
}

/** Why the reply was as it was: the faults, and each price before and after them. `body`: what was sent, where it is known. */
function Why({ again: { explanation, replayed }, body }: { again: Again; body: string | undefined }) {
  if (explanation === undefined) return null
  const { faults, ticks, now, outcome } = explanation
  // The page keeps the start of a long body.
  const isEqual = replayed && (body === undefined || outcome.body?.startsWith(body) === true)
  const isSent = ({ after }: (typeof ticks)[number]): boolean => outcome.body?.includes(`"${after.feedId}"`) === true
  // Some settings give feeds other names, by which none is found.
  const isLeftOut = (tick: (typeof ticks)[number]): boolean => !isSent(tick) && ticks.some(isSent)
  return (
    <>
      <h3>
        Why{' '}
        {isEqual ? (
          <Badge tone="good">✓ answered again: the same {body === undefined ? 'reply' : 'bytes'}</Badge>
        ) : (
          <Badge tone="warn">answered again, it differs: believe the journal</Badge>
        )}
      </h3>
      {faults.length === 0 && <p class="muted">No faults were planned.</p>}
      <FaultLines faults={faults} />
      {ticks.length > 0 && (
        <table class="ticks">
          <thead>
            <tr>
              <th scope="col">Price</th>
              <th scope="col">Market</th>
              <th scope="col">Served</th>
              <th scope="col">Age</th>
            </tr>
          </thead>
          <tbody>
            {ticks.map(({ before, after }, i) => (
              <tr key={i}>
                <th scope="row">{before.feedId}</th>
                <td>{formatPrice(Number(before.price) * 10 ** before.expo)}</td>
                <td
                  data-changed={
                    after.price !== before.price || after.expo !== before.expo || isLeftOut({ before, after })
                  }
                >
                  {isLeftOut({ before, after }) ? 'left out' : formatPrice(Number(after.price) * 10 ** after.expo)}
                </td>
                <td data-changed={after.ts !== before.ts}>{formatAge(now - after.ts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
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
