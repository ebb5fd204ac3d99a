// The banner: what it says, how long it is, and that its last line means to a shell what was set.
import { spawnSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { createMock, type MockOptions } from '../index.js'
import { describe as describeServer, toBanner } from './banner.js'
import { readCommandLine } from './command.js'
import type { Config } from './options.js'

// Before the banner is loaded: colours are decided once.
vi.hoisted(() => {
  process.env.NO_COLOR = '1'
})

const AT = '2025-07-24T10:48:25Z'
const NOW_MS = Date.parse(AT)
const URL_ = 'http://127.0.0.1:4700'

function readyOf(options: MockOptions = {}, config: Config = {}, historyUrl = URL_) {
  const mock = createMock({ clock: { at: AT, frozen: true }, ...options })
  return describeServer({ url: URL_, historyUrl, mock, stop: async () => {} }, config)
}

/** The settings that the words of a command line make. */
function configOf(args: readonly string[]) {
  const invocation = readCommandLine(args, {})
  if (invocation.kind === 'exit') throw new Error('it asks for nothing')
  return invocation.config
}

/** The words that a POSIX shell reads in a line. */
function wordsOf(line: string): string[] {
  const { stdout, status } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8', env: {} })
  expect(status).toBe(0)
  return stdout.split('\0').slice(0, -1)
}

describe('toBanner', () => {
  it('default', () => {
    expect(`\n${toBanner({ ...readyOf(), version: '1.2.3' })}`).toMatchInlineSnapshot(`
      "
      price-feed-mock 1.2.3 — simulated prices, worthless keys. Never point production here.

        url        http://127.0.0.1:4700                       (index at /_mock/)
        api key    test-api-key                                (sent bare in Authorization)
        seed       42                                          (--seed)
        clock      2025-07-24T10:48:25Z, frozen                (--at, --frozen, --speed)
        scenario   calm                                        "Nothing goes wrong" (--scenario)
        feeds      64: BTCUSD ETHUSD SOLUSD …                  (/_mock/feeds)
        signer     0xad3784aa29be2b36f5873e248de7a8e28f441f55  test key 0 (--signer)
        try        curl -H 'Authorization: test-api-key' http://127.0.0.1:4700/prices/BTCUSD/latest
        reproduce  price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen"
    `)
  })

  it('behavior: there are at most twelve lines, also with all that it can say', () => {
    const config = { feeds: 'feeds.json', syntheticFeeds: 3, host: '0.0.0.0' }
    const options = { signerKeyUnsafe: 'ab'.repeat(32), clock: { at: AT, speed: 60 } }
    const banner = toBanner(readyOf(options, config, 'http://127.0.0.1:4701'))
    expect(banner).toContain('http://127.0.0.1:4701')
    expect(banner).toContain('reachable from the network')
    expect(`${banner}\n`.split('\n').length - 1).toBeLessThanOrEqual(12)
  })

  it('behavior: no colours under NO_COLOR, and no blank ends a line', () => {
    const banner = toBanner(readyOf({ signerKeyUnsafe: 'ab'.repeat(32) }))
    expect(banner).not.toContain('\x1b')
    expect(banner).not.toMatch(/ $/m)
  })

  it('behavior: a title does not drive the terminal', () => {
    const ready = readyOf({ scenario: { title: 'red \x1b[31m', faults: [] } })
    expect(toBanner(ready)).toContain(String.raw`"red \u001b[31m"`)
  })

  it('behavior: a key of the user is told apart, with a warning, and never repeated', () => {
    const ready = readyOf({ signerKeyUnsafe: 'ab'.repeat(32) })
    expect(ready.signer.testKey).toBeNull()
    expect(toBanner(ready)).toContain('a key of your own: never one that guards anything')
    expect(JSON.stringify(ready) + toBanner(ready)).not.toContain('abab')
  })

  for (const [host, reachable] of [
    ['0.0.0.0', true],
    ['::', true],
    ['[::]', true],
    ['::1', false],
    ['127.0.0.1', false],
  ] as const)
    it(`args: --host ${host} is ${reachable ? '' : 'not '}said to be reachable from the network`, () => {
      expect(toBanner(readyOf({}, { host })).includes('reachable from the network')).toBe(reachable)
    })

  it('behavior: only what there is is listed', () => {
    const feeds = { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5 } }] } as const
    const banner = toBanner(readyOf({ feeds }))
    expect(banner).toMatch(/feeds {6}1: ACMEUSD {2,}/)
    expect(banner).toContain('/prices/ACMEUSD/latest')
  })

  it('behavior: the pace of the clock is told where it is not that of the world', () => {
    expect(toBanner(readyOf({ clock: { at: AT } }))).toMatch(`clock      ${AT}  `)
    expect(toBanner(readyOf({ clock: { at: AT, speed: 60 } }))).toContain(`${AT}, 60 × real time`)
  })

  it('behavior: the command to try is one that a shell understands', () => {
    const ready = readyOf({ apiKeys: ["it's$HOME"] })
    const line = toBanner(ready)
      .split('\n')
      .find(text => text.startsWith('  try'))!
    const words = wordsOf(line.replace(/^ {2}try +/, ''))
    expect(words).toEqual(['curl', '-H', "Authorization: it's$HOME", `${URL_}/prices/BTCUSD/latest`])
  })
})

