// Sources of settings: their precedence and their errors.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { configOf, createConfigFolder, errorsOf } from '../../test/support/command-line.js'
import type { ErrorCode } from '../errors.js'
import { describeUnknownVariables } from './sources.js'

const { folder, file } = createConfigFolder()

/** The single error of a command line. */
function problemsOf(args: readonly string[], environment: Record<string, string> = {}) {
  const [error, ...others] = errorsOf(args, environment)
  expect(others).toEqual([])
  return { code: error!.code, problems: error!.problems.map(({ at }) => at) }
}
describe('precedence', () => {
  it('default: without any source, only defaults apply', () => expect(configOf([])).toEqual({ clock: {} }))

  it('behavior: a config file wins over the defaults', () => {
    expect(configOf(['--config', file({ seed: 'file', port: 1 })])).toEqual({ seed: 'file', port: 1, clock: {} })
  })

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

  it('behavior: a flag wins over a config file', () => {
    expect(configOf(['--config', file({ seed: 'file', log: 'off' }), '--seed', 'flag'])).toMatchObject({
      seed: 'flag',
      log: 'off',
    })
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

  it('behavior: the feeds path of a config file is relative to its folder, that of a flag or variable to the working folder', () => {
    mkdirSync(join(folder, 'deep'))
    file({ feeds: [] }, 'feeds.json')
    const mine = file({ feeds: [] }, 'mine.json')
    const path = file({ feeds: '../feeds.json' }, 'deep/config.json')
    expect(configOf(['--config', path]).feeds).toBe(join(folder, 'feeds.json'))
    expect(configOf(['--config', path, '--feeds-file', mine]).feeds).toBe(mine)
    expect(configOf(['--config', path], { PRICE_FEED_MOCK_FEEDS: mine }).feeds).toBe(mine)
    expect(errorsOf(['--config', path, '--feeds-file', 'nowhere.json'])[0]!.message).toContain('nowhere.json')
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
})

describe('environment', () => {
  it('behavior: an empty variable counts as unset', () => {
    const names = ['SEED', 'AT', 'FROZEN', 'PORT', 'API_KEY', 'CONFIG', 'FEEDS', 'LOG', 'SIGNER_KEY_UNSAFE']
    const empty = Object.fromEntries(names.map(name => [`PRICE_FEED_MOCK_${name}`, '']))
    expect(configOf([], empty)).toEqual({ clock: {} })
    expect(configOf(['--config', file({ seed: 'file' })], empty).seed).toBe('file')
  })

  for (const [word, frozen] of [
    ['false', false],
    ['False', false],
    ['0', false],
    ['no', false],
    ['OFF', false],
    ['true', true],
    ['1', true],
    ['yes', true],
  ] as const)
    it(`behavior: a switch set to ${word} is ${frozen ? 'on' : 'off'}`, () => {
      expect(configOf([], { PRICE_FEED_MOCK_FROZEN: word }).clock!.frozen).toBe(frozen)
    })

  it('error: conflicting variables, unless a flag overrides them', () => {
    const environment = { PRICE_FEED_MOCK_FROZEN: 'yes', PRICE_FEED_MOCK_SPEED: '2' }
    expect(errorsOf([], environment)).toMatchObject([
      {
        code: 'OPTIONS_INVALID',
        shortMessage: expect.stringMatching(/^PRICE_FEED_MOCK_SPEED and PRICE_FEED_MOCK_FROZEN /),
      },
    ])
    expect(configOf(['--speed', '3'], environment).clock).toEqual({ speed: 3 })
    expect(configOf(['--frozen'], environment).clock).toEqual({ frozen: true })
    const both = ['--speed', '3', '--frozen', '--signer', '1', '--signer-key-unsafe', 'ab'.repeat(32)]
    expect(errorsOf(both).map(({ code }) => code)).toEqual(['OPTIONS_INVALID', 'OPTIONS_INVALID'])
  })

  it('error: an invalid switch', () => {
    expect(problemsOf([], { PRICE_FEED_MOCK_FROZEN: 'maybe' }).problems).toEqual(['PRICE_FEED_MOCK_FROZEN'])
  })

  it('behavior: an unknown variable is reported with the closest name', () => {
    const environment = { PRICE_FEED_MOCK_SEDE: '7', PRICE_FEED_MOCK_X: '', PRICE_FEED_MOCK_FORMAT: 'rust', SEDE: '7' }
    expect(describeUnknownVariables(environment)).toEqual([
      expect.stringMatching(/PRICE_FEED_MOCK_SEDE .*PRICE_FEED_MOCK_SEED\b/),
    ])
  })

  it('error: problems name the variable or flag', () => {
    const environment = { PRICE_FEED_MOCK_PORT: 'x', PRICE_FEED_MOCK_API_KEY: 'good,not good' }
    expect(problemsOf(['--signer', '10'], environment)).toEqual({
      code: 'OPTIONS_INVALID',
      problems: ['PRICE_FEED_MOCK_API_KEY', '--signer', 'PRICE_FEED_MOCK_PORT'],
    })
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
  it('error: a missing file, a folder, or invalid JSON', () => {
    const codeOf = (path: string) => problemsOf(['--config', path]).code
    expect(codeOf(join(folder, 'nowhere.json'))).toBe('FILE_UNREADABLE')
    expect(codeOf(folder)).toBe('FILE_UNREADABLE')
    expect(codeOf(file('{ "seed": '))).toBe('FILE_UNREADABLE')
  })

  it('error: all files and flags are reported together', () => {
    const codesOf = (args: readonly string[]): ErrorCode[] => errorsOf(args).map(({ code }) => code)
    const path = file({ clock: { speed: 2, frozen: true } })
    const feeds = file({ feeds: 7 }, 'wrong-feeds.json')
    expect(codesOf(['--config', path, '--port', 'x', '--feeds-file', feeds])).toEqual([
      'CONFIG_INVALID',
      'OPTIONS_INVALID',
      'FEEDS_INVALID',
    ])
    expect(codesOf(['--config', 'nowhere.json', '--port', 'x'])).toEqual(['FILE_UNREADABLE', 'OPTIONS_INVALID'])
  })

  it('error: every problem of a config file, by its path', () => {
    const config = { sed: 1, clock: { at: 'noon', speeed: 1 }, apiKeys: ['good', 'not good'], port: '4700' }
    const { code, problems } = problemsOf(['--config', file(config)])
    expect(code).toBe('CONFIG_INVALID')
    expect([...problems].sort()).toEqual(['apiKeys[1]', 'clock.at', 'clock.speeed', 'port', 'sed'])
  })

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

it('behavior: two free ports are two ports, one chosen port is not', () => {
  expect(configOf(['--port', '0', '--history-port', '0'])).toMatchObject({ port: 0, historyPort: 0 })
  expect(errorsOf(['--port', '5000', '--history-port', '5000'])).toHaveLength(1)
})
