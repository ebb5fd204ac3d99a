import { createHash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { keccak256 } from 'js-sha3'
import { describe, expect, it, test } from 'vitest'
import vectors from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { errorLines, failureOf } from '../../test/support/problem-paths.js'
import { LAYOUTS, type Layout } from '../settings/layouts.js'
import { checkLayouts, createEncoder, type Tick } from './encode.js'

const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: 1753354105 }

/** The message of one price in a layout of some fields. */
function encode(fields: string[], price: Partial<Tick> = {}, overflow?: 'wrap'): string {
  const { encode } = createEncoder({ ...LAYOUTS.svm, fields })
  return bytesToHex(encode([{ ...btc, ...price }], overflow))
}

const reversed = (hex: string): string => hex.match(/../g)!.reverse().join('')

describe('encode', () => {
  const ofKeyZero = vectors.vectors.filter(({ key }) => key === 0)

  test.each(ofKeyZero)('default: $title, $layout', ({ layout, prices, message, digest }) => {
    const encoder = createEncoder(LAYOUTS[layout as keyof typeof LAYOUTS])
    const encoded = encoder.encode(prices)
    expect(bytesToHex(encoded)).toBe(message)
    expect(bytesToHex(encoder.digest(encoded))).toBe(digest)
  })

  test('behavior: fields are in the order of the layout, which may omit some', () => {
    expect(encode(['ts:u32be', 'feedId:ascii6-left'])).toBe('68820f79425443555344')
    expect(encode(['feedId:ascii6-left', 'ts:u32be'])).toBe('42544355534468820f79')
  })

  test('behavior: an id is padded with zeros on its side', () => {
    expect(encode(['feedId:ascii8-right'])).toBe('4254435553440000')
    expect(encode(['feedId:ascii8-left'])).toBe('0000425443555344')
    expect(encode(['feedId:ascii6-right'])).toBe('425443555344')
  })

  const widths = [8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 160, 192, 256]
  test.each(widths)('args: integers of %i bits, at both ends of the range', bits => {
    const top = 1n << BigInt(bits)
    const orders = bits === 8 ? [''] : ['le', 'be']
    for (const order of orders)
      for (const [encoding, values] of [
        [`u${bits}${order}`, [0n, 1n, -1n, top / 2n, top - 1n]],
        [`i${bits}${order}`, [0n, 1n, -1n, top / 2n - 1n, -top / 2n]],
      ] as const)
        for (const price of values) {
          const bigEndian = BigInt.asUintN(bits, price)
            .toString(16)
            .padStart(bits / 4, '0')
          expect(encode([`price:${encoding}`], { price }, 'wrap'), `${price} as ${encoding}`).toBe(
            order === 'le' ? reversed(bigEndian) : bigEndian,
          )
        }
  })

  test('args: a bigint above 2^53 keeps every digit', () => {
    expect(encode(['price:u64be'], { price: 2n ** 53n + 1n })).toBe('0020000000000001')
  })

  test('error: an id that is too long, and a number that does not fit', () => {
    const messages = errorLines(
      () => encode(['feedId:ascii5-right']),
      () => encode(['price:u40le']),
    )
    expect(messages).toMatchInlineSnapshot(`
      "PriceUnsignableError: The feedId of BTCUSD does not fit the layout that signs it. | at    feedId | got   "BTCUSD" (string) | want  at most 5 characters | fix   choose a layout with a wider field in signing.layouts | code  PRICE_UNSIGNABLE
      PriceUnsignableError: The price of BTCUSD does not fit the layout that signs it. | at    price | got   11830872000000 | want  a number from -549755813888 to 549755813887, in u40le | fix   choose a layout with a wider field in signing.layouts | code  PRICE_UNSIGNABLE"
    `)
  })

  test.each([
    ['price:u64le', { price: 2n ** 63n }],
    ['price:u64le', { price: -(2n ** 63n) - 1n }],
    ['price:u192be', { price: 2n ** 63n }],
    ['price:u192be', { price: -(2n ** 63n) - 1n }],
    ['price:u32le', { price: 2n ** 31n }],
    ['price:i64le', { price: 2n ** 63n }],
    ['price:i64le', { price: -(2n ** 63n) - 1n }],
    ['expo:i8', { expo: 128 }],
    ['expo:u8', { expo: 248 }],
    ['expo:i8', { expo: -129 }],
    ['ts:u32be', { ts: 2 ** 32 }],
    ['ts:i32be', { ts: 2 ** 31 }],
    ['ts:u64le', { ts: -1 }],
    ['ts:i64le', { ts: -1 }],
  ])('error: %s one past its end, %o', (field, price) => {
    expect(() => encode([field], price)).toThrow(expect.objectContaining({ code: 'PRICE_UNSIGNABLE' }))
  })
})

