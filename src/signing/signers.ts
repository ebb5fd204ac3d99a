// Signers in a consumer's configuration, and the public test keys among them.
import { NOT_SHOWN, PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems } from '../settings/schema.js'
import { type FoundSigner, findSigners, toSignerAddress } from './find-signers.js'
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
  const unreadable: Problem[] = []
  const find = (value: unknown, at: string): FoundSigner[] =>
    findSigners(value, at, place =>
      unreadable.push({ at: place || 'config', got: NOT_SHOWN, want: 'a value that can be read' }),
    )
  const parts = itemsOf(config)?.map((got, i) => ({
    at: `signers[${i}]`,
    got: isShowable(got) ? got : NOT_SHOWN,
    want: SIGNER,
    found: find(got, `signers[${i}]`),
  })) ?? [
    {
      at: 'config',
      got: isShowable(config) ? config : NOT_SHOWN,
      want: `${SIGNER}, a list of them, or an object with some`,
      found: find(config, ''),
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
    // A value that cannot be read could be a test key.
    unreadable.length > 0 ? unreadable : unchecked.map(({ at, got, want }) => ({ at, got, want })),
  )
}

/** Whether an error may show a value: an object can hold secrets, or throw when it is read. */
const isShowable = (value: unknown): boolean => typeof value !== 'object' || value === null

/** The items of a list of signers; undefined for anything else, also for one signer in bytes. */
function itemsOf(config: unknown): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(config) || findSigners(config, '').some(({ at }) => at === '')) return undefined
    return Array.from(config as readonly unknown[])
  } catch {
    return undefined
  }
}

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
