// Signed prices as the data of an instruction for Solana's secp256k1 program, a precompile that every validator has.
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { countOf, isPriceFeedMockError, PriceFeedMockError, wrongValue } from '../errors.js'
import { LAYOUTS, type Layout, layoutSchema } from '../settings/layouts.js'
import { integer, parseOrThrow } from '../settings/schema.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import type { SignatureParts } from '../signing/signer.js'
import { parseSigners } from '../signing/signers.js'

/** The address of the program. */
export const SECP256K1_PROGRAM = 'KeccakSecp256k11111111111111111111111111111'

/**
 * The bytes that a packet of 1,232 leaves for the data of one instruction, in a transaction with one signature, one program and
 * nothing else.
 */
export const MAX_INSTRUCTION_BYTES = 1060

/** A price of the SVM form. A batch with integer ids cannot be encoded: the signature covers the symbols. */
export interface SvmPrice extends Omit<Tick, 'feedId'> {
  readonly feedId: string | number
}

/** A batch reply, or one price with its signature: a latest reply, or the high or low of a history. */
export type SvmSignedPrices = { readonly signature: string; readonly recoveryId: number } & (
  | { readonly prices: readonly SvmPrice[] }
  | SvmPrice
)

/** The signer, and the place of the instruction. */
export interface InstructionOptions {
  /**
   * The address or public key that must have signed, from your configuration. The program compares it with the recovered one, so
   * the address recovered from the same reply would always fit.
   */
  readonly signer: string
  /**
   * Position of the instruction in its transaction.
   * @default 0
   */
  readonly index?: number | undefined
  /**
   * The most bytes to return. Lower it for a transaction with further instructions or accounts.
   * @default MAX_INSTRUCTION_BYTES
   */
  readonly maxBytes?: number | undefined
  /**
   * The layout of the signed bytes, hashed by keccak256.
   * @default LAYOUTS.svm
   */
  readonly layout?: Layout | undefined
}

const optionsSchema = z.strictObject({
  signer: z.string({ error: 'an address or a public key in hex' }),
  index: z.optional(integer(0, 254)),
  maxBytes: z.optional(integer(0, 65_535)),
  layout: z.optional(layoutSchema),
})

/** The places of the index of the instruction that holds the address, the signature and the message. */
const INDEX_PLACES = [3, 6, 11]

/**
 * The data of an instruction by which the secp256k1 program checks that `signer` signed all prices of a reply. A batch is one
 * message, so it is sent whole or not at all: ask for fewer feeds when it does not fit.
 * @throws PriceFeedMockError INSTRUCTION_TOO_LARGE beyond 19 prices, RESPONSE_UNRECOGNISED for a body without signed prices or with
 * a signature of another form, OPTIONS_INVALID
 * @example
 * const data = toInstructionData(await client.batch({ feedIds: ['BTCUSD', 'ETHUSD'] }), { signer: '0xad37…1f55' })
 */
export function toInstructionData(reply: SvmSignedPrices, options: InstructionOptions): Uint8Array {
  const {
    signer,
    index = 0,
    maxBytes = MAX_INSTRUCTION_BYTES,
    layout = LAYOUTS.svm,
  } = parseOrThrow(optionsSchema, options, 'OPTIONS_INVALID', 'The call of toInstructionData')
  const [address] = parseSigners([signer])
  if (layout.digest !== 'keccak256') {
    const problem = { at: 'layout.digest', got: layout.digest, want: 'keccak256, which the program computes' }
    throw wrongValue('OPTIONS_INVALID', 'The secp256k1 program cannot check this layout.', problem)
  }
  const { signature, recoveryId } = (reply ?? {}) as Partial<SvmSignedPrices>
  const digits = layout.signature === 'rs' ? 128 : 130
  const form = new RegExp(`^${layout.hexPrefix}(?=[0-9a-f]{${digits}}$)(.{128})`, 'i')
  const rs = typeof signature === 'string' ? form.exec(signature)?.[1] : undefined
  if (rs === undefined)
    throw unrecognised('signature', signature, `${digits} hex digits ${layout.hexPrefix ? 'behind' : 'without'} 0x`)
  if (recoveryId !== 0 && recoveryId !== 1) throw unrecognised('recoveryId', recoveryId, '0 or 1')
  const prices = 'prices' in reply ? reply.prices : [reply]
  const message = encodeOrThrow(layout, prices)
  assertFits(message.length, prices.length, maxBytes)

  const data = encodeInstruction({ message, rs, recoveryId, address: address! })
  for (const at of INDEX_PLACES) data[at] = index
  return data
}

