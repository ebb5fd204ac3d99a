import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('tick/wrong-expo', {
  effect({ wire, calm }) {
    const off = pricesOf(calm.body).map(({ price, expo, ts }) => ({ price, expo: expo + 2, ts }))
    expect(pricesOf(wire.body)).toMatchObject(off)
    expectGenuine(wire.body)
  },
})

it.each([-60, -2, 60])('args: by %i', async by => {
  const { body } = await mockWith([{ fault: 'tick/wrong-expo', options: { by } }]).ask(targetOf('batch'))
  expect(pricesOf(body).map(({ expo }) => expo)).toEqual([by - 8, by - 8, by - 8])
  expectGenuine(body)
})
