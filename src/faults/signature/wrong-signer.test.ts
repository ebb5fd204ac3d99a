import { expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNERS } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

const keysOf = (body: string): unknown[] => [...new Set(blocksOf(body).map(block => recover(block)))]

describeFault('signature/wrong-signer', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    expect(keysOf(wire.body)).toEqual([SIGNERS[1]!.publicKey])
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(pricesOf(calm.body).map(({ price }) => price))
  },
})

it.each([
  ['another', { signer: 0 }, 5, 5],
  ['that of the session: the one after it', { signer: 5 }, 5, 6],
  ['none: the one after that of the session', { signer: 9 }, undefined, 0],
  ['none beside a key of your own', { signerKeyUnsafe: `0x${'0'.repeat(63)}1` }, undefined, 0],
])('args: testKey: %s', async (_, settings, testKey, expected) => {
  const options = testKey === undefined ? {} : { testKey }
  const { body } = await mockWith([{ fault: 'signature/wrong-signer', options }], settings).ask(targetOf('batch'))
  expect(keysOf(body)).toEqual([SIGNERS[expected]!.publicKey])
})
