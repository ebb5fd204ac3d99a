// Signers in a consumer's configuration, and the public test keys among them. Signers are found in a value of any shape.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { isObject, NOT_SHOWN, PriceFeedMockError, type Problem, tryTo } from '../errors.js'
import { assertNoProblems, pathOf } from '../settings/schema.js'
import { createSigner, type Signer, TEST_KEY_COUNT, testKey, toAddress } from './signer.js'

/** The public part of a test key. */
export interface TestSigner extends Pick<Signer, 'publicKey' | 'address'> {
  /** The number of the test key: 0 … 9. */
  readonly number: number
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
  const toPart = (value: unknown, at: string, want: string) => ({
    at: at || 'config',
    // An object can hold secrets, or throw when it is read.
    got: isObject(value) ? NOT_SHOWN : value,
    want,
    found: findSigners(value, at, place =>
      unreadable.push({ at: place || 'config', got: NOT_SHOWN, want: 'a value that can be read' }),
    ),
  })
  const parts = itemsOf(config)?.map((item, i) => toPart(item, `signers[${i}]`, SIGNER)) ?? [
    toPart(config, '', `${SIGNER}, a list of them, or an object with some`),
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

/** The items of a list of signers; undefined for anything else, also for one signer in bytes. */
function itemsOf(config: unknown): readonly unknown[] | undefined {
  return tryTo(() => {
    if (!Array.isArray(config) || findSigners(config, '').some(({ at }) => at === '')) return undefined
    return Array.from(config as readonly unknown[])
  })
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

/**
 * Finds every address and public key in a value, with its path and its text there: hex anywhere in a text, keys of objects, bytes, and
 * large bigints. Never fails.
 * @param onUnreadable receives the path to each value that throws when it is read, such as a getter
 */
function findSigners(root: unknown, path: string, onUnreadable: (at: string) => void = () => {}) {
  const found: { readonly at: string; readonly got: string; readonly address: string }[] = []
  const seen = new Set<unknown>()
  // A list of open values and no recursion: a configuration can be deep or contain itself.
  const open = [{ value: root, at: path }]
  for (const { value, at } of open) {
    try {
      const text = textIn(value)
      for (const got of text?.match(HEX) ?? []) {
        const address = /^(0x)?.{64}$/i.test(got) ? addressOfWord(got.slice(-64).toLowerCase()) : toSignerAddress(got)
        if (address !== undefined) found.push({ at, got, address })
      }
      if (text !== undefined || !isObject(value) || seen.has(value)) continue
      seen.add(value)
      for (const [key, read] of entriesOf(value)) {
        const inside = pathOf(
          [at, ...(typeof key === 'object' ? [] : [key as PropertyKey])].filter(part => part !== ''),
        )
        // Some configurations have signers as keys.
        if (typeof key !== 'number') open.push({ value: key, at: inside })
        try {
          open.push({ value: read(), at: inside })
        } catch {
          onUnreadable(inside)
        }
      }
    } catch {
      onUnreadable(at)
    }
  }
  return found
}

/** Converts an address or a public key (compressed, uncompressed, or its bare 64 bytes) to an address. */
export function toSignerAddress(signer: unknown): string | undefined {
  const digits = typeof signer === 'string' ? signer.replace(/^0x/i, '').toLowerCase() : ''
  if (/^[0-9a-f]{40}$/.test(digits)) return `0x${digits}`
  return tryTo(() => {
    const publicKey = hexToBytes(digits.length === 128 ? `04${digits}` : digits)
    return toAddress(secp.Point.fromBytes(publicKey).toBytes(false))
  })
}

/** The address of a word of 32 bytes: one with zeros before it, as contracts have them, or that of a test key itself. */
function addressOfWord(digits: string): string | undefined {
  const address = /^0{24}(.{40})$/.exec(digits)?.[1]
  if (address !== undefined) return BigInt(`0x${address}`) < MIN_ADDRESS ? undefined : `0x${address}`
  return testSigners().find(({ number }) => bytesToHex(testKey(number)) === digits)?.address
}

/** The digits of an address, of a word of 32 bytes or of a public key, as a whole. */
const HEX = /(?<![0-9a-f])(?:0x)?(?:[0-9a-f]{130}|[0-9a-f]{128}|[0-9a-f]{66}|[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/gi
/** The lengths of an address, of a word and of a public key. */
const LENGTHS: readonly number[] = [20, 32, 33, 64, 65]

/** An address as a number is above this; smaller ones are identifiers of chains, amounts and times. */
const MIN_ADDRESS = 1n << 100n

/** A text, also one in bytes; bytes of such a length or an address as a number, as hex. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint')
    return value >= MIN_ADDRESS && value < 1n << 160n ? `0x${value.toString(16).padStart(40, '0')}` : ''
  const bytes = toBytes(value)
  if (bytes === undefined) return undefined
  const text = bytes instanceof Uint8Array ? toText(bytes) : undefined
  if (!LENGTHS.includes(bytes.length)) return text
  const isBytes = Array.from(bytes).every(
    one => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255,
  )
  // Bytes of such a length may be a text as well.
  return isBytes ? `${bytesToHex(Uint8Array.from(bytes as ArrayLike<number>))} ${text ?? ''}` : undefined
}

/** Bytes as characters of one byte each. */
function toText(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return text
}

function toBytes(value: unknown): ArrayLike<unknown> | undefined {
  if (Array.isArray(value)) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}

type Entry = readonly [key: unknown, read: () => unknown]

function entriesOf(value: object): Iterable<Entry> {
  if (ArrayBuffer.isView(value)) return []
  const list = Array.isArray(value) ? value : value instanceof Set ? [...value] : undefined
  if (list !== undefined) return list.map((item, i): Entry => [i, () => item])
  if (value instanceof Map) return [...value].map(([key, item]): Entry => [key, () => item])
  const keys = Object.keys(value)
  // The text of a URL is no property of its own.
  if ('href' in value && !keys.includes('href')) keys.push('href')
  // Each value is read on its own, so that one that cannot be read hides no other.
  return keys.map((key): Entry => [key, () => (value as Record<string, unknown>)[key]])
}