interface SignedMessage extends SignatureParts {
  /** The bytes that the program hashes: with the prefix of the layout. */
  readonly message: Uint8Array
  /** The signer to expect: an Ethereum address with `0x`. */
  readonly address: string
}

/** The place of each part behind the header of one signature. */
const ADDRESS_AT = 12
const SIGNATURE_AT = ADDRESS_AT + 20
const MESSAGE_AT = SIGNATURE_AT + 65

/**
 * The data of an instruction for Solana's secp256k1 precompile, the first of its transaction. Its program compares the key that it
 * recovers with the address in these data, so a consumer must still compare that address with the signer it trusts.
 *
 * A packet has 1,232 bytes, and a batch takes 49 for each price: more than 19 prices do not fit into one transaction.
 */
export function encodeInstruction({ message, rs, recoveryId, address }: SignedMessage): Uint8Array {
  const header = new Uint8Array(ADDRESS_AT)
  const view = new DataView(header.buffer)
  view.setUint8(0, 1)
  // Offsets and the size are u16, little-endian; each is followed by the index of the instruction that has the bytes, 0.
  view.setUint16(1, SIGNATURE_AT, true)
  view.setUint16(4, ADDRESS_AT, true)
  view.setUint16(7, MESSAGE_AT, true)
  view.setUint16(9, message.length, true)
  return concatBytes(header, hexToBytes(address.slice(2)), hexToBytes(rs), Uint8Array.of(recoveryId), message)
}

function encodeOrThrow(layout: Layout, prices: readonly SvmPrice[]): Uint8Array {
  if (!Array.isArray(prices) || prices.length === 0) throw unrecognised('prices', prices, 'at least one price')
  for (const [i, each] of prices.entries()) {
    const { feedId, price, expo, ts } = (each ?? {}) as Partial<SvmPrice>
    if (typeof feedId !== 'string' || !/^[!-~]+$/.test(feedId))
      throw unrecognised(`prices[${i}].feedId`, feedId, 'the symbol, which the signature covers')
    for (const [name, value] of Object.entries({ price, expo, ts }))
      if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
        throw unrecognised(`prices[${i}].${name}`, value, 'an exact integer; one above 2^53 as a bigint')
  }
  try {
    const { encode, preimage } = createEncoder(layout)
    return preimage(encode(prices as readonly Tick[]))
  } catch (error) {
    const [problem] = isPriceFeedMockError(error) ? error.problems : []
    if (problem === undefined) throw error
    throw unrecognised(problem.at, problem.got, problem.want)
  }
}

function assertFits(messageBytes: number, count: number, maxBytes: number): void {
  const bytes = MESSAGE_AT + messageBytes
  if (bytes <= maxBytes) return
  const fitting = Math.max(0, Math.floor((maxBytes - MESSAGE_AT) / (messageBytes / count)))
  throw new PriceFeedMockError(
    'INSTRUCTION_TOO_LARGE',
    `A batch of ${countOf(count, 'price')} does not fit into one instruction: a packet of Solana has 1,232 bytes.`,
    {
      got: `${bytes} bytes`,
      want: `at most ${maxBytes} bytes, ${countOf(fitting, 'price')}`,
      fix: 'split feedIds over several requests; each batch has its own signature',
    },
  )
}

function unrecognised(at: string, got: unknown, want: string): PriceFeedMockError {
  return wrongValue('RESPONSE_UNRECOGNISED', `The reply has no usable ${at}.`, { at, got, want })
}
