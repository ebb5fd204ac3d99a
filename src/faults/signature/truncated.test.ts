import { expect, it } from 'vitest'
import { blocksOf, verdict } from '../../../test/support/recover.js'
import {
  describeFault,
  expectActed,
  expectCalm,
  mockWith,
  pairOf,
  SIGNED,
  targetOf,
} from '../../../test/support/request-faults.js'
import { LAYOUTS } from '../../settings/layouts.js'

const signaturesOf = (body: string): string[] => blocksOf(body).map(({ signature }) => signature)

describeFault('signature/truncated', {
  refused: { bytes: [-1, 65, 1.5, '32'] },
  effect({ wire, calm }) {
    expect(verdict(wire.body)).toBe('SIGNATURE_MISMATCH')
    expect(signaturesOf(wire.body)).toEqual(signaturesOf(calm.body).map(signature => signature.slice(0, 64)))
  },
})

it.each([0, 1, 63])('args: bytes %i, counted after 0x', async bytes => {
  const settings = { signing: { layouts: { svm0x: { ...LAYOUTS.svm, hexPrefix: '0x' as const } }, svm: 'svm0x' } }
  for (const endpoint of SIGNED) {
    const { body } = await mockWith([{ fault: 'signature/truncated', options: { bytes } }], settings).ask(
      targetOf(endpoint),
    )
    for (const signature of signaturesOf(body))
      expect(signature).toMatch(new RegExp(`^${endpoint === 'evm' ? '' : '0x'}[0-9a-f]{${2 * bytes}}$`))
    expect(verdict(body)).toBe('SIGNATURE_MISMATCH')
  }
})

it('args: 64 bytes remove only the v of evm, and nothing without v', async () => {
  const { ask } = pairOf([{ fault: 'signature/truncated', options: { bytes: 64 } }])
  const pair = await ask(targetOf('evm'))
  expectActed(pair, ['signature/truncated'])
  expect(signaturesOf(pair.wire.body)).toEqual(signaturesOf(pair.calm.body).map(signature => signature.slice(0, 128)))
  expect(verdict(pair.wire.body)).toBe('SIGNATURE_MISMATCH')
  for (const endpoint of ['latest', 'batch', 'history'] as const) expectCalm(await ask(targetOf(endpoint)), endpoint)
})
