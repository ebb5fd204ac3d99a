// Settings: valid input, all problems at once, and the merging of patches.
import { describe, expect, it } from 'vitest'
import { read } from './schema.js'
import { clockChangeSchema, DEFAULT_SETTINGS, mergeSettings, type SettingsPatch, settingsSchema } from './settings.js'

const settingsOf = (data: unknown) => read(settingsSchema, data).value
const problemsOf = (data: unknown) => read(settingsSchema, data).problems
const LAYOUT = { fields: ['price:u64le'], digest: 'sha256', prefix: 'none', signature: 'rs', hexPrefix: '' } as const

describe('settingsSchema', () => {
  it('default', () => expect(settingsOf({})).toEqual({}))

  it('behavior: a numeric seed becomes text', () => {
    expect(settingsOf({ seed: 42 })).toEqual({ seed: '42' })
    expect(settingsOf({ seed: '042' })).toEqual({ seed: '042' })
  })

  it('behavior: an instant becomes milliseconds', () => {
    expect(settingsOf({ clock: { at: '2025-07-24T10:48:25Z' } })).toEqual({ clock: { at: 1_753_354_105_000 } })
    expect(settingsOf({ clock: { at: 1_753_354_105 } })).toEqual({ clock: { at: 1_753_354_105_000 } })
  })

  it('behavior: undefined is the same as absent', () => {
    expect(problemsOf({ seed: undefined, clock: { at: undefined }, policy: { candles: undefined } })).toBeUndefined()
  })

  it.each<[at: string, got: unknown, data: unknown]>([
    ['seed', '', { seed: '' }],
    ['seed', 'a\nb', { seed: 'a\nb' }],
    ['seed', 'x'.repeat(201), { seed: 'x'.repeat(201) }],
    ['seed', true, { seed: true }],
    ['seed', 2 ** 53, { seed: 2 ** 53 }],
    ['clock.at', '2025-02-30T00:00:00Z', { clock: { at: '2025-02-30T00:00:00Z' } }],
    ['clock.at', null, { clock: { at: null } }],
    ['clock.speed', 0, { clock: { speed: 0 } }],
    ['clock.speed', -1, { clock: { speed: -1 } }],
    ['clock.speed', 1_000_001, { clock: { speed: 1_000_001 } }],
    ['clock.frozen', 'yes', { clock: { frozen: 'yes' } }],
    ['policy', 5, { policy: 5 }],
    ['policy.candles', 0, { policy: { candles: 0 } }],
    [
      'signing.layouts.mine.fields[0]',
      'price:u7le',
      { signing: { layouts: { mine: { ...LAYOUT, fields: ['price:u7le'] } } } },
    ],
    ['apiKeys', '(not shown)', { apiKeys: [] }],
    ['apiKeys', '(not shown)', { apiKeys: 'test-api-key' }],
    ['apiKeys[1]', '(not shown)', { apiKeys: ['a', 'two words'] }],
    ['apiKeys[0]', '(not shown)', { apiKeys: [''] }],
    ['seed', '(not shown)', { seed: `https://user:password@mock.example${'/'.repeat(200)}` }],
    ['signer', 10, { signer: 10 }],
    ['signer', '0', { signer: '0' }],
  ])('error: %s is %j', (at, got, data) => {
    expect(problemsOf(data)).toEqual([{ at, got, want: expect.stringMatching(/./) }])
  })

  it('error: a Date, which looks like a valid text as JSON, is told as one', () => {
    expect(problemsOf({ clock: { at: new Date(0) } })?.[0]?.want).toMatch(/; of a Date its toISOString\(\)$/)
  })

  it('error: every problem at once, unknown keys at any depth', () => {
    const problems = problemsOf({
      sed: '42',
      clock: { speeed: 1, at: 'now' },
      policy: { maxFeedIDs: 5, unknownFeed: 'reject it' },
      signing: { layouts: { mine: { ...LAYOUT, digset: 'sha256' } } },
      signer: 11,
    })
    expect(problems?.map(({ at, closest }) => [at, closest]).sort()).toEqual([
      ['clock.at', undefined],
      ['clock.speeed', 'speed'],
      ['policy.maxFeedIDs', 'maxFeedIds'],
      ['policy.unknownFeed', 'reject'],
      ['sed', 'seed'],
      ['signer', undefined],
      ['signing.layouts.mine.digset', 'digest'],
    ])
  })

  it('error: a private key of the wrong length is never shown', () => {
    const almost = 'ab'.repeat(31)
    const problems = problemsOf({ signerKeyUnsafe: almost })
    expect(problems).toMatchObject([{ at: 'signerKeyUnsafe' }])
    expect(JSON.stringify(problems)).not.toContain(almost)
  })

  it.each([
    ['zero', '0'.repeat(64)],
    ['the order of the curve', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
  ])('error: an invalid private key: %s', (_title, signerKeyUnsafe) => {
    const want = 'a private key of secp256k1: 32 bytes in hex, not 0 and below the order of the curve'
    expect(problemsOf({ signerKeyUnsafe })).toMatchObject([{ at: 'signerKeyUnsafe', want }])
  })
})

describe('mergeSettings', () => {
  it('default', () => {
    expect(mergeSettings(DEFAULT_SETTINGS)).toEqual(DEFAULT_SETTINGS)
    expect(mergeSettings(DEFAULT_SETTINGS, {}, {})).toEqual(DEFAULT_SETTINGS)
  })

  it('behavior: the later patch wins, what it leaves out stays', () => {
    const merged = mergeSettings(DEFAULT_SETTINGS, { seed: 'a', signer: 1 }, { seed: 'b' })
    expect(merged).toMatchObject({ seed: 'b', signer: 1 })
  })

  it('behavior: nested settings merge key by key', () => {
    const merged = mergeSettings(
      DEFAULT_SETTINGS,
      { clock: { at: 5000, frozen: true }, policy: { candles: 10, maxMinutes: 60 } },
      { clock: { speed: 2 }, policy: { candles: 20 } },
    )
    expect(merged.clock).toEqual({ at: 5000, frozen: true, speed: 2 })
    expect(merged.policy).toEqual({ ...DEFAULT_SETTINGS.policy, candles: 20, maxMinutes: 60 })
  })

  it('behavior: lists are replaced', () => {
    const merged = mergeSettings(DEFAULT_SETTINGS, { apiKeys: ['a', 'b'] }, { apiKeys: ['c'] })
    expect(merged.apiKeys).toEqual(['c'])
  })

  it('behavior: layouts of all patches are added to the built-in ones, the later of one name wins', () => {
    const mine = { ...LAYOUT, fields: [...LAYOUT.fields] }
    const merged = mergeSettings(
      DEFAULT_SETTINGS,
      { signing: { svm: 'one', layouts: { one: mine } } },
      { signing: { layouts: { two: mine, one: { ...mine, hexPrefix: '0x' } } } },
    )
    expect(Object.keys(merged.signing.layouts)).toEqual(['svm', 'evm', 'one', 'two'])
    expect(merged.signing).toMatchObject({ svm: 'one', evm: 'evm', layouts: { one: { hexPrefix: '0x' } } })
  })

  it('behavior: undefined never overwrites, at any depth', () => {
    const patch = {
      seed: undefined,
      signer: undefined,
      apiKeys: undefined,
      clock: { at: undefined, speed: undefined, frozen: undefined },
      policy: { candles: undefined, unknownFeed: undefined },
      signing: { svm: undefined, evm: undefined, layouts: undefined },
    } satisfies SettingsPatch
    const before = mergeSettings(DEFAULT_SETTINGS, { clock: { at: 5000 } })
    expect(mergeSettings(before, patch)).toEqual(before)
    const none = { clock: undefined, policy: undefined, signing: undefined } satisfies SettingsPatch
    expect(mergeSettings(before, none)).toEqual(before)
  })

  it('behavior: its arguments are not changed', () => {
    const before = structuredClone(DEFAULT_SETTINGS)
    const patch = { seed: 'x', policy: { candles: 1 } }
    mergeSettings(DEFAULT_SETTINGS, patch)
    expect(DEFAULT_SETTINGS).toEqual(before)
    expect(patch).toEqual({ seed: 'x', policy: { candles: 1 } })
  })
})

it('error: an advance of "0s" names what is accepted', () => {
  expect(read(clockChangeSchema, { advance: 0 }).value).toEqual({ advance: 0 })
  expect(read(clockChangeSchema, { advance: '0s' }).problems).toMatchObject([
    { at: 'advance', want: expect.stringMatching(/number of seconds, also 0 or negative$/) },
  ])
})
