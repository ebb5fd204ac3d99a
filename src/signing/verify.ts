// The entry point `price-feed-mock/verify`: recovers and checks the signers of a response. It does not use the mock.
import type { Tick } from './encode.js'
import { createRecover, type RecoveredKey } from './recover.js'
import { readSignedResponse } from './signed-response.js'
import { assertVerdict, checkResponse, parseLayouts, type RecoverOptions, type VerifyOptions } from './verdict.js'

export { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
export { LAYOUTS, type Layout } from '../settings/layouts.js'
export { type ExactInteger, type ParseOptions, parseExact } from './parse-exact.js'
export { type Finding, REASONS, type Reason } from './signed-response.js'
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
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED, or SIGNATURE_MISMATCH when no key can have made a signature
 */
export function recoverSigners(body: unknown, options: RecoverOptions = {}): RecoveredSigner[] {
  const layouts = parseLayouts(options)
  const recover = { svm: createRecover(layouts.svm), evm: createRecover(layouts.evm) }
  return readSignedResponse(body, options.symbolOf).map(signed => ({
    prices: signed.prices,
    ...recover[signed.form](signed),
  }))
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
