// The bytes that chains take: instruction data for Solana's secp256k1 precompile, and calldata for an EVM contract.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { asciiBytes, type Tick } from './encode.js'

/** A signed message. */
export interface SignedMessage {
  readonly message: Uint8Array
  /** r‖s in hex, without `0x`. */
  readonly rs: string
  /** 0 or 1. */
  readonly recoveryId: number
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
export function toInstructionData({ message, rs, recoveryId, address }: SignedMessage): Uint8Array {
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

/** The function that `toCalldata` calls. */
export const CALLDATA_SIGNATURE = 'updatePrice(bytes32,uint192,uint32,int32,bytes)'

/** A feed id in 32 bytes, with zeros on one side. */
export function toBytes32(feedId: string, side: 'left' | 'right'): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes.set(asciiBytes(feedId), side === 'left' ? 32 - feedId.length : 0)
  return bytes
}

/**
 * The calldata of `updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes signature)`: a selector and the ABI
 * encoding. A negative price is its two's complement, as in the signed bytes.
 * @param signature r‖s‖v in hex, without `0x`
 */
export function toCalldata({ feedId, price, ts, expo }: Tick, signature: string): Uint8Array {
  const bytes = hexToBytes(signature)
  const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32)
  padded.set(bytes)
  return concatBytes(
    keccak_256(asciiBytes(CALLDATA_SIGNATURE)).subarray(0, 4),
    toBytes32(feedId, 'left'),
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
