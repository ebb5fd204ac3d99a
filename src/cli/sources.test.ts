// Sources of settings: their precedence and their errors.
import { describe, expect, it, vi } from 'vitest'
import { configOf, createConfigFolder, errorsOf } from '../../test/support/command-line.js'
import { toFlags } from './banner.js'
import { toSeriesInputs } from './input-files.js'
import { describeUnknownVariables } from './sources.js'

const { file } = createConfigFolder()
describe('precedence', () => {
  it('default: without any source, only defaults apply', () => expect(configOf([])).toEqual({ clock: {} }))

  it('behavior: the environment wins over a config file', () => {
    const path = file({ seed: 'file', port: 1, apiKeys: ['file'] })
    const environment = { PRICE_FEED_MOCK_SEED: 'environment', PRICE_FEED_MOCK_API_KEY: 'one,two' }
    expect(configOf(['--config', path], environment)).toEqual({
      seed: 'environment',
      port: 1,
      apiKeys: ['one', 'two'],
      clock: {},
    })
  })

  it('behavior: only the given environment is read', () => {
    vi.stubEnv('PRICE_FEED_MOCK_SEED', 'of the process')
    expect(configOf([])).toEqual({ clock: {} })
    expect(configOf([], { PRICE_FEED_MOCK_SEED: 'given' }).seed).toBe('given')
    vi.unstubAllEnvs()
  })

  it('behavior: a flag wins over the environment', () => {
    const environment = {
      PRICE_FEED_MOCK_SEED: 'environment',
      PRICE_FEED_MOCK_API_KEY: 'one',
      PRICE_FEED_MOCK_PORT: '1',
    }
    const flags = ['--seed', 'flag', '--api-key', 'two', '--api-key', 'three']
    expect(configOf(flags, environment)).toEqual({ seed: 'flag', apiKeys: ['two', 'three'], port: 1, clock: {} })
  })

  it('behavior: a variable or a flag names the config file', () => {
    const environment = { PRICE_FEED_MOCK_CONFIG: file({ seed: 'a' }, 'a.json') }
    expect(configOf([], environment).seed).toBe('a')
    expect(configOf(['--config', file({ seed: 'b' }, 'b.json')], environment).seed).toBe('b')
  })

  it('behavior: each part of the clock can come from another source', () => {
    const path = file({ clock: { at: '2025-07-24T10:48:25Z', speed: 2, frozen: false } })
    expect(configOf(['--config', path]).clock).toEqual({ at: '2025-07-24T10:48:25Z', speed: 2, frozen: false })
    expect(configOf(['--config', path], { PRICE_FEED_MOCK_SPEED: '3' }).clock).toEqual({
      at: '2025-07-24T10:48:25Z',
      speed: 3,
      frozen: false,
    })
    expect(configOf(['--config', path, '--at', '0'], { PRICE_FEED_MOCK_SPEED: '3' }).clock).toEqual({
      at: '0',
      speed: 3,
      frozen: false,
    })
  })

  it('behavior: nested settings of a config file are kept', () => {
    const config = { policy: { unknownFeed: 'omit' }, signing: { svm: 'evm' } }
    expect(configOf(['--config', file(config), '--seed', '7'])).toMatchObject({ ...config, seed: '7' })
  })

  for (const [name, args, environment, expected] of [
    ['a speed over a frozen file', ['--speed', '5'], {}, { speed: 5 }],
    ['a speed of the environment over a frozen file', [], { PRICE_FEED_MOCK_SPEED: '5' }, { speed: 5 }],
    ['a speed over a frozen environment', ['--speed', '5'], { PRICE_FEED_MOCK_FROZEN: '1' }, { speed: 5 }],
    ['frozen over a speed of the environment', ['--frozen'], { PRICE_FEED_MOCK_SPEED: '5' }, { frozen: true }],
    ['running over a frozen file', [], { PRICE_FEED_MOCK_FROZEN: 'false' }, { frozen: false }],
  ] as const)
    it(`behavior: the later source wins: ${name}`, () => {
      expect(configOf(['--config', file({ clock: { frozen: true } }), ...args], environment).clock).toEqual(expected)
    })

  it('behavior: the later source wins: frozen over the speed of a file, one key over another', () => {
    expect(configOf(['--config', file({ clock: { speed: 5 } }), '--frozen']).clock).toEqual({ frozen: true })
    const own = { signerKeyUnsafe: 'ab'.repeat(32) }
    expect(configOf(['--config', file(own), '--signer', '3'])).toEqual({ signer: 3, clock: {} })
    expect(
      configOf(['--config', file({ signer: 3 })], { PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE: own.signerKeyUnsafe }),
    ).toEqual({ ...own, clock: {} })
  })

  it('behavior: the later source wins: a snapshot over a state, with what only the state needs', () => {
    const path = file({ state: 'a.state', stateEvery: '3s' })
    expect(configOf(['--config', path, '--snapshot', 'a.json']).stateEvery).toBeUndefined()
    expect(configOf(['--config', path, '--state', 'b.state']).stateEvery).toBe('3s')
    expect(errorsOf(['--config', path, '--snapshot', 'a.json', '--state-every', '5s'])[0]!.message).toContain('--state')
  })

  it('behavior: the later source wins: a series over another, with its feed', () => {
    const path = file({ series: ['btc.csv'], as: ['BTCUSD'] })
    expect(configOf(['--config', path, '--series', 'eth.csv']).as).toBeUndefined()
    expect(configOf(['--config', path, '--as', 'ETHUSD']).as).toEqual(['ETHUSD'])
    const named = configOf(['--config', file({ series: [{ file: 'a.csv', as: 'BTCUSD' }] }), '--as', 'ETHUSD'])
    expect(toSeriesInputs(named)[0]!.as).toBe('ETHUSD')
    expect(toFlags(named).slice(-2)).toEqual(['--as', 'ETHUSD'])
  })

  it('behavior: series of which some have a feed are told as flags that give the same series', () => {
    const feedsOf = (config: ReturnType<typeof configOf>) => toSeriesInputs(config).map(({ as }) => as)
    const some = configOf(['--config', file({ series: ['ETHUSD.csv', { file: 'b.csv', as: 'BTCUSD' }, 'all.csv'] })])
    const flags = toFlags(some)
    expect(flags).toEqual([
      '--series',
      expect.any(String),
      '--as',
      '',
      '--series',
      expect.any(String),
      '--as',
      'BTCUSD',
      '--series',
      expect.any(String),
      '--as',
      '',
    ])
    expect(feedsOf(configOf(flags))).toEqual(['ETHUSD', 'BTCUSD', undefined])
    // An empty flag leaves the entry its feed, also when the run is repeated.
    const entry = configOf(['--config', file({ series: [{ file: 'b.csv', as: 'BTCUSD' }] }), '--as', ''])
    expect([feedsOf(entry), feedsOf(configOf(toFlags(entry)))]).toEqual([['BTCUSD'], ['BTCUSD']])
    expect(feedsOf(some)).toEqual(['ETHUSD', 'BTCUSD', undefined])
  })
})

