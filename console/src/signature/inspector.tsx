// Shows the signatures of a reply: the signed bytes by field, the digest, the recovered signer, and the verdict with its reasons.
import { Fragment } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { admin } from '../api'
import { formatInstant, formatPrice, readInstant, toInstant } from '../format'
import { feeds, inspection, session, sessionId, shownSecond } from '../state'
import { useStore } from '../store'
import { Badge, Copy, InstantInput, Panel } from '../ui'
import {
  type Checks,
  compareWithMarket,
  type InspectedSignature,
  inspectReply,
  type MarketPrice,
  type SignedField,
} from './inspect'

/** The time of a reply, its limit of age, and the request. Its body does not contain them. */
type KnownReply = Pick<Checks, 'now' | 'maxAge' | 'feeds' | 'minutes'>

/** The verdict on a body; undefined until the session is known. */
export function useInspected(body: string, known: KnownReply) {
  const signing = useStore(inspection)?.signing
  const signer = useStore(session)?.signer.address
  const catalogue = useStore(feeds)
  return useMemo(() => {
    if (signing === undefined || signer === undefined || body === '') return undefined
    return inspectReply(body, { signing: signing as unknown as Checks['signing'], signer, catalogue, ...known })
  }, [body, JSON.stringify([signing, known]), signer, catalogue])
}

const MAX_REASONS = 3

/** The verdict of a signature: `valid`, or the first reasons. */
export function Verdict({ findings }: Pick<InspectedSignature, 'findings'>) {
  if (findings.length === 0) return <Badge tone="good">valid</Badge>
  const reasons = [...new Set(findings.map(({ reason }) => reason))]
  return (
    <>
      {reasons.slice(0, MAX_REASONS).map(reason => (
        <Badge key={reason} tone="bad">
          {reason}
        </Badge>
      ))}
      {reasons.length > MAX_REASONS && <span class="muted">and {reasons.length - MAX_REASONS} more</span>}
    </>
  )
}

/** The key that made a signature, in words. */
export function describeKey({ address, testKey }: InspectedSignature, signer: string | undefined): string {
  if (address === undefined) return 'no key'
  const known = testKey === undefined ? '' : `, test key ${testKey}`
  if (address === signer) return `the session's key${known}`
  return testKey === undefined ? 'another key, or the data was changed' : `another key${known}`
}

