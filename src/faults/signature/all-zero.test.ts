import { expect, it } from 'vitest'
import { blocksOf, expectForged, recover } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('signature/all-zero', {
  effect({ wire }) {
    expectForged(wire.body)
    for (const block of blocksOf(wire.body)) {
      expect(block.signature).toBe('0'.repeat(128) + (block.form === 'evm' ? '1b' : ''))
      expect(block.recoveryId).toBe(0)
      expect(recover(block)).toBeUndefined()
    }
  },
})

it('args: the low of a history alone', async () => {
  const { body } = await mockWith([{ fault: 'signature/all-zero', options: { only: 'low' } }]).ask(targetOf('history'))
  const isZero = blocksOf(body).map(({ signature }) => /^0{128}$/.test(signature))
  expect(isZero).toEqual(isZero.map((_, i) => i % 2 === 1))
})
