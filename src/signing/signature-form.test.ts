// The written form of signatures: taken apart and put together again, whatever is missing or stands before it.
import { describe, expect, it } from 'vitest'
import { LAYOUTS } from '../settings/layouts.js'
import { formatSignature, splitSignature } from './signature-form.js'

const RS = '0123456789abcdef'.repeat(8)

describe('splitSignature', () => {
  it('default', () => {
    expect(splitSignature({ signature: `${RS}1b`, recoveryId: 0 })).toEqual({ rs: RS, recoveryId: 0 })
  })

  it('behavior: 0x is no part of r‖s, and what is missing is zero', () => {
    expect(splitSignature({ signature: `0x${RS}1c`, recoveryId: 1 }).rs).toBe(RS)
    expect(splitSignature({ signature: 'ab', recoveryId: 1 }).rs).toBe(`ab${'0'.repeat(126)}`)
    expect(splitSignature({ signature: '', recoveryId: 0 }).rs).toBe('0'.repeat(128))
  })
})

describe('formatSignature', () => {
  it.each([
    ['rs', '', RS],
    ['rsv', '', `${RS}1c`],
    ['rsy', '0x', `0x${RS}01`],
  ] as const)('args: %s, prefix "%s"', (signature, hexPrefix, expected) => {
    const layout = { ...LAYOUTS.evm, signature, hexPrefix }
    expect(formatSignature({ rs: RS, recoveryId: 1 }, layout)).toEqual({ signature: expected, recoveryId: 1 })
  })
})