/** The signatures of a body. At most one is open; a history of many feeds has many. */
export function SignatureInspector({ body, ...known }: { body: string } & KnownReply) {
  const inspected = useInspected(body, known)
  if (inspected === undefined) return null
  if ('problem' in inspected) return <p class="muted">No signature to check. {inspected.problem}</p>
  const { signatures, missing, notChecked } = inspected
  return (
    <div class="signatures">
      {missing.length > 0 && <Findings findings={missing} />}
      {signatures.map((signature, i) => (
        <details key={`${signature.label} ${i}`} open={i === 0} class="signature">
          <summary>
            <Verdict findings={signature.findings} />
            <span>{signature.label}</span>
          </summary>
          <Findings findings={signature.findings} />
          <SignatureDetail signature={signature} />
        </details>
      ))}
      <details class="signature">
        <summary class="muted">
          <span>Not checked: {notChecked.map(({ check }) => check).join(', ')}</span>
        </summary>
        <p class="muted">Checked at {formatInstant(known.now)} UTC.</p>
        <ul class="findings">
          {notChecked.map(({ check, because }) => (
            <li key={check}>
              <Badge tone="quiet">{check}</Badge> <span class="muted">{because}</span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

/** Every reason to reject a price, with the place and the value that caused it. */
function Findings({ findings }: Pick<InspectedSignature, 'findings'>) {
  if (findings.length === 0) return null
  return (
    <ul class="findings">
      {findings.map(({ reason, at, got, want }, i) => (
        <li key={i}>
          <Badge tone="bad">{reason}</Badge>
          {at !== '' && (
            <>
              {' '}
              <code>{at}</code>
            </>
          )}{' '}
          <span>
            got {got}, expected {want}
          </span>
        </li>
      ))}
    </ul>
  )
}

function SignatureDetail({ signature: inspected }: { signature: InspectedSignature }) {
  const { signed, hash, layout, signature, address } = inspected
  const signer = useStore(session)?.signer.address
  return (
    <>
      {signed === undefined ? (
        <p class="muted">A price cannot be read, so its bytes are unknown.</p>
      ) : (
        <SignedBytes fields={signed.fields} />
      )}
      <dl class="facts">
        <dt>Layout</dt>
        <dd>{layout}</dd>
        {signed !== undefined && (
          <>
            <dt>Digest</dt>
            <dd>
              <code>{signed.digest}</code> <span class="muted">{hash}</span>
            </dd>
          </>
        )}
        <dt>Signature</dt>
        <dd>
          <code>{signature}</code>
        </dd>
        <dt>Recovered</dt>
        <dd>
          {address !== undefined && (
            <>
              <code>{address}</code> <Copy text={address} of="recovered address" />{' '}
            </>
          )}
          {describeKey(inspected, signer)}
        </dd>
      </dl>
      {address !== undefined && address !== signer && <Comparison key={signed?.digest} signature={inspected} />}
    </>
  )
}

/** Prices of a batch that are compared. */
const MAX_COMPARED = 8

/** Whether another key signed, or the data was changed: the prices of the reply beside those of the session at their seconds. */
function Comparison({ signature }: { signature: InspectedSignature }) {
  const id = useStore(sessionId)
  const signer = useStore(session)?.signer.address
  const [market, setMarket] = useState<readonly (MarketPrice | undefined)[] | undefined>(undefined)
  const ticks = signature.ticks.slice(0, MAX_COMPARED)
  useEffect(() => {
    let isShown = true
    const read = ticks.map(async ({ feedId, ts }) => {
      // A price is published later than its time says.
      const lag = feeds.get().find(feed => feed.id === feedId)?.lag ?? 0
      return (await admin.prices(id, [feedId], ts + lag)).feeds[0]
    })
    Promise.all(read.map(one => one.catch(() => undefined))).then(found => isShown && setMarket(found))
    return () => {
      isShown = false
    }
  }, [id])
  if (market === undefined || ticks.length === 0) return null
  const { rows, verdict } = compareWithMarket(signature, market, signer)
  return (
    <>
      <p>{VERDICTS[verdict]}</p>
      <dl class="facts">
        {rows.map(({ tick, price, isEqual }, i) => (
          <Fragment key={i}>
            <dt>{tick.feedId}</dt>
            <dd>
              {formatPrice(Number(tick.price) * 10 ** tick.expo)} ·{' '}
              <span class="muted">
                session: {isEqual ? 'the same' : price === undefined ? 'none' : formatPrice(price)}
              </span>
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  )
}

const VERDICTS = {
  data: 'The data was changed: the signature fits the prices of the session.',
  key: 'Another key signed: the data is that of the session.',
  unknown: 'The signature fits neither these prices nor those of the session.',
}

function SignedBytes({ fields }: { fields: readonly SignedField[] }) {
  return (
    <>
      <div class="bytes">
        {fields.map(({ name, hex }, i) => (
          <span key={i} class="byte-field" data-field={name} title={name}>
            {hex.match(/../g)?.join(' ')}
          </span>
        ))}
      </div>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Fields of the signed message">
        <table class="plain">
          <thead>
            <tr>
              <th>Field</th>
              <th>Encoding</th>
              <th class="number">Value</th>
              <th class="bytes-cell">Bytes</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, encoding, hex, value }, i) => (
              <tr key={i}>
                <td>
                  <span class="byte-field" data-field={name}>
                    {name}
                  </span>
                </td>
                <td>
                  <code>{encoding}</code>
                </td>
                <td class="number">{value}</td>
                <td class="bytes-cell">
                  <code>{hex}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** The page with a box for any response. */
export function SignaturePage() {
  const [body, setBody] = useState('')
  const [now, setNow] = useState(0)
  const [written, setWritten] = useState<string | undefined>(undefined)
  const [maxAge, setMaxAge] = useState('')
  const signer = useStore(session)?.signer.address
  return (
    <Panel title="Inspect a signature" class="narrow">
      <p class="muted">
        Paste the body of a batch, history, evm or latest response. It is checked in this page, against the signer of
        the session, <code>{signer}</code>.
      </p>
      <label class="field">
        <span>Response body</span>
        <textarea
          rows={8}
          spellcheck={false}
          value={body}
          placeholder={'{"feedId":"BTCUSD","price":…,"signature":"…"}'}
          onInput={event => {
            setBody(event.currentTarget.value)
            setNow(shownSecond.get() ?? 0)
            setWritten(undefined)
          }}
        />
      </label>
      <div class="inline-form">
        <label class="field">
          <span>Maximum age in seconds</span>
          <input
            type="number"
            min={0}
            step={1}
            value={maxAge}
            placeholder="60"
            onInput={event => setMaxAge(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Time of the check (UTC)</span>
          <InstantInput
            value={written ?? (now === 0 ? '' : toInstant(now))}
            onInput={text => {
              setWritten(text)
              setNow(readInstant(text) ?? now)
            }}
          />
        </label>
      </div>
      <SignatureInspector body={body.trim()} now={now} maxAge={/^\d{1,9}$/.test(maxAge) ? Number(maxAge) : undefined} />
    </Panel>
  )
}
