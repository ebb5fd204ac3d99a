import { expect, it } from 'vitest'
import { blocksOf, expectForged } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

/** r‖s of each signature as an integer. */
const rsOf = (body: string): bigint[] => blocksOf(body).map(({ signature }) => BigInt(`0x${signature.slice(0, 128)}`))

describeFault('signature/bit-flip', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    const honest = rsOf(calm.body)
    expect(rsOf(wire.body)).toEqual(honest.map(rs => rs ^ 1n))
  },
})

it.each([0, 3, 4, 255, 256, 510])('args: bit %i', async bit => {
  for (const target of [targetOf('latest'), targetOf('evm')]) {
    const { body } = await mockWith([{ fault: 'signature/bit-flip', options: { bit } }]).ask(target)
    const calm = await mockWith([]).ask(target)
    expect(rsOf(body)).toEqual(rsOf(calm.body).map(rs => rs ^ (1n << BigInt(511 - bit))))
    expectForged(body)
  }
})
