// Signers in a consumer's configuration, and the public test keys among them.
import { NOT_SHOWN, PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems } from '../settings/schema.js'
import { findSigners, toSignerAddress } from './find-signers.js'
import { createSigner } from './signer.js'
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

const SIGNER = 'an address or a public key in hex'

/**
 * Asserts that a configuration trusts no test key. Use it to test production settings.
 * @param config a list of signers, or a configuration of any shape: addresses and public keys are found anywhere in its texts, keys
 * and bytes
 * @throws PriceFeedMockError TEST_SIGNER_TRUSTED with every test key in it, OPTIONS_INVALID when it, or an item of the list, has no
 * signer
 */
export function assertNoTestSigners(config: unknown): void {
  const parts =
    Array.isArray(config) && !isSigner(config)
      ? config.map((got: unknown, i) => ({
          at: `signers[${i}]`,
          got,
          want: SIGNER,
          found: findSigners(got, `signers[${i}]`),
        }))
      : [
          {
            at: 'config',
            // It may hold secrets.
            got: typeof config === 'object' && config !== null ? NOT_SHOWN : config,
            want: `${SIGNER}, a list of them, or an object with some`,
            found: findSigners(config, ''),
          },
        ]
  const trusted = parts
    .flatMap(({ found }) => found)
    .flatMap(({ at, got, address }): Problem[] => {
      const number = testKeyOfAddress(address)
      return number === undefined
        ? []
        : [{ at: at || 'config', got, want: `a signer of the service; this is test key ${number}` }]
    })
  if (trusted.length > 0)
    throw new PriceFeedMockError('TEST_SIGNER_TRUSTED', 'A public test key is trusted: anybody can sign with it.', {
      problems: trusted,
    })
  // Nothing was checked there: a typing error, or a name that has changed.
  const unchecked = parts.filter(({ found }) => found.length === 0)
  assertNoProblems(
    'OPTIONS_INVALID',
    'The configuration',
    unchecked.map(({ at, got, want }) => ({ at, got, want })),
  )
}

/** Whether a list is one signer in bytes. */
const isSigner = (list: readonly unknown[]): boolean => findSigners(list, '').some(({ at }) => at === '')

/**
 * Converts signers to addresses, in order.
 * @throws PriceFeedMockError OPTIONS_INVALID with every item that is neither an address nor a public key
 */
export function parseSigners(signers: readonly string[]): string[] {
  const addresses = signers.map(toSignerAddress)
  const problems = addresses.flatMap((address, i): Problem[] =>
    address === undefined ? [{ at: `signers[${i}]`, got: signers[i], want: SIGNER }] : [],
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
