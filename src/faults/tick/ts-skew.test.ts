import { expect, it } from 'vitest'
import { NOW } from '../../../test/support/hosts.js'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('tick/ts-skew', {
  effect({ wire, calm }) {
    const later = pricesOf(calm.body).map(({ price, ts }) => ({ price, ts: ts + 30 }))
    expect(pricesOf(wire.body)).toMatchObject(later)
    expectGenuine(wire.body)
  },
})

it('args: seconds, into the past and not before 1970', async () => {
  const past = mockWith([{ fault: 'tick/ts-skew', options: { seconds: -86_400 } }])
  const { body } = await past.ask(targetOf('latest'))
  expect(pricesOf(body)[0]!.ts).toBe(NOW - 1 - 86_400)
  const clock = { at: '1970-01-01T01:00:00Z', frozen: true }
  const early = await mockWith([{ fault: 'tick/ts-skew', options: { seconds: -86_400 } }], { clock }).ask(
    targetOf('latest'),
  )
  expect(pricesOf(early.body)[0]!.ts).toBe(0)
  expectGenuine(early.body)
})
