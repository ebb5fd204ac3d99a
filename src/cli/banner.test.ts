// The banner: its content and length, and the reproduce command in its last line.
import { spawnSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { createMock, type MockOptions } from '../index.js'
import { describe as describeServer, toBanner } from './banner.js'
import { readCommandLine } from './command-line.js'
import type { Config } from './options.js'

// Before the import, because colours are decided once.
vi.hoisted(() => (process.env.NO_COLOR = '1'))

const AT = '2025-07-24T10:48:25Z'
const NOW_MS = Date.parse(AT)
const URL_ = 'http://127.0.0.1:4700'

function readyOf(options: MockOptions = {}, config: Config = {}, historyUrl = URL_) {
  const mock = createMock({ clock: { at: AT, frozen: true }, ...options })
  return describeServer({ url: URL_, historyUrl, mock, stop: async () => {} }, config)
}

/** The configuration of a command line. */
function configOf(args: readonly string[]) {
  const invocation = readCommandLine(args, {})
  if (!('config' in invocation)) throw new Error('expected a command')
  return invocation.config
}

/** The words of a command line, as a POSIX shell splits it. */
function wordsOf(line: string): string[] {
  const { stdout, status } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8', env: {} })
  expect(status).toBe(0)
  return stdout.split('\0').slice(0, -1)
}

/** The rows of a banner by their label. */
const rowsOf = (banner: string): Record<string, string> =>
  Object.fromEntries([...banner.matchAll(/^ {2}(\w+(?: \w+)?) {2,}(.*)$/gm)].map(([, label, text]) => [label!, text!]))

describe('toBanner', () => {
  it.each<[string, MockOptions, Config, string, string, string]>([
    ['flags', {}, {}, '--seed', '--at, --frozen, --speed', '--scenario'],
    [
      'a scenario with settings',
      { seed: '99', scenario: { seed: '7', clock: { frozen: true, speed: 5 }, faults: [] } as never },
      { seed: '99' },
      'of the scenario, which wins over --seed',
      'of the scenario, which wins over --frozen, --speed',
      '--scenario',
    ],
    ['a snapshot', {}, { snapshot: 'a.json' }, '--snapshot', '--snapshot', '--snapshot'],
    [
      'a snapshot at another time',
      {},
      { snapshot: 'a.json', clock: { at: AT } },
      '--snapshot',
      '--at, --frozen, --speed',
      '--snapshot',
    ],
  ])('behavior: the sources of seed, clock and scenario, with %s', (_, options, config, seed, clock, scenario) => {
    const { sources, ...ready } = readyOf(options, config)
    expect(sources).toEqual({ seed, clock, scenario })
    const rows = rowsOf(toBanner({ ...ready, sources }))
    expect([rows.seed, rows.clock, rows.scenario]).toEqual(
      [seed, clock, scenario].map(source => expect.stringMatching(new RegExp(` \\(${source}\\)$`))),
    )
  })

  it('behavior: at most twelve lines, with all optional rows', () => {
    const config = { feeds: 'feeds.json', syntheticFeeds: 3, host: '0.0.0.0' }
    const options = { signerKeyUnsafe: 'ab'.repeat(32), clock: { at: AT, speed: 60 } }
    const banner = toBanner(readyOf(options, config, 'http://127.0.0.1:4701'))
    expect(banner).toContain('http://127.0.0.1:4701')
    expect(banner).toContain('set --admin-token')
    expect(`${banner}\n`.split('\n').length - 1).toBeLessThanOrEqual(12)
  })

  it('behavior: no colours under NO_COLOR, and no trailing blanks', () => {
    const banner = toBanner(readyOf({ signerKeyUnsafe: 'ab'.repeat(32) }))
    expect(banner).not.toContain('\x1b')
    expect(banner).not.toMatch(/ $/m)
  })

  it('behavior: a title cannot inject control characters', () => {
    const ready = readyOf({ scenario: { title: 'red \x1b[31m', faults: [] } })
    expect(toBanner(ready)).toContain(String.raw`"red \u001b[31m"`)
  })

  it('behavior: the user’s own key is marked with a warning and never shown', () => {
    const ready = readyOf({ signerKeyUnsafe: 'ab'.repeat(32) })
    expect(ready.signer.testKey).toBeNull()
    expect(rowsOf(toBanner(ready)).signer).toMatch(/^0x[0-9a-f]{40} +your own key\b/)
    expect(JSON.stringify(ready) + toBanner(ready)).not.toContain('abab')
  })

  for (const [host, reachable] of [
    ['0.0.0.0', true],
    ['::', true],
    ['[::]', true],
    ['::1', false],
    ['[::1]', false],
    ['[::ffff:127.0.0.1]', false],
    ['127.0.0.1', false],
    ['192.168.1.7', true],
    ['mock.internal', true],
    ['localhost', false],
  ] as const)
    it(`args: --host ${host} ${reachable ? 'warns' : 'does not warn'} that the network can reach it`, () => {
      expect(toBanner(readyOf({}, { host })).includes('set --admin-token')).toBe(reachable)
      const banner = toBanner(readyOf({}, { host, adminToken: 'correct-horse' }))
      expect(banner).not.toContain('set --admin-token')
      expect(banner.includes('reachable from the network')).toBe(reachable)
    })

  it.each([
    ['6000', '(browsers and fetch refuse port 6000: choose another --port)'],
    ['6001', '(console at /_mock/)'],
  ])('args: --port %s', (port, note) => {
    const banner = toBanner({ ...readyOf(), url: `http://127.0.0.1:${port}` })
    expect(rowsOf(banner).url).toMatch(new RegExp(`:${port} +${note.replace(/[()]/g, '.')}$`))
  })

  it('behavior: only existing feeds are listed', () => {
    const feeds = { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5 } }] } as const
    const banner = toBanner(readyOf({ feeds }))
    expect(banner).toMatch(/feeds {6}1: ACMEUSD {2,}/)
    expect(banner).toContain('/prices/ACMEUSD/latest')
    const three = ['A', 'B', 'C'].map(id => ({ id, base: 1, drivers: { [id]: 0.5 } }))
    expect(toBanner(readyOf({ feeds: { extends: 'none', feeds: three } }))).toMatch(/feeds {6}3: A B C {2,}/)
  })

  it('behavior: the command to try is quoted for the shell', () => {
    const line = toBanner(readyOf())
      .split('\n')
      .find(text => text.startsWith('  try'))!
    const words = wordsOf(line.replace(/^ {2}try +/, ''))
    expect(words).toEqual(['curl', '-H', 'Authorization: test-api-key', `${URL_}/prices/BTCUSD/latest`])
    // zsh takes bare brackets as a pattern.
    const onIpv6 = rowsOf(toBanner({ ...readyOf(), url: 'http://[::1]:4700' }))
    expect(onIpv6.try).toMatch(/ "http:\/\/\[::1\]:4700\/prices\/BTCUSD\/latest"$/)
  })

  it('behavior: API keys of the user and the token of the admin are never shown', () => {
    const ready = readyOf({ apiKeys: ['live-4242', 'test-api-key'] }, { adminToken: 'correct-horse' })
    expect(JSON.stringify(ready) + toBanner(ready)).not.toMatch(/live-4242|correct-horse/)
    expect(rowsOf(toBanner(ready))).toMatchObject({
      'api key': expect.stringMatching(/^\(not shown\) /),
      try: expect.stringContaining('"Authorization: …"'),
      reproduce: expect.stringMatching(/--api-key … --api-key test-api-key$/),
    })
    const [, , ...args] = wordsOf(ready.reproduce)
    expect(() => readCommandLine(args, {})).toThrow('--api-key')
  })
})

