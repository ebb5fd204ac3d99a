import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { LAYOUTS } from '../settings/layouts.js'
import { createEncoder } from '../signing/encode.js'
import { recoverKey } from '../signing/recover.js'
import { testSigners } from '../signing/signers.js'
import { MAX_INSTRUCTION_BYTES, toInstructionData } from './chain.js'

const signer = testSigners()[0]!.address
const FEEDS = createCalls().mock.sessions.default.runtime.market.feeds.map(({ id }) => id)
const batchOf = (count: number) => {
  const { body } = createCalls().ask(`/prices/batch?feedIds=${FEEDS.slice(0, count).join(',')}`)
  expect(body.prices).toHaveLength(count)
  return body
}

/** The part of an instruction at its `n`th offset. */
function partAt(data: Uint8Array, offsetAt: number, size: number): string {
  const at = new DataView(data.buffer).getUint16(offsetAt, true)
  return bytesToHex(data.subarray(at, at + size))
}

describe('default', () => {
  it.each([1, 2, 19])('a batch of %i: one set of offsets, the address, the signature and the message', count => {
    const batch = batchOf(count)
    const data = toInstructionData(batch, { signer })
    const view = new DataView(data.buffer)
    const message = bytesToHex(createEncoder(LAYOUTS.svm).encode(batch.prices))
    expect([data[0], data[3], data[6], data[11]]).toEqual([1, 0, 0, 0])
    expect(partAt(data, 1, 65)).toBe(`${batch.signature}0${batch.recoveryId}`)
    expect(partAt(data, 4, 20)).toBe(signer.slice(2))
    expect(view.getUint16(9, true)).toBe(49 * count)
    expect(partAt(data, 7, 49 * count)).toBe(message)
    expect(data.length).toBeLessThanOrEqual(MAX_INSTRUCTION_BYTES)
  })

  it('one price: the data of a batch of one', () => {
    const { body } = createCalls().ask('/prices/BTCUSD/latest')
    expect(toInstructionData(body, { signer })).toEqual(toInstructionData(batchOf(1), { signer }))
  })
})

it('args: the index of the instruction', () => {
  const data = toInstructionData(batchOf(1), { signer, index: 2 })
  expect([data[3], data[6], data[11]]).toEqual([2, 2, 2])
})

it('args: a larger limit', () => {
  const maxBytes = 97 + 20 * 49
  expect(toInstructionData(batchOf(20), { signer, maxBytes })).toHaveLength(maxBytes)
  expect(() => toInstructionData(batchOf(20), { signer, maxBytes: maxBytes - 1 })).toThrow('does not fit')
})

/** The address of the key that the secp256k1 program recovers: it hashes the message by keccak256. */
function recovered(data: Uint8Array): string | undefined {
  const size = new DataView(data.buffer).getUint16(9, true)
  const bytes = hexToBytes(partAt(data, 1, 65))
  return recoverKey(bytes.subarray(0, 64), bytes[64]!, keccak_256(hexToBytes(partAt(data, 7, size))))?.address
}

it.each([{}, { prefix: 'eip191' }, { prefix: '0xbeef' }, { hexPrefix: '0x' }, { signature: 'rsv' }] as const)(
  'args: the layout %j: the program recovers the signer',
  change => {
    const layout = { ...LAYOUTS.svm, ...change }
    const { ask } = createCalls({ signing: { svm: 'mine', layouts: { mine: layout as never } } })
    const { body } = ask('/prices/batch?feedIds=BTCUSD,ETHUSD')
    expect(recovered(toInstructionData(body, { signer, layout: layout as never }))).toBe(signer)
  },
)

it('error: a layout whose hash the program does not compute', () => {
  const layout = { ...LAYOUTS.svm, digest: 'sha256' } as never
  expect(() => toInstructionData(batchOf(1), { signer, layout })).toThrow(
    expect.objectContaining({
      code: 'OPTIONS_INVALID',
      problems: [{ at: 'layout.digest', got: 'sha256', want: 'keccak256, which the program computes' }],
    }),
  )
})

it('error: more than 19 prices', () => {
  expect(() => toInstructionData(batchOf(20), { signer })).toThrowErrorMatchingInlineSnapshot(`
    [InstructionTooLargeError: A batch of 20 prices does not fit into one instruction: a packet of Solana has 1,232 bytes.
      got   1077 bytes
      want  at most 1060 bytes, 19 prices
      fix   split feedIds over several requests; each batch has its own signature
      code  INSTRUCTION_TOO_LARGE]
  `)
})

const PRICE = { feedId: 'BTCUSD', price: 1, expo: -8, ts: 1 }

it.each([
  ['a short signature', { signature: 'ab' }, 'signature', '128 hex digits without 0x'],
  ['0x before the signature', { signature: `0x${'ab'.repeat(64)}` }, 'signature', '128 hex digits without 0x'],
  ['v in place of the recovery id', { recoveryId: 27 }, 'recoveryId', '0 or 1'],
  ['no recovery id', { recoveryId: undefined }, 'recoveryId', '0 or 1'],
  ['no prices', { prices: [] }, 'prices', 'at least one price'],
  [
    'a number as feedId',
    { prices: [{ ...PRICE, feedId: 1 }] },
    'prices[0].feedId',
    'the symbol, which the signature covers',
  ],
  [
    'a rounded price',
    { prices: [PRICE, { ...PRICE, price: 2 ** 53 }] },
    'prices[1].price',
    'an exact integer; one above 2^53 as a bigint',
  ],
  ['an expo beyond its field', { prices: [{ ...PRICE, expo: 300 }] }, 'expo', 'a number from -128 to 127, in i8'],
])('error: %s', (_, change, at, want) => {
  expect(() => toInstructionData({ ...batchOf(1), ...change } as never, { signer })).toThrow(
    expect.objectContaining({ code: 'RESPONSE_UNRECOGNISED', problems: [expect.objectContaining({ at, want })] }),
  )
})

it.each([{}, { signer: 'me' }, { signer, index: 256 }])('error: options %j', options => {
  expect(() => toInstructionData(batchOf(1), options as never)).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID' }),
  )
})
