// The reply that a consumer would get now for the chosen feed. It is computed without a request, so no counter moves.
import type { Got } from '../../../src/service/received.js'
import { admin, type Explanation } from '../api'
import { formatAge, formatDuration, formatPrice, plural } from '../format'
import { describeKey, useInspected, Verdict } from '../signature/inspector'
import { chosenFeed, inspection, session, sessionId, usePart } from '../state'
import { useStore } from '../store'
import { Badge, GotMark, Panel, statusTone } from '../ui'

/** The panel. */
export function ReplyPanel() {
  const id = useStore(sessionId)
  const feed = useStore(chosenFeed)
  const reply = usePart(feed === '' ? undefined : `reply ${id} ${feed}`, (session, at) =>
    admin.explain(session, `/prices/${encodeURIComponent(feed)}/latest`, at),
  )
  const set = useStore(inspection)?.overrides.find(one => one.feed === feed)
  const body = reply?.outcome.body ?? ''
  const inspected = useInspected(body, { now: reply?.now ?? 0, feeds: [feed] })
  const signer = useStore(session)?.signer.address
  const signature = inspected !== undefined && 'signatures' in inspected ? inspected.signatures[0] : undefined
  const price = readPrice(body)
  return (
    <Panel title="What a consumer gets now" class="reply-panel">
      {reply !== undefined && (
        <dl class="facts">
          <dt>Request</dt>
          <dd>
            <code>GET /prices/{feed}/latest</code>
          </dd>
          <dt>Reply</dt>
          <dd>
            <Outcome outcome={reply.outcome} got={reply.got} /> <GotMark got={reply.got} why={reply.why} />
            {reply.why !== undefined && <div class="muted">{reply.why}</div>}
          </dd>
          <dt>Price</dt>
          <dd>
            {price === undefined ? <span class="muted">none in the reply</span> : formatPrice(price.price)}
            {set !== undefined && <span class="set-mark"> ◆ set to {formatPrice(set.price)}</span>}
          </dd>
          <dt>Age</dt>
          <dd>
            {price === undefined
              ? '–'
              : price.ts > reply.now
                ? `${formatAge(price.ts - reply.now)} in the future`
                : formatAge(reply.now - price.ts)}
          </dd>
          <dt>Signature</dt>
          <dd>
            {signature === undefined ? (
              <span class="muted">none</span>
            ) : (
              <>
                <Verdict findings={signature.findings} /> <span class="muted">{describeKey(signature, signer)}</span>
              </>
            )}
          </dd>
          <dt>Faults</dt>
          <dd>
            {reply.faults.length === 0 && <span class="muted">none planned</span>}
            <FaultLines faults={reply.faults} />
          </dd>
        </dl>
      )}
    </Panel>
  )
}

/** The faults that were applied, and the others on demand: there may be a hundred. */
export function FaultLines({ faults }: Pick<Explanation, 'faults'>) {
  const others = faults.filter(fault => !fault.applied)
  return (
    <>
      {faults
        .filter(fault => fault.applied)
        .map(({ fault, planned }, i) => (
          <div key={i} class="fault-line">
            <Badge tone="warn">applied</Badge> <code>{fault}</code> <span class="muted">{planned}</span>
          </div>
        ))}
      {others.length > 0 && (
        <details class="fault-line">
          <summary class="muted">{plural(others.length, 'fault')} did nothing</summary>
          {others.map(({ fault, reason }, i) => (
            <div key={i} class="fault-line">
              <code>{fault}</code> <span class="muted">{reason}</span>
            </div>
          ))}
        </details>
      )}
    </>
  )
}

/** The outcome of a request in a few words. */
export function Outcome({
  outcome: { kind, status, delayMs },
  got,
}: {
  outcome: Pick<Explanation['outcome'], 'kind' | 'status' | 'delayMs'>
  got: Got | undefined
}) {
  const words = {
    reply: '',
    reset: 'connection reset',
    truncate: 'body cut off',
    timeout: 'no answer',
    dribble: 'body in pieces',
  }[kind]
  return (
    <>
      {status !== undefined && <Badge tone={statusTone(status, got)}>{status}</Badge>}
      {words !== '' && <Badge tone="bad">{words}</Badge>}
      {delayMs > 0 && <span class="muted"> after {formatDuration(delayMs)}</span>}
    </>
  )
}

function readPrice(body: string): { price: number; ts: number } | undefined {
  try {
    const { price, expo, ts } = JSON.parse(body)
    return [price, expo, ts].every(Number.isFinite) ? { price: price * 10 ** expo, ts } : undefined
  } catch {
    return undefined
  }
}
