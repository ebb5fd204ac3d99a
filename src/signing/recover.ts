// From a signature to the key that made it, as strict as a careful contract. All input is untrusted.
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { isPriceFeedMockError, show, tryTo } from '../errors.js'
import { CURVE_ORDER, type Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from './encode.js'
import { type Finding, inWords, join, type Reason, type SignedBlock } from './signed-response.js'
import { FIRST_V, type Signer, toAddress } from './signer.js'

/** A public key, recovered from a signature. */
export type RecoveredKey = Pick<Signer, 'publicKey' | 'address'>

type Signed = Pick<SignedBlock, 'at' | 'recoveryId'> & {
  readonly prices: readonly Tick[]
  readonly signature: string
  /** The path to each price, where it is not `at`. */
  readonly paths?: readonly string[]
}

/** Creates the inspection of signatures in a layout. It lists all defects, and recovers the key where digits allow it. */
export function createInspect(layout: Layout, allowHighS = false) {
  const { encode, digest } = createEncoder(layout)

  /** Whether a price fits into its bytes; otherwise it is reported. */
  const fits = (price: Tick, at: string, report: Report): boolean => {
    try {
      encode([price])
      return true
    } catch (error) {
      const [problem] = isPriceFeedMockError(error) ? error.problems : []
      if (problem === undefined) throw error
      const reason = problem.at === 'feedId' ? 'malformed' : 'out-of-range'
      report(reason, join(at, problem.at), `${problem.at} ${show(problem.got)}`, problem.want)
      return false
    }
  }

  return (signed: Signed) => {
    const findings: Finding[] = []
    const report: Report = (reason, at, got, want) => findings.push({ reason, at, got, want })
    const parsed = parseSignature(signed, layout, allowHighS, report)
    const unfit = signed.prices.filter((price, i) => !fits(price, signed.paths?.[i] ?? signed.at, report))
    const message = unfit.length === 0 ? encode(signed.prices) : undefined
    const key = parsed && message && recoverKey(parsed.rs, parsed.recoveryId, digest(message))
    if (parsed && message && key === undefined && !findings.some(({ reason }) => reason === 'zero'))
      report(
        'unrecoverable',
        join(signed.at, 'signature'),
        show(signed.signature),
        'r and s that some key can have made',
      )
    return { key, findings }
  }
}

type Report = (reason: Reason, at: string, got: string, want: string) => void

/** The key that made a signature, if one can have made it. */
export function recoverKey(rs: Uint8Array, recoveryId: number, hash: Uint8Array): RecoveredKey | undefined {
  return tryTo(() => {
    const recovered = concatBytes(Uint8Array.of(recoveryId), rs)
    const point = secp.Point.fromBytes(secp.recoverPublicKey(recovered, hash, { prehash: false }))
    return { publicKey: point.toHex(), address: toAddress(point.toBytes(false)) }
  })
}

/** r‖s and the recovery id of a signature; undefined when its digits do not have them. */
function parseSignature(
  { signature, recoveryId, at }: Signed,
  { signature: form, hexPrefix }: Layout,
  allowHighS: boolean,
  report: Report,
): { rs: Uint8Array; recoveryId: 0 | 1 } | undefined {
  const size = form === 'rs' ? 64 : 65
  const place = join(at, 'signature')
  const got = `${show(signature)}, ${signature.length} characters`
  const want = `${2 * size} hex digits ${hexPrefix === '' ? 'without' : 'after'} 0x`
  if (signature.startsWith('0x') !== (hexPrefix === '0x')) report('0x-prefix', place, got, want)
  const digits = signature.startsWith('0x') ? signature.slice(2) : signature
  if (!/^[0-9a-f]*$/i.test(digits)) return void report('malformed', place, got, want)
  if (digits.length !== 2 * size) return void report('wrong-length', place, got, want)

  const [r, s] = [BigInt(`0x${digits.slice(0, 64)}`), BigInt(`0x${digits.slice(64, 128)}`)]
  if (r === 0n || s === 0n) report('zero', place, `${r === 0n ? 'r' : 's'} 0`, 'r and s above 0')
  // A high s is a second signature of the same bytes by the same key, which contracts reject.
  if (s > CURVE_ORDER / 2n && !allowHighS)
    report('high-s', place, 'a high s', 's in the lower half of the order of the curve')

  const rs = hexToBytes(digits.slice(0, 128))
  if (form === 'rs') {
    if (isBit(recoveryId)) return { rs, recoveryId }
    return void report(
      'wrong-recovery-id',
      join(at, 'recoveryId'),
      `recoveryId ${inWords(recoveryId)}`,
      'recoveryId 0 or 1',
    )
  }
  const v = Number.parseInt(digits.slice(128), 16)
  const bit = v - FIRST_V[form]
  if (!isBit(bit)) return void report('wrong-v', place, `v ${v}`, `v ${FIRST_V[form]} or ${FIRST_V[form] + 1}`)
  if (recoveryId !== undefined && recoveryId !== bit)
    report(
      'wrong-recovery-id',
      join(at, 'recoveryId'),
      `recoveryId ${inWords(recoveryId)} beside v ${v}`,
      `recoveryId ${bit}`,
    )
  return { rs, recoveryId: bit }
}

const isBit = (value: unknown): value is 0 | 1 => value === 0 || value === 1