it('error: inline feeds are named by their source, not by their text', () => {
  const environment = { PRICE_FEED_MOCK_FEEDS: '{"feeds":1}' }
  expect(errorsOf([], environment)[0]!.shortMessage).toBe('PRICE_FEED_MOCK_FEEDS has 1 problem.')
})

describe('environment', () => {
  it('behavior: an unknown variable is reported with the closest name', () => {
    const environment = { PRICE_FEED_MOCK_SEDE: '7', PRICE_FEED_MOCK_X: '', PRICE_FEED_MOCK_FORMAT: 'rust', SEDE: '7' }
    expect(describeUnknownVariables(environment)).toEqual([
      expect.stringMatching(/PRICE_FEED_MOCK_SEDE .*PRICE_FEED_MOCK_SEED\b/),
    ])
    // The end of PRICE_FEED_BASE_URL, an option of some commands.
    expect(describeUnknownVariables({ PRICE_FEED_MOCK_URL: 'http://127.0.0.1:4700' })).toEqual([
      'price-feed-mock: ignored the unknown variable PRICE_FEED_MOCK_URL (closest: PRICE_FEED_MOCK_PUBLIC_URL).',
    ])
  })
})

describe('a store', () => {
  const url = 'redis://user:hidden@host'

  it('error: a rival of the store, from whatever source', () => {
    const environment = { PRICE_FEED_MOCK_STORE: url }
    for (const args of [['--watch'], ['--state', 'file']]) {
      const [error] = errorsOf(args, environment)
      expect(error!.message).toContain(`PRICE_FEED_MOCK_STORE and ${args[0]} cannot be combined`)
    }
    const auto = { ...environment, PRICE_FEED_MOCK_ADMIN_TOKEN: 'auto' }
    expect(errorsOf([], auto)[0]!.message).toContain(
      'PRICE_FEED_MOCK_STORE and auto of PRICE_FEED_MOCK_ADMIN_TOKEN cannot be combined',
    )
    expect(configOf(['--admin-token', 'correct-horse'], auto).adminToken).toBe('correct-horse')
    const path = file({ store: url, watch: true })
    expect(errorsOf(['--config', path])[0]!.message).toContain('cannot be combined')
    const inline = '{"adminToken":"correct-horse","state":"x.state","store":"redis://127.0.0.1:1"}'
    expect(errorsOf(['--config', inline])[0]!.message).toContain('store of --config and state of --config cannot')
  })

  it('error: settings of a store without one', () => {
    for (const args of [['--session-idle', '1h'], ['--lazy-sessions']])
      expect(errorsOf(args)[0]!.message).toContain(`${args[0]} needs --store as well.`)
  })

  it('error: no message shows the address', () => {
    for (const error of [...errorsOf(['--store', `${url}:x`]), ...errorsOf(['--store', url, '--watch'])])
      expect(error.message).not.toContain('hidden')
  })
})

describe('files', () => {
  it('error: no message shows a private key or a possibly real API key', () => {
    const secret = 'ab'.repeat(31)
    const textOf = (args: readonly string[], environment = {}): string => errorsOf(args, environment)[0]!.message
    for (const text of [
      textOf(['--signer-key-unsafe', secret]),
      textOf([], { PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE: secret }),
      textOf(['--config', file({ signerKeyUnsafe: secret })]),
      textOf(['--api-key', `${secret} `]),
      textOf(['--config', file({ apiKeys: [`${secret} `] })]),
      textOf(['--config', file({ apiKeys: secret })]),
    ]) {
      expect(text).toContain('not shown')
      expect(text).not.toContain(secret)
    }
  })
})