test('error: a wider field is advised only where it helps', () => {
  const fixOf = (field: string, price: Partial<Tick>) => failureOf(() => encode([field], price)).details
  const wider = [['fix', 'choose a layout with a wider field in signing.layouts']]
  expect(fixOf('ts:u32be', { ts: 2 ** 32 })).toEqual(wider)
  expect(fixOf('ts:u32be', { ts: -1 })).toEqual([])
  expect(fixOf('price:u64le', { price: 2n ** 63n })).toEqual([])
})

test('behavior: every int64 has its own bytes', () => {
  for (const field of ['price:u64le', 'price:i64le', 'price:u192be']) {
    const prices = [-(2n ** 63n), -11_008_588_000_000n, -1n, 0n, 1n, 2n ** 63n - 1n]
    expect(new Set(prices.map(price => encode([field], { price }))).size, field).toBe(prices.length)
  }
})

describe('digest', () => {
  const message = Uint8Array.of(1, 2, 3)
  const digest = (layout: Partial<Layout>): string =>
    bytesToHex(createEncoder({ ...LAYOUTS.svm, ...layout }).digest(message))
  const sha256 = (...parts: (string | Uint8Array)[]): string =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')

  test('default', () => expect(digest({})).toBe(keccak256(message)))

  test('args: sha256', () => expect(digest({ digest: 'sha256' })).toBe(sha256(message)))

  test('args: the EIP-191 prefix precedes the hash of the message', () => {
    const prefix = Buffer.from('\x19Ethereum Signed Message:\n32')
    const inner = Buffer.from(keccak256(message), 'hex')
    expect(digest({ prefix: 'eip191' })).toBe(keccak256(Buffer.concat([prefix, inner])))
    expect(digest({ prefix: 'eip191', digest: 'sha256' })).toBe(sha256(prefix, Buffer.from(sha256(message), 'hex')))
  })

  test('args: a prefix in hex precedes the message', () => {
    for (const prefix of ['1901', '0x1901'])
      expect(digest({ prefix }), prefix).toBe(keccak256(Uint8Array.of(0x19, 1, 1, 2, 3)))
    expect(digest({ prefix: 'Ff00', digest: 'sha256' })).toBe(sha256(Uint8Array.of(255, 0), message))
  })
})

const bare = { ...LAYOUTS.evm, signature: 'rs' } as const
const layouts = { ...LAYOUTS, bare, small: { ...LAYOUTS.svm, fields: ['price:u8'] } }
const tick = { feedId: 'BTCUSD', price: 256, expo: -8, ts: 0 }
const placesOf = (svm: string, evm: string) => checkLayouts({ svm, evm, layouts }, [tick]).map(({ at }) => at)

it('default: the layouts of the service', () => expect(placesOf('svm', 'evm')).toEqual([]))

it('error: an EVM layout without v, which the other form may have', () => {
  expect(placesOf('svm', 'bare')).toEqual(['signing.layouts.bare.signature'])
  expect(placesOf('bare', 'evm')).toEqual([])
})

it('error: an unknown layout, and a field that is too small', () => {
  const want = 'the name of a layout: svm, evm, bare, small'
  expect(checkLayouts({ svm: 'nope', evm: 'toString', layouts }, [tick])).toEqual([
    { at: 'signing.svm', got: 'nope', want },
    { at: 'signing.evm', got: 'toString', want },
  ])
  expect(placesOf('small', 'evm')).toEqual(['signing.layouts.small'])
})
