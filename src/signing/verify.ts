// The entry point `price-feed-mock/verify`: recovers and checks the signers of a response. It does not use the mock.
import { PriceFeedMockError } from '../errors.js'
import type { Tick } from './encode.js'
import type { RecoveredKey } from './recover.js'
import {
  inWords,
  labelOf,
  readResponse,
  signatureFindings,
  toError,
  unrecognised,
  WANT_RESPONSE,
} from './signed-response.js'
import { assertVerdict, checkResponse, createInspects, type RecoverOptions, type VerifyOptions } from './verdict.js'

export { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
export { LAYOUTS, type Layout } from '../settings/layouts.js'
export {
  type ExactInteger,
  type Finding,
  type ParseOptions,
  parseExact,
  REASONS,
  type Reason,
} from './signed-response.js'
export { assertNoTestSigners, type TestSigner, testSigners } from './signers.js'
export {
  checkResponse,
  type NotChecked,
  PricesRejectedError,
  type PriceVerdict,
  type RecoverOptions,
  type Verdict,
  type VerifyOptions,
} from './verdict.js'

/** Prices under one signature, and the key that made it. */
export interface RecoveredSigner extends RecoveredKey {
  readonly prices: readonly Tick[]
}

/**
 * Recovers the signers of a batch, history, evm or latest response: one entry per signature, in the order of the body.
 * @param body the parsed body; integers above 2^53 as bigints, see `parseExact`
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED, or SIGNATURE_MISMATCH when no key can have made a signature, or when its s is high,
 * which only `checkResponse` can allow
 */
export function recoverSigners(body: unknown, options: RecoverOptions = {}): RecoveredSigner[] {
  const inspect = createInspects(options)
  const response = readResponse(body, options.symbolOf)
  if (response === undefined)
    throw unrecognised('The body is none of the signed responses.', { got: inWords(body), want: WANT_RESPONSE })
  const [malformed] = response.blocks.flatMap(block => [
    ...block.prices.flatMap(({ findings }) => findings),
    ...signatureFindings(block),
  ])
  if (malformed !== undefined) throw toError(malformed)
  return response.blocks.map(block => {
    const prices = block.prices.map(({ tick }) => tick!)
    const { key, findings } = inspect[block.form]({ ...block, prices, signature: block.signature as string })
    if (key !== undefined && findings.length === 0) return { prices, ...key }
    const outOfRange = findings.find(({ reason }) => reason === 'out-of-range')
    if (outOfRange !== undefined) throw toError(outOfRange)
    const { got, want } = findings[0]!
    throw new PriceFeedMockError('SIGNATURE_MISMATCH', `The signature of ${labelOf(block)} cannot be genuine.`, {
      got,
      want,
    })
  })
}

/**
 * The asserting form of `checkResponse`: throws one error with every reason, and returns the good prices, one entry per signature.
 * @throws PricesRejectedError with the `verdict`; its code is RESPONSE_UNRECOGNISED where something is malformed,
 * SIGNATURE_MISMATCH where no trusted key signed, PRICE_REJECTED otherwise. PriceFeedMockError OPTIONS_INVALID for invalid options
 * @example
 * verify(parseExact(await response.text()), { signers: ['0xa383a31402bfecab41598378fa9e3f59f39337fe'], maxAge: 60, now })
 */
export function verify(body: unknown, options: VerifyOptions): RecoveredSigner[] {
  const verdict = checkResponse(body, options)
  assertVerdict(body, verdict)
  const [first, ...rest] = verdict.prices.map(({ tick, signer }) => ({ prices: [tick!], ...signer! }))
  if (verdict.endpoint !== 'batch') return [first!, ...rest]
  return [{ ...first!, prices: verdict.prices.map(({ tick }) => tick!) }]
}
