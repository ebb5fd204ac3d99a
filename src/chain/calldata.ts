// A signed price as the call of a Solidity function. It encodes one fixed signature, so that it needs no ABI library.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import { parseOrThrow } from '../settings/schema.js'
import { CALLDATA_SIGNATURE, toCalldata as encodeCalldata, toBytes32 as padFeedId } from '../signing/chain.js'
import { asciiBytes } from '../signing/encode.js'

/** The function that `toCalldata` calls: the widths are those of the signed bytes, and of the examples. */
export const UPDATE_PRICE = 'updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes signature)'

/** A price of an evm reply. A bigint keeps a price above 2^53 exact. */
export interface EvmSignedPrice {
  readonly feedId: string
  readonly price: number | bigint
  readonly ts: number
  readonly expo: number
  readonly signature: string
}

/** The function to call. */
export interface CalldataOptions {
  /**
   * The name of a function with the parameters of `UPDATE_PRICE`.
   * @default 'updatePrice'
   */
  readonly functionName?: string | undefined
}

const PARAMETERS = CALLDATA_SIGNATURE.slice(CALLDATA_SIGNATURE.indexOf('('))

/**
 * A feed id as bytes32 in hex. The EVM layout pads on the left, the SVM layout on the right.
 * @default pad 'left'
 * @throws PriceFeedMockError OPTIONS_INVALID for an id that is empty, too long or not ASCII
 * @example
 * toBytes32('BTCUSD') // 0x0000…425443555344
 */
export function toBytes32(feedId: string, pad: 'left' | 'right' = 'left'): string {
  if (!isFeedId(feedId)) throw invalid('feedId', feedId, '1 to 32 visible ASCII characters')
  return `0x${bytesToHex(padFeedId(feedId, pad))}`
}

const isFeedId = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,32}$/.test(value)

const optionsSchema = z.strictObject({
  functionName: z._default(
    z.string().check(z.regex(/^[A-Za-z_$][\w$]*$/, { error: 'the name of a Solidity function' })),
    'updatePrice',
  ),
})

/**
 * The calldata of `updatePrice` for a price of an evm reply. The signature is passed on as it is, faults included: the contract
 * decides. A negative price becomes its two's complement in 192 bits, which is what the signature covers: −1 is 2^192 − 1, as a
 * cast to `int192` reads it back.
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED for a price that has no such encoding, OPTIONS_INVALID
 * @example
 * const { prices } = await client.evm({ feedIds: ['BTCUSD'] })
 * const data = toCalldata(prices[0])
 */
export function toCalldata(price: EvmSignedPrice, options: CalldataOptions = {}): string {
  const { functionName } = parseOrThrow(optionsSchema, options, 'OPTIONS_INVALID', 'The call of toCalldata')
  const { feedId, price: amount, ts, expo, signature } = price ?? {}
  if (!isFeedId(feedId)) throw unrecognised('feedId', feedId, '1 to 32 visible ASCII characters')
  if (typeof signature !== 'string' || !/^([0-9a-f]{2})*$/i.test(signature))
    throw unrecognised('signature', signature, 'bytes in hex without 0x')
  assertFits('price', amount, -(1n << 191n), 1n << 191n)
  assertFits('ts', ts, 0n, 1n << 32n)
  assertFits('expo', expo, -(1n << 31n), 1n << 31n)
  const data = encodeCalldata({ feedId, price: amount, ts, expo }, signature)
  data.set(keccak_256(asciiBytes(functionName + PARAMETERS)).subarray(0, 4))
  return `0x${bytesToHex(data)}`
}

function assertFits(at: string, value: unknown, min: bigint, end: bigint): void {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  const integer = isWhole ? BigInt(value as number | bigint) : end
  if (integer < min || integer >= end) throw unrecognised(at, value, `an exact integer from ${min} to ${end - 1n}`)
}

function unrecognised(at: string, got: unknown, want: string): PriceFeedMockError {
  return new PriceFeedMockError('RESPONSE_UNRECOGNISED', `The price has no usable ${at}.`, {
    problems: [{ at, got, want }],
  })
}

function invalid(at: string, got: unknown, want: string): PriceFeedMockError {
  return new PriceFeedMockError('OPTIONS_INVALID', `Invalid ${at}.`, { problems: [{ at, got, want }] })
}
