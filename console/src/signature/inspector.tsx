// Shows the signatures of a reply: the signed bytes by field, the digest, the recovered signer and the verdict.
import { useMemo, useState } from 'preact/hooks'
import { feeds, inspection, session } from '../state'
import { useStore } from '../store'
import { Badge, Copy, Panel, type Tone } from '../ui'
import { type InspectedSignature, inspectReply, type Signing } from './inspect'

/** The inspected signatures of a body; undefined until the session is known. */
export function useInspected(body: string) {
  const signing = useStore(inspection)?.signing
  const signer = useStore(session)?.signer.address
  const catalogue = useStore(feeds)
  const layouts = JSON.stringify(signing)
  return useMemo(() => {
    if (signing === undefined || signer === undefined || body === '') return undefined
    const symbolOf = (number: number) => catalogue.find(feed => feed.number === number)?.id
    return inspectReply(body, signing as unknown as Signing, signer, symbolOf)
  }, [body, layouts, signer, catalogue])
}

const TONES: Readonly<Record<InspectedSignature['verdict'], Tone>> = { valid: 'good', other: 'bad', invalid: 'bad' }
const WORDS: Readonly<Record<InspectedSignature['verdict'], string>> = {
  valid: 'valid',
  other: 'wrong signer',
  invalid: 'invalid',
}

/** The verdict of a signature as a badge. */
export function Verdict({ signature }: { signature: InspectedSignature }) {
  return <Badge tone={TONES[signature.verdict]}>{WORDS[signature.verdict]}</Badge>
}

/** The signatures of a body. At most a few are open; a history of many feeds has many. */
export function SignatureInspector({ body }: { body: string }) {
  const inspected = useInspected(body)
  if (inspected === undefined) return null
  if ('problem' in inspected) return <p class="muted">No signature to check. {inspected.problem}</p>
  return (
    <div class="signatures">
      {inspected.signatures.map((signature, i) => (
        <details key={`${signature.label} ${i}`} open={i === 0} class="signature">
          <summary>
            <Verdict signature={signature} />
            <span>{signature.label}</span>
          </summary>
          <p>{signature.reason}</p>
          <SignatureDetail signature={signature} />
        </details>
      ))}
    </div>
  )
}

function SignatureDetail({
  signature: { fields, digest, hash, layout, signature, address },
}: {
  signature: InspectedSignature
}) {
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
      <dl class="facts">
        <dt>Layout</dt>
        <dd>{layout}</dd>
        <dt>Digest</dt>
        <dd>
          <code>{digest}</code> <span class="muted">{hash}</span>
        </dd>
        <dt>Signature</dt>
        <dd>
          <code>{signature}</code>
        </dd>
        <dt>Recovered</dt>
        <dd>
          {address === undefined ? (
            'no key'
          ) : (
            <>
              <code>{address}</code> <Copy text={address} of="recovered address" />
            </>
          )}
        </dd>
      </dl>
    </>
  )
}

/** The page with a box for any response. */
export function SignaturePage() {
  const [body, setBody] = useState('')
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
          onInput={event => setBody(event.currentTarget.value)}
        />
      </label>
      <SignatureInspector body={body.trim()} />
    </Panel>
  )
}
