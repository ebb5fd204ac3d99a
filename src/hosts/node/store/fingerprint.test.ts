// The configuration that servers on a store share: the option behind each part, and the messages for those that differ.
import { describe, expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../../index.js'
import { VERSION } from '../../../version.js'
import { compareFingerprints, fingerprintOf } from './fingerprint.js'

const of = (options: MockOptions = {}) => fingerprintOf(createMock(options).sessions.parts)
const MINE = of()

describe('fingerprintOf', () => {
  it('default: no secret as it is', () => {
    const hash = expect.stringMatching(/^[\da-f]{12}$/)
    const plain = { form: '3', version: VERSION, seed: '42' }
    expect(MINE).toEqual({ ...plain, settings: hash, feeds: hash, keys: hash, scenarios: hash })
    expect(of()).toEqual(MINE)
    expect(of({ seed: 'x'.repeat(80) }).seed).toBe('x'.repeat(64))
  })

  it.each<[MockOptions, string]>([
    [{ policy: { candles: 9 } }, 'settings'],
    [{ clock: { at: '0', frozen: true } }, 'settings'],
    [{ feeds: { feeds: [{ id: 'BTCUSD', expo: -6 }] } }, 'feeds'],
    [{ apiKeys: ['live-4242'] }, 'keys'],
    [{ signer: 3 }, 'keys'],
    [{ signerKeyUnsafe: '42'.repeat(32) }, 'keys'],
    [{ scenario: 'stale-btc' }, 'scenarios'],
    [{ scenarios: { mine: { title: 'T', why: 'W', faults: [] } } }, 'scenarios'],
  ])('args: %o', (options, part) => {
    const other = of(options)
    expect(Object.keys(other).filter(name => other[name] !== MINE[name])).toEqual([part])
  })
})

describe('compareFingerprints', () => {
  it('default: the same', () =>
    expect(() => compareFingerprints(MINE, 'name', JSON.stringify(MINE), 'S')).not.toThrow())

  it('error: other values, and parts that only one of them has', () => {
    const mine = { ...MINE, version: '1.2.3' }
    const theirs = { ...MINE, seed: '7', version: undefined, later: 'x' }
    expect(() => compareFingerprints(mine, 'name', JSON.stringify(theirs), 'S')).toThrowErrorMatchingInlineSnapshot(`
      [StoreMismatchError: The store S belongs to servers with another configuration.
        other  seed: here 42, there 7
        other  later: here none, there x
        other  version: here 1.2.3, there none
        fix    start all servers alike, or name another database (/1) or prefix (?prefix=name) in the address
        code   STORE_MISMATCH]
    `)
  })

  it.each([
    [undefined, JSON.stringify(MINE)],
    ['name', '{'],
    ['name', 'null'],
    ['name', '1'],
    ['name', undefined],
  ])('error: a name or a text of another program: %o, %o', (name, text) => {
    expect(() => compareFingerprints(MINE, name, text, 'S')).toThrow(
      [
        'The store S has keys of another program, or of another version.',
        '  got   a key `born` or `birth` that cannot be read',
        '  fix   name another database (/1) or prefix (?prefix=name) in the address, or remove the keys of this one',
      ].join('\n'),
    )
  })
})