describe('reproduce', () => {
  // Words that a shell treats in other ways are in the tests of `quote`.
  for (const seed of ["it's", ' blanks ', '-x', '--seed', 'é 漢 🦉', '$HOME'])
    it(`args: the seed ${JSON.stringify(seed)} survives the shell`, () => {
      const [npx, program, ...args] = wordsOf(readyOf({ seed }).reproduce)
      expect([npx, program]).toEqual(['npx', 'price-feed-mock'])
      expect(configOf(args)).toEqual({ seed, clock: { at: AT, frozen: true } })
    })

  it('args: a simple seed is not quoted', () => {
    for (const seed of ['42', 'nightly/2025-07-24', 'a.b_c:d=e@f%g+h'])
      expect(readyOf({ seed }).reproduce).toContain(`--seed ${seed} --at`)
  })

  it('behavior: contains every setting that changes prices or signatures', () => {
    const options = { seed: '7', signer: 3, clock: { at: AT, speed: 60 } }
    const [, , ...args] = wordsOf(readyOf(options, { syntheticFeeds: 3 }).reproduce)
    expect(configOf(args)).toEqual({ ...options, syntheticFeeds: 3 })
    expect(readyOf({}, { feeds: 'our feeds.json' }).reproduce).toMatch(/ --feeds-file "our feeds\.json"$/)
  })

  it('behavior: contains the ports that were given, unless any free one is asked for', () => {
    expect(readyOf({}, { port: 5000, historyPort: 5001 }).reproduce).toMatch(/ --port 5000 --history-port 5001$/)
    expect(readyOf({}, { port: 0 }).reproduce).not.toContain('port ')
    expect(readyOf({}, { port: 0, historyPort: 0 }).reproduce).toMatch(/ --frozen --history-port 0$/)
  })

  it('behavior: contains the flags of the server', () => {
    const config = {
      tlsKey: 'key.pem',
      tlsCert: 'cert.pem',
      handlers: 'mine.ts',
      scenarios: 'own',
      publicUrl: 'https://mock.example',
      allowHosts: ['a', 'b'],
      allowOrigins: ['http://localhost:5173'],
      feeds: { feeds: [] },
      series: ['a.csv', { file: 'b.csv', as: 'ETHUSD' }],
      as: ['BTCUSD'],
    }
    expect(
      wordsOf(readyOf({ clock: { at: AT } }, config).reproduce)
        .slice(6)
        .join(' '),
    ).toBe(
      '--allow-host a --allow-host b --allow-origin http://localhost:5173 --public-url https://mock.example' +
        ' --tls-cert cert.pem --tls-key key.pem --handlers mine.ts --scenarios own --feeds-file {"feeds":[]}' +
        ' --series a.csv --as BTCUSD --series b.csv --as ETHUSD',
    )
  })

  it('behavior: contains the start time of the clock, even when created later', () => {
    const mock = createMock({ clock: { at: AT, speed: 1000 }, startedAt: NOW_MS - 5000 })
    const server = { url: URL_, historyUrl: URL_, mock, stop: async () => {} }
    expect(describeServer(server, {})).toMatchObject({
      clock: { at: AT },
      reproduce: `npx price-feed-mock --seed 42 --at ${AT} --speed 1000`,
    })
  })

  it('behavior: settings without an option are inline JSON', () => {
    const { reproduce } = readyOf({ clock: { at: AT }, policy: { candles: 9 } })
    expect(reproduce).toBe(`npx price-feed-mock --seed 42 --at ${AT} --config '{"policy":{"candles":9}}'`)
  })

  it('behavior: a scenario is a name, a file or inline JSON', () => {
    const teapot = { faults: [{ fault: 'reply/status', options: { status: 418 } }] }
    const mine = { title: 'Mine', why: 'Nobody else has it.', ...teapot }
    const scenarioOf = (options: MockOptions) =>
      wordsOf(readyOf(options).reproduce)[wordsOf(readyOf(options).reproduce).indexOf('--scenario') + 1]
    const own = { scenarios: { mine }, scenario: 'mine' }
    expect(scenarioOf({ scenario: 'stale-btc' })).toBe('stale-btc')
    expect(JSON.parse(scenarioOf({ scenario: teapot as never })!)).toEqual(teapot)
    expect(JSON.parse(scenarioOf(own as never)!)).toEqual(mine)
    expect(scenarioOf({ ...own, scenarioFiles: { mine: 'our files/mine.json' } } as never)).toBe('our files/mine.json')
    expect(JSON.parse(scenarioOf({ scenarios: { 'stale-btc': mine }, scenario: 'stale-btc' })!)).toEqual(mine)
    // The user's own scenario may be called calm. The built-in calm is the default and is left out.
    expect(JSON.parse(scenarioOf({ scenarios: { calm: mine } })!)).toEqual(mine)
    expect(readyOf({ scenario: 'calm' }).reproduce).not.toContain('--scenario')
  })

  it('behavior: the user’s own key is replaced by an invalid placeholder', () => {
    const { reproduce } = readyOf({ signerKeyUnsafe: 'ab'.repeat(32) })
    expect(reproduce).not.toContain('ab')
    expect(reproduce).toMatch(/ --signer-key-unsafe …$/)
    const [, , ...args] = wordsOf(reproduce)
    expect(() => readCommandLine(args, {})).toThrow('--signer-key-unsafe')
  })
})
