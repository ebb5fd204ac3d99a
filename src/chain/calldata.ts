// A signed price as the call of a Solidity function. It encodes one fixed signature, so that it needs no ABI library.
// Beside it, what the relay reads of EVM chains: checksums of addresses, and the errors by which contracts revert.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { type PriceFeedMockError, wrongValue } from '../errors.js'
import { assertNoProblems, parseOrThrow } from '../settings/schema.js'
import { asciiBytes, type Tick } from '../signing/encode.js'

/** The function that `toCalldata` calls: the widths are those of the signed bytes, and of the examples. */
export const UPDATE_PRICE = 'updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes signature)'

/** A price of an evm reply. A bigint keeps a price above 2^53 exact. */
export interface EvmSignedPrice extends Tick {
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

const PARAMETERS = '(bytes32,uint192,uint32,int32,bytes)'

/**
 * A feed id as bytes32 in hex. The EVM layout pads on the left, the SVM layout on the right.
 * @default pad 'left'
 * @throws PriceFeedMockError OPTIONS_INVALID for an id that is empty, too long or not ASCII, or another side
 * @example
 * toBytes32('BTCUSD') // 0x0000…425443555344
 */
export function toBytes32(feedId: string, pad: 'left' | 'right' = 'left'): string {
  assertNoProblems('OPTIONS_INVALID', 'The call of toBytes32', [
    ...(isFeedId(feedId) ? [] : [{ at: 'feedId', got: feedId, want: WANT_FEED_ID }]),
    ...(/^(left|right)$/.test(pad) ? [] : [{ at: 'pad', got: pad, want: '"left" or "right"' }]),
  ])
  return `0x${bytesToHex(padFeedId(feedId, pad))}`
}

const WANT_FEED_ID = '1 to 32 visible ASCII characters'
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
  if (!isFeedId(feedId)) throw unrecognised('feedId', feedId, WANT_FEED_ID)
  if (typeof signature !== 'string' || !/^([0-9a-f]{2})*$/i.test(signature))
    throw unrecognised('signature', signature, 'bytes in hex without 0x')
  // Every contract would refuse it, and say nothing of the endpoint. A short signature of an evm reply is a fault.
  if ('recoveryId' in price && signature.length === 128)
    throw unrecognised(
      'signature',
      signature,
      '65 bytes that end with v, as in a reply of /prices/evm/crypto; this price has a recoveryId instead',
    )
  assertFits('price', amount, -(1n << 63n), 1n << 63n)
  assertFits('ts', ts, 0n, 1n << 32n)
  assertFits('expo', expo, -(1n << 31n), 1n << 31n)
  return `0x${bytesToHex(encodeCalldata({ feedId, price: amount, ts, expo }, signature, functionName))}`
}

function padFeedId(feedId: string, side: 'left' | 'right'): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes.set(asciiBytes(feedId), side === 'left' ? 32 - feedId.length : 0)
  return bytes
}

/**
 * The calldata of `updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes signature)`: a selector and the ABI
 * encoding. A negative price is its two's complement, as in the signed bytes.
 * @param signature r‖s‖v in hex, without `0x`
 */
export function encodeCalldata(
  { feedId, price, ts, expo }: Tick,
  signature: string,
  functionName = 'updatePrice',
): Uint8Array {
  const bytes = hexToBytes(signature)
  const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32)
  padded.set(bytes)
  return concatBytes(
    keccak_256(asciiBytes(functionName + PARAMETERS)).subarray(0, 4),
    padFeedId(feedId, 'left'),
    toWord(BigInt.asUintN(192, BigInt(price))),
    toWord(BigInt(ts)),
    toWord(BigInt(expo)),
    toWord(5n * 32n),
    toWord(BigInt(bytes.length)),
    padded,
  )
}

/** An integer as 32 bytes, big-endian, negative ones as two's complement. */
const toWord = (value: bigint): Uint8Array => hexToBytes(BigInt.asUintN(256, value).toString(16).padStart(64, '0'))

function assertFits(at: string, value: unknown, min: bigint, end: bigint): void {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  const integer = isWhole ? BigInt(value as number | bigint) : end
  if (integer < min || integer >= end) throw unrecognised(at, value, `an exact integer from ${min} to ${end - 1n}`)
}

function unrecognised(at: string, got: unknown, want: string): PriceFeedMockError {
  return wrongValue('RESPONSE_UNRECOGNISED', `The price has no usable ${at}.`, { at, got, want })
}

/** An address with its checksum. */
export function toChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(asciiBytes(digits)))
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

/** Whether an address has no checksum, because its letters are all alike, or the right one. */
export function hasValidChecksum(address: string): boolean {
  const digits = address.slice(2)
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || address === toChecksum(address)
}

const ERRORS = [
  'Panic(uint256)',
  'ECDSAInvalidSignature()',
  'ECDSAInvalidSignatureLength(uint256)',
  'ECDSAInvalidSignatureS(bytes32)',
  'SignerUnset()',
  'WrongSigner(address)',
  'WrongFeed(bytes32)',
  'WrongExpo(int32)',
  'OutOfRange(int256)',
  'NotPositive(int256)',
  'FromFuture(uint256,uint256)',
  'FromFuture(uint32)',
  'Stale(uint256,uint256)',
  'Stale(uint32)',
  'Older(uint256,uint256)',
  'NoRound(uint80)',
]

let names: ReadonlyMap<string, string> | undefined

/** `WrongSigner (0x32c15fc2)`, or the selector alone for an error of another contract. */
export function describeError(selector: string): string {
  names ??= new Map(
    ERRORS.map(error => [`0x${bytesToHex(keccak_256(asciiBytes(error)).subarray(0, 4))}`, error.replace(/\(.*/, '')]),
  )
  const name = names.get(selector)
  return name === undefined ? `error ${selector}` : `${name} (${selector})`
}
