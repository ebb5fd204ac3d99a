import { expect, it } from 'vitest'
import { blocksOf, recover, SIGNER, verdict } from '../../../test/support/recover.js'
import { describeFault, expectActed, mockWith, pairOf, targetOf } from '../../../test/support/request-faults.js'
import { LAYOUTS } from '../../settings/layouts.js'

const signaturesOf = (body: string): string[] => blocksOf(body).map(({ signature }) => signature)

describeFault('signature/0x-prefix', {
  effect({ wire, calm }) {
    expect(verdict(wire.body)).toBe('SIGNATURE_MISMATCH')
    expect(signaturesOf(wire.body)).toEqual(signaturesOf(calm.body).map(signature => `0x${signature}`))
    // Only the prefix differs: the digits are those of the session.
    for (const block of blocksOf(wire.body)) expect(recover(block)).toBe(SIGNER.publicKey)
  },
})

it('behavior: the prefix is removed in a layout that has it', async () => {
  const signing = { layouts: { svm0x: { ...LAYOUTS.svm, hexPrefix: '0x' as const } }, svm: 'svm0x' }
  const { body } = await mockWith([{ fault: 'signature/0x-prefix' }], { signing }).ask(targetOf('batch'))
  expect(signaturesOf(body)[0]).toMatch(/^[0-9a-f]{128}$/)
})

it.each(['', '0x'] as const)('behavior: a second fault changes nothing, where the layout has "%s"', async hexPrefix => {
  const signing = { layouts: { own: { ...LAYOUTS.svm, hexPrefix } }, svm: 'own' }
  const faults = [{ fault: 'signature/0x-prefix' }, { fault: 'signature/0x-prefix' }]
  const { mock, ask } = pairOf(faults, { signing })
  const pair = await ask(targetOf('latest'))
  expectActed(pair, ['signature/0x-prefix'])
  expect(signaturesOf(pair.wire.body)[0]).toMatch(hexPrefix === '' ? /^0x[0-9a-f]{128}$/ : /^[0-9a-f]{128}$/)
  expect(mock.sessions.default.record.counters.faults.map(({ hits }) => hits)).toEqual([1, 0])
})
