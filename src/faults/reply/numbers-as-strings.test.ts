import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/numbers-as-strings', {
  onErrors: false,
  effect({ wire, calm }) {
    const quoted = JSON.parse(calm.body, (_key, value) => (typeof value === 'number' ? String(value) : value))
    expect(JSON.parse(wire.body)).toEqual(quoted)
    expect(wire.body).not.toMatch(/[:[,]-?\d/)
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
  },
})

it('behavior: integers above 2^53 keep their digits', async () => {
  const { body } = await mockWith([{ fault: 'tick/unsafe-integer' }, { fault: 'reply/numbers-as-strings' }]).ask(
    targetOf('batch'),
  )
  expect(JSON.parse(body).prices[2]).toMatchObject({ price: '9007199254740993', expo: '-8' })
})

it('args: field and only: one field of the first object', async () => {
  const options = { field: 'ts', only: 'first' }
  const { body } = await mockWith([{ fault: 'reply/numbers-as-strings', options }]).ask(targetOf('batch'))
  const [first, ...others] = JSON.parse(body).prices
  expect([typeof first.ts, typeof first.price]).toEqual(['string', 'number'])
  for (const { ts } of others) expect(ts).toEqual(expect.any(Number))
})

it('args: only, without a field: all numbers of the first object', async () => {
  const { body } = await mockWith([{ fault: 'reply/numbers-as-strings', options: { only: 'first' } }]).ask(
    targetOf('batch'),
  )
  const [first, ...others] = JSON.parse(body).prices
  expect([typeof first.ts, typeof first.price, typeof first.expo]).toEqual(['string', 'string', 'string'])
  for (const { ts, price } of others) expect([typeof ts, typeof price]).toEqual(['number', 'number'])
})
