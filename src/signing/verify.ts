// The entry point `price-feed-mock/verify`: recovers and checks the signer of a response. It does not use the mock.
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import { LAYOUTS, type Layout, layoutSchema } from '../settings/layouts.js'
import { parseOrThrow } from '../settings/schema.js'
import type { Tick } from './encode.js'
import { createRecover, type RecoveredKey } from './recover.js'
import { readSignedResponse, type SymbolOf } from './signed-response.js'
import { describeSigner, parseSigners } from './signers.js'

export { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
export { LAYOUTS, type Layout } from '../settings/layouts.js'
export { assertNoTestSigners, type TestSigner, testSigners } from './signers.js'

/** The layouts in which the prices of a response were signed. */
export interface RecoverOptions {
  /**
   * The layout of batch, history and latest.
   * @default LAYOUTS.svm
   */
  readonly svm?: Layout | undefined
  /**
   * The layout of evm.
   * @default LAYOUTS.evm
   */
  readonly evm?: Layout | undefined
  /** Returns the symbol of a feed's number, for a batch with integer ids: the signed bytes contain the symbol. */
  readonly symbolOf?: SymbolOf | undefined
}

/** The signers to accept, and the layouts. */
export interface VerifyOptions extends RecoverOptions {
  /** The only signers to accept: addresses or public keys in hex. */
  readonly signers: readonly string[]
}

/** Prices under one signature, and the key that made it. */
export interface RecoveredSigner extends RecoveredKey {
  readonly prices: readonly Tick[]
}

/**
 * Recovers the signers of a batch, history, evm or latest response: one entry per signature, in the order of the body.
 * @param body the parsed body; integers above 2^53 as bigints
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED, or SIGNATURE_MISMATCH when no key can have made a signature
 */
export function recoverSigners(body: unknown, options: RecoverOptions = {}): RecoveredSigner[] {
  return recoverEach(body, options, () => {})
}

/** Checks only that `signers` is a list; `parseSigners` checks its items. */
const signersSchema = z.object({
  signers: z.array(z.unknown(), { error: 'a list of addresses or public keys in hex' }),
})

/**
 * Verifies that one of `signers` signed every price of a response, and returns what was recovered.
 * @throws PriceFeedMockError SIGNATURE_MISMATCH for the first price that none of them signed, RESPONSE_UNRECOGNISED for
 * a body without signed prices, OPTIONS_INVALID for invalid signers
 * @example
 * verify(await response.json(), { signers: ['0xa383a31402bfecab41598378fa9e3f59f39337fe'] })
 */
export function verify(body: unknown, options: VerifyOptions): RecoveredSigner[] {
  parseOrThrow(signersSchema, options, 'OPTIONS_INVALID', 'The call of verify')
  const expected = parseSigners(options.signers)
  return recoverEach(body, options, ({ address }, label) => {
    if (expected.includes(address)) return
    throw new PriceFeedMockError('SIGNATURE_MISMATCH', `No expected signer signed ${label}.`, {
      details: [
        ['got', describeSigner(address)],
        ['want', expected.map(describeSigner).join(', ') || 'a signer, but the list of signers is empty'],
      ],
    })
  })
}

const layoutsSchema = z.object({ svm: layoutSchema, evm: layoutSchema })

function recoverEach(
  body: unknown,
  { svm = LAYOUTS.svm, evm = LAYOUTS.evm, symbolOf }: RecoverOptions,
  inspect: (key: RecoveredKey, label: string) => void,
): RecoveredSigner[] {
  parseOrThrow(layoutsSchema, { svm, evm }, 'OPTIONS_INVALID', 'The choice of layouts')
  const recover = { svm: createRecover(svm), evm: createRecover(evm) }
  return readSignedResponse(body, symbolOf).map(signed => {
    const key = recover[signed.form](signed)
    inspect(key, signed.label)
    return { prices: signed.prices, ...key }
  })
}
