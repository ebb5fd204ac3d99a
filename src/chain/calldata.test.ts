import { readFileSync } from 'node:fs'
import { keccak256 } from 'js-sha3'
import { describe, expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { describeError, hasValidChecksum, toChecksum } from './calldata.js'
import { toBytes32, toCalldata, UPDATE_PRICE } from './chain.js'

const price = { feedId: 'BTCUSD', price: 256, ts: 1_753_354_105, expo: -8, signature: 'ab'.repeat(65) }

/** The words of calldata, without the selector. */
const wordsOf = (data: string): string[] => data.slice(10).match(/.{64}/g) ?? []

describe('toBytes32', () => {
  it('default: pads on the left, as the EVM layout does', () => {
    expect(toBytes32('BTCUSD')).toBe(`0x${'0'.repeat(52)}425443555344`)
  })

  it('args: pads on the right, as the SVM layout does', () => {
    expect(toBytes32('BTCUSD', 'right')).toBe(`0x425443555344${'0'.repeat(52)}`)
  })

  it.each(['', 'A'.repeat(33), 'BTC USD', 'BTCÜSD', undefined])('error: %j', feedId => {
    expect(() => toBytes32(feedId as string)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  })

  it.each(['Left', 'start', 32, null])('error: pad %j, which JavaScript may pass', pad => {
    expect(() => toBytes32('BTCUSD', pad as 'left')).toThrow(
      expect.objectContaining({
        code: 'OPTIONS_INVALID',
        problems: [{ at: 'pad', got: pad, want: '"left" or "right"' }],
      }),
    )
  })
})

describe('toCalldata', () => {
  it('default: the selector, five words, and the signature with its length', () => {
    const data = toCalldata(price)
    const declared = UPDATE_PRICE.replace(/ \w+(?=[,)])/g, '').replaceAll(' ', '')
    expect(declared).toBe('updatePrice(bytes32,uint192,uint32,int32,bytes)')
    expect(data.slice(2, 10)).toBe(keccak256(declared).slice(0, 8))
    expect(wordsOf(data)).toEqual([
      toBytes32('BTCUSD').slice(2),
      `${'0'.repeat(61)}100`,
      `${'0'.repeat(56)}68820f79`,
      `${'f'.repeat(63)}8`,
      `${'0'.repeat(62)}a0`,
      `${'0'.repeat(62)}41`,
      'ab'.repeat(32),
      'ab'.repeat(32),
      `ab${'0'.repeat(62)}`,
    ])
  })

  it('behavior: takes each price of an evm reply', () => {
    const { body } = createCalls().ask('/prices/evm/crypto?feedIds=BTCUSD,ETHUSD')
    for (const one of body.prices) {
      const words = wordsOf(toCalldata(one))
      expect(BigInt(`0x${words[1]}`)).toBe(BigInt(one.price))
      expect(words.slice(6).join('').slice(0, 130)).toBe(one.signature)
    }
  })

  it('args: another function, a bigint, a negative price and a short signature', () => {
    const data = toCalldata({ ...price, price: -(2n ** 53n) - 1n, signature: '' }, { functionName: 'push' })
    expect(data.slice(2, 10)).toBe(keccak256('push(bytes32,uint192,uint32,int32,bytes)').slice(0, 8))
    // 2^192 is out of the range of the type: the upper bytes of the word stay zero.
    expect(BigInt(`0x${wordsOf(data)[1]}`)).toBe(2n ** 192n - 2n ** 53n - 1n)
    expect(wordsOf(data)).toHaveLength(6)
  })

  it.each([
    ['a rounded price', { price: 2 ** 53 }],
    ['a fraction', { price: 1.5 }],
    ['a price beyond int64', { price: 2n ** 63n }],
    ['a price below int64', { price: -(2n ** 63n) - 1n }],
    ['a time beyond 32 bits', { ts: 2 ** 32 }],
    ['0x before the signature', { signature: `0x${price.signature}` }],
    ['half a byte of signature', { signature: 'abc' }],
    ['no signature', { signature: undefined }],
    ['the form of latest and history', { signature: 'ab'.repeat(64), recoveryId: 1 }],
    ['a number as feedId', { feedId: 1 }],
  ])('error: %s', (_, change) => {
    expect(() => toCalldata({ ...price, ...change } as never)).toThrow(
      expect.objectContaining({ code: 'RESPONSE_UNRECOGNISED' }),
    )
  })

  it('error: the name of no function', () => {
    expect(() => toCalldata(price, { functionName: 'a b' })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })
})

describe('describeError', () => {
  const sources = ['evm-anvil/Board.sol', 'evm-foundry/src/PriceFeed.sol', 'evm-foundry/src/MockFeed.sol']
    .map(name => readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8'))
    .join('\n')
  it.each([...sources.matchAll(/^ +error (\w+)\((.*)\);/gm)].map(([, name, inputs]) => [name!, inputs!]))(
    'default: %s(%s) of a contract of the examples has a name',
    (name, inputs) => {
      const types = inputs.replace(/ \w+(?=,|$)/g, '').replaceAll(' ', '')
      const selector = `0x${keccak256(`${name}(${types})`).slice(0, 8)}`
      expect(describeError(selector)).toBe(`${name} (${selector})`)
    },
  )
})

// The examples of https://eips.ethereum.org/EIPS/eip-55: all capitals, all small, and normal ones.
it.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('default: %s', address => {
  expect(toChecksum(address.toLowerCase())).toBe(address)
  expect(hasValidChecksum(address)).toBe(true)
  expect(hasValidChecksum(address.toLowerCase())).toBe(true)
  expect(hasValidChecksum(`0x${address.slice(2).toUpperCase()}`)).toBe(true)
})

it.each(['0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAef'])(
  'error: %s',
  address => expect(hasValidChecksum(address)).toBe(false),
)
