import { expect, it } from 'vitest'
import { blocksOf, expectForged, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, expectCalm, pairOf, targetOf } from '../../../test/support/request-faults.js'
import { canActOn } from '../fault.js'
import { batchReordered } from './batch-reordered.js'

describeFault('signature/batch-reordered', {
  on: ['batch'],
  effect({ wire, calm }) {
    expectForged(wire.body)
    const [block] = blocksOf(wire.body)
    expect(block!.prices.map(({ feedId }) => feedId)).toEqual(['SOLUSD', 'ETHUSD', 'BTCUSD'])
    expect(recover(block!, [...block!.prices].reverse())).toBe(SIGNER.publicKey)
    expect(block!.signature).toBe(blocksOf(calm.body)[0]!.signature)
  },
})

it('behavior: a batch of one does not change', async () => {
  expectCalm(await pairOf([{ fault: 'signature/batch-reordered' }]).ask(targetOf('batch', ['BTCUSD'])))
})

it('behavior: it needs no endpoint to be named, since it is one of batches', async () => {
  expectCalm(await pairOf([{ fault: 'signature/batch-reordered' }]).ask(targetOf('latest')))
  expect(canActOn(batchReordered, 'latest')).toBe(false)
})

it('args: an order that is signed', async () => {
  const { wire } = await pairOf([{ fault: 'signature/batch-reordered', options: { valid: true } }]).ask(
    targetOf('batch'),
  )
  const [block] = blocksOf(wire.body)
  expect(block!.prices.map(({ feedId }) => feedId)).toEqual(['SOLUSD', 'ETHUSD', 'BTCUSD'])
  expect(recover(block!)).toBe(SIGNER.publicKey)
})
