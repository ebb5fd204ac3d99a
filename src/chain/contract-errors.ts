// The names of errors by which contracts revert: those of Solidity, of OpenZeppelin's ECDSA, and of the contracts in examples/.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { asciiBytes } from '../signing/encode.js'

const ERRORS = [
  'Panic(uint256)',
  'ECDSAInvalidSignature()',
  'ECDSAInvalidSignatureLength(uint256)',
  'ECDSAInvalidSignatureS(bytes32)',
  'SignerUnset()',
  'WrongSigner(address)',
  'WrongFeed(bytes32)',
  'WrongExpo(int32)',
  'NotPositive(int256)',
  'FromFuture(uint256,uint256)',
  'FromFuture(uint32)',
  'Stale(uint256,uint256)',
  'Stale(uint32)',
  'Older(uint256,uint256)',
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
