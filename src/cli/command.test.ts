// The command line: where each setting comes from, which wins, and what is said about what is wrong.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { PriceFeedMockError } from '../errors.js'
import { readCommandLine, readJsonFile } from './command.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a config file and returns its path. */
function file(config: unknown, name = 'config.json'): string {
  const path = join(folder, name)
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config))
  return path
}

/** Reads a command line in an environment: Commander looks into that of the process. */
function readIn(environment: Record<string, string>, args: readonly string[]) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  try {
    return readCommandLine(args, process.env)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** The configuration that a command line makes. */
function configOf(args: readonly string[], environment: Record<string, string> = {}) {
  const invocation = readIn(environment, args)
  if (invocation.kind === 'exit') throw new Error(`it ended with ${invocation.code}`)
  return invocation.config
}

/** What is wrong with a command line. */
function problemsOf(args: readonly string[], environment: Record<string, string> = {}) {
  try {
    readIn(environment, args)
  } catch (error) {
    if (error instanceof PriceFeedMockError) return { code: error.code, problems: error.problems.map(({ at }) => at) }
    throw error
  }
  throw new Error('nothing is')
}

describe('precedence', () => {
  it('default: nothing is set, so that the defaults hold', () => {
    expect(configOf([])).toEqual({ clock: {} })
  })

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

  it('behavior: the config file itself can be named in the environment, and by a flag instead', () => {
    const environment = { PRICE_FEED_MOCK_CONFIG: file({ seed: 'a' }, 'a.json') }
    expect(configOf([], environment).seed).toBe('a')
    expect(configOf(['--config', file({ seed: 'b' }, 'b.json')], environment).seed).toBe('b')
  })

  it('behavior: the parts of the clock come from everywhere', () => {
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

  it('behavior: nested settings of a config file stay whole', () => {
    const config = { policy: { unknownFeed: 'omit' }, signing: { svm: 'evm' } }
    expect(configOf(['--config', file(config), '--seed', '7'])).toMatchObject({ ...config, seed: '7' })
  })

  it('behavior: feeds of a config file count from its folder, those of a flag or a variable from here', () => {
    mkdirSync(join(folder, 'deep'))
    const path = file({ feeds: '../feeds.json' }, 'deep/config.json')
    expect(configOf(['--config', path]).feeds).toBe(join(folder, 'feeds.json'))
    expect(configOf(['--config', path, '--feeds', 'mine.json']).feeds).toBe('mine.json')
    expect(configOf(['--config', path], { PRICE_FEED_MOCK_FEEDS: 'theirs.json' }).feeds).toBe('theirs.json')
  })
})

describe('environment', () => {
  it('behavior: an empty variable is an unset one', () => {
    const names = ['SEED', 'AT', 'FROZEN', 'PORT', 'API_KEY', 'CONFIG', 'FEEDS', 'LOG', 'SIGNER_KEY_UNSAFE']
    const empty = Object.fromEntries(names.map(name => [`PRICE_FEED_MOCK_${name}`, '']))
    expect(configOf([], empty)).toEqual({ clock: {} })
    expect(configOf(['--config', file({ seed: 'file' })], empty).seed).toBe('file')
  })

  for (const [word, frozen] of [
    ['false', undefined],
    ['False', undefined],
    ['0', undefined],
    ['no', undefined],
    ['OFF', undefined],
    ['true', true],
    ['1', true],
    ['yes', true],
  ] as const)
    it(`behavior: a switch set to ${word} is ${frozen ? 'on' : 'not set'}`, () => {
      expect(configOf([], { PRICE_FEED_MOCK_FROZEN: word }).clock!.frozen).toBe(frozen)
    })

  it('error: what is wrong is told under the name of the variable', () => {
    const environment = { PRICE_FEED_MOCK_PORT: 'x', PRICE_FEED_MOCK_API_KEY: 'good,not good' }
    expect(problemsOf(['--signer', '10'], environment)).toEqual({
      code: 'OPTIONS_INVALID',
      problems: ['PRICE_FEED_MOCK_API_KEY', '--signer', 'PRICE_FEED_MOCK_PORT'],
    })
  })
})

describe('commands', () => {
  it('default: serve, named or not', () => {
    expect(readCommandLine(['--seed', '7'], {})).toEqual({ kind: 'serve', config: { seed: '7', clock: {} } })
    expect(readCommandLine(['serve', '--seed', '7'], {})).toEqual({ kind: 'serve', config: { seed: '7', clock: {} } })
  })

  it('behavior: exec takes a free port and is silent, unless it is told otherwise', () => {
    expect(readCommandLine(['exec', '--', 'npm', 'test', '--watch'], {})).toEqual({
      kind: 'exec',
      command: ['npm', 'test', '--watch'],
      config: { port: 0, log: 'off', clock: {} },
    })
    const environment = { PRICE_FEED_MOCK_PORT: '4701', PRICE_FEED_MOCK_LOG: 'json' }
    expect(configOf(['exec', 'true'], environment)).toEqual({ port: 4701, log: 'json', clock: {} })
    expect(configOf(['exec', 'true'], { PRICE_FEED_MOCK_CONFIG: file({ port: 4702 }) }).port).toBe(4702)
  })

  it('behavior: keys has a format', () => {
    expect(readCommandLine(['keys'], {})).toMatchObject({ kind: 'keys', format: 'env' })
    expect(readCommandLine(['keys', '--format', 'rust'], {})).toMatchObject({ kind: 'keys', format: 'rust' })
    expect(configOf(['keys'], { PRICE_FEED_MOCK_SIGNER: '3' }).signer).toBe(3)
  })

  for (const [what, args, code] of [
    ['help', ['--help'], 0],
    ['help of a command', ['exec', '--help'], 0],
    ['the version', ['--version'], 0],
    ['an unknown option', ['--sed'], 2],
    ['an unknown command', ['serv'], 2],
    ['a conflict', ['--frozen', '--speed', '2'], 2],
    ['a missing value', ['--port'], 2],
    ['a missing command', ['exec'], 2],
    ['an unknown format', ['keys', '--format', 'yaml'], 2],
  ] as const)
    it(`behavior: ${what} ends with ${code}`, () => {
      const silent = [process.stdout, process.stderr].map(out => vi.spyOn(out, 'write').mockReturnValue(true))
      try {
        expect(readCommandLine(args, {})).toEqual({ kind: 'exit', code })
        expect(silent.map(write => write.mock.calls.length > 0)).toEqual([code === 0, code !== 0])
      } finally {
        for (const write of silent) write.mockRestore()
      }
    })
})

describe('files', () => {
  it('default', () => {
    expect(readJsonFile(file('{ "a": [1] }'))).toEqual({ a: [1] })
  })

  it('error: one that is not there, is a folder or is not JSON', () => {
    const codeOf = (path: string) => problemsOf(['--config', path]).code
    expect(codeOf(join(folder, 'nowhere.json'))).toBe('FILE_UNREADABLE')
    expect(codeOf(folder)).toBe('FILE_UNREADABLE')
    expect(codeOf(file('{ "seed": '))).toBe('FILE_UNREADABLE')
  })

  it('error: every problem of a config file, by its place', () => {
    const config = { sed: 1, clock: { at: 'noon', speeed: 1 }, apiKeys: ['good', 'not good'], port: '4700' }
    const { code, problems } = problemsOf(['--config', file(config)])
    expect(code).toBe('CONFIG_INVALID')
    expect([...problems].sort()).toEqual(['apiKeys[1]', 'clock.at', 'clock.speeed', 'port', 'sed'])
  })

  it('error: a private key is not repeated, wherever it stands', () => {
    const secret = 'ab'.repeat(31)
    const textOf = (args: readonly string[], environment = {}): string => {
      try {
        readIn(environment, args)
      } catch (error) {
        return (error as Error).message
      }
      return 'nothing is wrong'
    }
    for (const text of [
      textOf(['--signer-key-unsafe', secret]),
      textOf([], { PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE: secret }),
      textOf(['--config', file({ signerKeyUnsafe: secret })]),
    ]) {
      expect(text).toContain('not shown')
      expect(text).not.toContain(secret)
    }
  })
})