describe('reproduce', () => {
  const ODD_SEEDS = [
    "it's",
    'two words',
    ' blanks ',
    '$HOME',
    '`id`',
    '"quoted"',
    'back\\slash',
    'a;b&c|d',
    '*?[x]',
    '~',
    '#no remark',
    '!!',
    '-x',
    '--seed',
    'é 漢 🦉',
    "'",
    "'''",
  ]

  for (const seed of ODD_SEEDS)
    it(`args: the seed ${JSON.stringify(seed)} comes back`, () => {
      const [program, ...args] = wordsOf(readyOf({ seed }).reproduce)
      expect(program).toBe('price-feed-mock')
      expect(configOf(args)).toEqual({ seed, clock: { at: AT, frozen: true } })
    })

  it('args: what a seed needs no quotes for has none', () => {
    for (const seed of ['42', 'nightly/2025-07-24', 'a.b_c:d=e@f%g+h'])
      expect(readyOf({ seed }).reproduce).toContain(`--seed ${seed} --at`)
  })

  it('behavior: all that changes prices and signatures is in it', () => {
    const options = { seed: '7', signer: 3, clock: { at: AT, speed: 60 }, apiKeys: ['one,two', "it's"] }
    const [, ...args] = wordsOf(readyOf(options, { syntheticFeeds: 3 }).reproduce)
    expect(configOf(args)).toEqual({ ...options, syntheticFeeds: 3 })
    expect(readyOf({}, { feeds: 'our feeds.json' }).reproduce).toMatch(/ --feeds 'our feeds\.json'$/)
  })

  it('behavior: what is as it always is is left out', () => {
    expect(readyOf({ clock: { at: AT } }, { syntheticFeeds: 0 }).reproduce).toBe(`price-feed-mock --seed 42 --at ${AT}`)
  })

  it('behavior: a frozen clock has no speed', () => {
    expect(readyOf({ clock: { at: AT, speed: 5, frozen: true } }).reproduce).toBe(
      `price-feed-mock --seed 42 --at ${AT} --frozen`,
    )
  })

  it('behavior: it begins where the clock began, however late it is written', () => {
    const mock = createMock({ clock: { at: AT, speed: 1000 }, startedAt: NOW_MS - 5000 })
    const server = { url: URL_, historyUrl: URL_, mock, stop: async () => {} }
    expect(describeServer(server, {})).toMatchObject({
      clock: { at: AT },
      reproduce: `price-feed-mock --seed 42 --at ${AT} --speed 1000`,
    })
  })

  it('behavior: what only a config file sets is in it as JSON', () => {
    const { reproduce } = readyOf({ clock: { at: AT }, policy: { candles: 9 } })
    expect(reproduce).toBe(`price-feed-mock --seed 42 --at ${AT} --config '{"policy":{"candles":9}}'`)
  })

  it('behavior: a scenario is named as the program knows it, or written out', () => {
    const teapot = { faults: [{ fault: 'reply/status', options: { status: 418 } }] }
    const mine = { title: 'Mine', why: 'Nobody else has it.', ...teapot }
    const scenarioOf = (options: MockOptions) =>
      wordsOf(readyOf(options).reproduce)[wordsOf(readyOf(options).reproduce).indexOf('--scenario') + 1]
    const own = { scenarios: { mine }, scenario: 'mine' }
    expect(scenarioOf({ scenario: 'stale-btc' })).toBe('stale-btc')
    expect(JSON.parse(scenarioOf({ scenario: teapot })!)).toEqual(teapot)
    expect(JSON.parse(scenarioOf(own)!)).toEqual(mine)
    expect(scenarioOf({ ...own, scenarioFiles: { mine: 'our files/mine.json' } })).toBe('our files/mine.json')
    expect(JSON.parse(scenarioOf({ scenarios: { 'stale-btc': mine }, scenario: 'stale-btc' })!)).toEqual(mine)
    // One of one's own may be called calm; the calm that comes with the mock needs no word.
    expect(JSON.parse(scenarioOf({ scenarios: { calm: mine } })!)).toEqual(mine)
    expect(readyOf({ scenario: 'calm' }).reproduce).not.toContain('--scenario')
  })

  it('behavior: a key of the user is not in it, and what stands for it is none', () => {
    const { reproduce } = readyOf({ signerKeyUnsafe: 'ab'.repeat(32) })
    expect(reproduce).not.toContain('ab')
    expect(reproduce).toMatch(/ --signer-key-unsafe …$/)
    const [, ...args] = wordsOf(reproduce)
    expect(() => readCommandLine(args, {})).toThrow('--signer-key-unsafe')
  })
})
