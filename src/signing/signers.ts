// Signers as a consumer's configuration names them, and which of them are the public test keys.
import { hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems } from '../settings/schema.js'
import { createSigner, toAddress } from './signer.js'
import { TEST_KEY_COUNT, testKey } from './test-keys.js'

/** The public face of a test key. */
export interface TestSigner {
  /** Which test key it is: 0 … 9. */
  readonly number: number
  /** Compressed public key, 33 bytes in hex. */
  readonly publicKey: string
  /** Ethereum address with `0x`, lower case. */
  readonly address: string
}

let known: readonly TestSigner[] | undefined

/** The ten public test keys: anybody can sign with them, so nothing in production may trust one. */
export function testSigners(): readonly TestSigner[] {
  known ??= Array.from({ length: TEST_KEY_COUNT }, (_, number) => {
    const { publicKey, address } = createSigner(testKey(number))
    return { number, publicKey, address }
  })
  return known
}

/**
 * Asserts that a configuration trusts no test key: a test for production's settings.
 * @param signers addresses or public keys in hex
 * @throws PriceFeedMockError TEST_SIGNER_TRUSTED with every test key among them, OPTIONS_INVALID when one is no signer
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
 * The addresses of some signers, in order.
 * @throws PriceFeedMockError OPTIONS_INVALID with everything that is neither an address nor a public key
 */
export function parseSigners(signers: readonly string[]): string[] {
  const addresses = signers.map(toSignerAddress)
  const problems = addresses.flatMap((address, i): Problem[] =>
    address === undefined ? [{ at: `signers[${i}]`, got: signers[i], want: 'an address or a public key in hex' }] : [],
  )
  assertNoProblems('OPTIONS_INVALID', 'The list of signers', problems)
  return addresses as string[]
}

/** An address, and the number of the test key that it belongs to. */
export function describeSigner(address: string): string {
  const number = testKeyOfAddress(address)
  return number === undefined ? address : `${address} (test key ${number})`
}

const testKeyOfAddress = (address: string): number | undefined =>
  testSigners().find(signer => signer.address === address)?.number

/** The address of an address, or of a public key: compressed, uncompressed, or its bare 64 bytes. */
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
