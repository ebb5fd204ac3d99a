// Signers in a consumer's configuration, and the public test keys among them.
import { hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems } from '../settings/schema.js'
import { createSigner, toAddress } from './signer.js'
import { TEST_KEY_COUNT, testKey } from './test-keys.js'

/** The public part of a test key. */
export interface TestSigner {
  /** The number of the test key: 0 … 9. */
  readonly number: number
  /** Compressed public key, 33 bytes in hex. */
  readonly publicKey: string
  /** Ethereum address with `0x`, lower case. */
  readonly address: string
}

let cached: readonly TestSigner[] | undefined

/** The ten public test keys. Anybody can sign with them, so production must not trust them. */
export function testSigners(): readonly TestSigner[] {
  cached ??= Array.from({ length: TEST_KEY_COUNT }, (_, number) => {
    const { publicKey, address } = createSigner(testKey(number))
    return { number, publicKey, address }
  })
  return cached
}

/**
 * Asserts that a configuration trusts no test key. Use it to test production settings.
 * @param signers addresses or public keys in hex
 * @throws PriceFeedMockError TEST_SIGNER_TRUSTED with every test key among them, OPTIONS_INVALID when one is not a signer
 */
export function assertNoTestSigners(signers: readonly string[]): void {
  const problems = parseSigners(signers).flatMap((address, i): Problem[] => {
    const number = testKeyOfAddress(address)
    if (number === undefined) return []
    return [{ at: `signers[${i}]`, got: signers[i], want: `a signer of the service; this is test key ${number}` }]
  })
  if (problems.length > 0)
    throw new PriceFeedMockError('TEST_SIGNER_TRUSTED', 'A public test key is trusted: anybody can sign with it.', {
      problems,
    })
}

/**
 * Converts signers to addresses, in order.
 * @throws PriceFeedMockError OPTIONS_INVALID with every item that is neither an address nor a public key
 */
export function parseSigners(signers: readonly string[]): string[] {
  const addresses = signers.map(toSignerAddress)
  const problems = addresses.flatMap((address, i): Problem[] =>
    address === undefined ? [{ at: `signers[${i}]`, got: signers[i], want: 'an address or a public key in hex' }] : [],
  )
  assertNoProblems('OPTIONS_INVALID', 'The list of signers', problems)
  return addresses as string[]
}

/** Describes an address, with the number of its test key if it has one. */
export function describeSigner(address: string): string {
  const number = testKeyOfAddress(address)
  return number === undefined ? address : `${address} (test key ${number})`
}

const testKeyOfAddress = (address: string): number | undefined =>
  testSigners().find(signer => signer.address === address)?.number

/** Converts an address or a public key (compressed, uncompressed, or its bare 64 bytes) to an address. */
function toSignerAddress(signer: string): string | undefined {
  const digits = String(signer).replace(/^0x/i, '').toLowerCase()
  if (/^[0-9a-f]{40}$/.test(digits)) return `0x${digits}`
  try {
    const publicKey = hexToBytes(digits.length === 128 ? `04${digits}` : digits)
    return toAddress(secp.Point.fromBytes(publicKey).toBytes(false))
  } catch {
    return undefined
  }
}
