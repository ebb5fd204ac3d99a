import { describe, expect, it } from 'vitest'
import { blocksOf, expectGenuine, pricesOf, recover, SIGNER, verdict } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('tick/unsafe-integer', {
  refused: { price: ['', '0', '5', '9007199254740992', '-1', '1.5', '1e3', '01', '10000000000000000000', 5] },
  effect({ wire }) {
    expect(wire.body).toContain('"price":9007199254740993,')
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(pricesOf(wire.body).map(() => 2n ** 53n + 1n))
    expectGenuine(wire.body)
  },
})

it('behavior: JSON.parse rounds the price, which breaks the signature', async () => {
  const { body } = await mockWith([{ fault: 'tick/unsafe-integer' }]).ask(targetOf('latest'))
  const rounded = JSON.stringify(JSON.parse(body))
  expect(rounded).toContain('"price":9007199254740992,')
  expect(verdict(rounded)).not.toBe('ok')
  expect(blocksOf(rounded).map(block => recover(block))).not.toContain(SIGNER.publicKey)
})

describe('price', () => {
  it.each([
    ['9007199254740993', true],
    ['9223372036854775807', true],
    ['9223372036854775808', false],
    ['9999999999999999999', false],
  ])('args: %s', async (price, isInt64) => {
    const { body } = await mockWith([{ fault: 'tick/unsafe-integer', options: { price } }]).ask(targetOf('batch'))
    expect(body).toContain(`"price":${price},`)
    if (isInt64) expectGenuine(body)
    else expect(verdict(body)).toBe('PRICE_REJECTED')
    for (const block of blocksOf(body)) expect(recover(block)).toBe(SIGNER.publicKey)
  })
})
