// The assumptions: every option has a default that its schema accepts, a line in the table, and bounds that hold.
import { describe, expect, it } from 'vitest'
import { listAssumptions } from '../../test/support/assumptions.js'
import { DEFAULT_POLICY, policySchema } from './policy.js'
import { read } from './schema.js'

describe('DEFAULT_POLICY', () => {
  it('default', () => {
    expect(DEFAULT_POLICY).toEqual({
      missingParameter: 400,
      unknownFeed: 'reject',
      maxMinutes: 525_600,
      maxFeedIds: 100,
      evmClasses: 'all',
      batchFeedId: 'symbol',
      candles: 300,
      wwwAuthenticate: '',
    })
  })

  it('behavior: the schema accepts it', () => {
    expect(read(policySchema, DEFAULT_POLICY)).toEqual({ value: DEFAULT_POLICY })
  })
})

describe('policySchema', () => {
  it('default', () => expect(read(policySchema, {})).toEqual({ value: {} }))

  it.each([
    ['missingParameter', [400, 499], [399, 500, '400']],
    ['unknownFeed', ['reject', 'omit'], ['Reject', true]],
    ['maxMinutes', [1, 5_256_000], [0, 5_256_001, 1.5]],
    ['maxFeedIds', [1, 10_000], [0, 10_001]],
    ['evmClasses', ['all', ['crypto'], []], ['crypto', [1], null]],
    ['batchFeedId', ['symbol', 'integer'], ['number', 1]],
    ['candles', [1, 2000], [0, 2001]],
  ])('args: %s', (name, accepted, refused) => {
    for (const value of accepted)
      expect(read(policySchema, { [name]: value }), `${value}`).not.toHaveProperty('problems')
    for (const value of refused)
      expect(read(policySchema, { [name]: value }).problems, `${value}`).toEqual([
        expect.objectContaining({ at: name, got: value }),
      ])
  })

  it('error: an unknown option, with the closest', () => {
    expect(read(policySchema, { maxMinute: 5 }).problems).toMatchObject([{ at: 'maxMinute', closest: 'maxMinutes' }])
  })

  it('error: the text for evmClasses', () => {
    expect(read(policySchema, { evmClasses: 5 }).problems).toEqual([
      {
        at: 'evmClasses',
        got: 5,
        want: '"all" or a list of at most 7 feed classes: crypto, meme, staked, wrapped, stable, fx, metal',
      },
    ])
  })
})

describe('listAssumptions()', () => {
  it('behavior: each option has one line, before the lines without an option', () => {
    const options = listAssumptions().map(({ option }) => option)
    const ofPolicy = Object.keys(DEFAULT_POLICY).map(name => `policy.${name}`)
    expect(options.slice(0, ofPolicy.length)).toEqual(ofPolicy)
    expect(options.slice(ofPolicy.length).filter(option => option?.startsWith('policy.'))).toEqual([])
  })

  it('behavior: the defaults in the table are the defaults', () => {
    const assumed = (option: string) => listAssumptions().find(assumption => assumption.option === option)!.assumed
    for (const [name, value] of Object.entries(DEFAULT_POLICY))
      if (value !== 'all') expect(assumed(`policy.${name}`)).toContain(String(value))
  })

  it('behavior: no two lines have the same subject', () => {
    const subjects = listAssumptions().map(({ silentOn }) => silentOn)
    expect(new Set(subjects).size).toBe(subjects.length)
  })
})
