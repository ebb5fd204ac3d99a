// The command line: what is asked for, by which command, and what is said about what is none.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { configOf, errorsOf } from '../../test/support/command-line.js'
import { readCommandLine } from './command.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a config file and returns its path. */
function file(config: unknown, name = 'config.json'): string {
  const path = join(folder, name)
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config))
  return path
}

describe('commands', () => {
  it('default: serve, named or not', () => {
    for (const args of [
      ['--seed', '7'],
      ['serve', '--seed', '7'],
      ['--seed', '7', 'serve'],
    ])
      expect(readCommandLine(args, {})).toMatchObject({ kind: 'serve', config: { seed: '7', clock: {} } })
  })

  it('behavior: exec takes a free port and is silent, unless it is told otherwise', () => {
    expect(readCommandLine(['exec', '--', 'npm', 'test', '--watch'], {})).toMatchObject({
      kind: 'exec',
      command: ['npm', 'test', '--watch'],
      config: { port: 0, log: 'off', clock: {} },
    })
    const environment = { PRICE_FEED_MOCK_PORT: '4701', PRICE_FEED_MOCK_LOG: 'json' }
    expect(configOf(['exec', 'true'], environment)).toEqual({ port: 4701, log: 'json', clock: {} })
    expect(configOf(['exec', 'true'], { PRICE_FEED_MOCK_CONFIG: file({ port: 4702 }) }).port).toBe(4702)
  })

  it('behavior: flags belong to the command that they follow, and those before its name to it too', () => {
    expect(configOf(['keys', '--signer', '3']).signer).toBe(3)
    expect(configOf(['--signer', '3', 'keys']).signer).toBe(3)
    expect(configOf(['exec', '--seed', '7', '--', 'true']).seed).toBe('7')
    expect(configOf(['--seed', '7', '--at', '0', 'exec', '--seed', '8', 'true'])).toMatchObject({
      seed: '8',
      clock: { at: '0' },
    })
  })

  for (const args of [
    ['exec', 'node', '--version', '--seed', '9'],
    ['exec', '--', 'node', '--version', '--seed', '9'],
  ])
    it(`behavior: what follows the command of ${args.slice(0, 2).join(' ')} is its own`, () => {
      expect(readCommandLine(args, {})).toMatchObject({ command: ['node', '--version', '--seed', '9'] })
      expect(configOf(args).seed).toBeUndefined()
    })

  it('behavior: keys can be read from a config file', () => {
    const path = file({ signer: 3, port: 0, log: 'off', feeds: 'nowhere.json' })
    expect(configOf(['keys', '--config', path]).signer).toBe(3)
    expect(configOf(['keys'], { PRICE_FEED_MOCK_CONFIG: path }).signer).toBe(3)
  })

  it('behavior: keys has a format', () => {
    expect(readCommandLine(['keys'], {})).toMatchObject({ kind: 'keys', format: 'env' })
    expect(readCommandLine(['keys', '--format', 'rust'], {})).toMatchObject({ kind: 'keys', format: 'rust' })
    expect(configOf(['keys'], { PRICE_FEED_MOCK_SIGNER: '3' }).signer).toBe(3)
  })

  for (const [what, args] of [
    ['--help', ['--help']],
    ['--help of a command', ['exec', '--help']],
    ['help', ['help']],
    ['help of a command', ['help', 'keys']],
    ['the version', ['--version']],
  ] as const)
    it(`behavior: ${what} is printed on stdout, and that is all`, () => {
      const [out, err] = [process.stdout, process.stderr].map(to => vi.spyOn(to, 'write').mockReturnValue(true))
      try {
        expect(readCommandLine(args, {})).toEqual({ kind: 'exit' })
        expect([out!.mock.calls.length > 0, err!.mock.calls.length]).toEqual([true, 0])
      } finally {
        vi.restoreAllMocks()
      }
    })

  for (const [args, shortMessage, help] of [
    [['--sed', '7'], 'There is no option --sed.', ''],
    [['--sed=7'], 'There is no option --sed.', ''],
    [['serv'], 'There is no command serv.', ''],
    [['serve', 'exec'], 'serve takes only options.', ''],
    [['--frozen', '--speed', '2'], '--speed and --frozen cannot be together: a frozen clock has no speed.', ''],
    [['--frozen=true'], '--frozen takes no value.', ''],
    [['--port'], '--port needs a number.', ''],
    [['--host'], '--host needs an address.', ''],
    [['--port', '1', '--history-port', '1'], 'Port 1 cannot be both --port and --history-port.', ''],
    [['--history-port', '4700'], 'Port 4700 cannot be both --port and --history-port.', ''],
    [['exec'], 'exec needs a command: price-feed-mock exec -- npm test', ' exec'],
    [['exec', '--'], 'exec needs a command: price-feed-mock exec -- npm test', ' exec'],
    [['exec', ''], 'exec needs a command: price-feed-mock exec -- npm test', ' exec'],
    [['exec', '--ready', 'json', 'true'], 'exec has no option --ready.', ' exec'],
    [['--ready', 'json', 'exec', 'true'], 'exec has no option --ready.', ' exec'],
    [['exec', '--version'], 'exec has no option --version.', ' exec'],
    [['keys', 'all'], 'keys takes only options.', ' keys'],
    [['keys', '--seed', '7'], 'keys has no option --seed.', ' keys'],
    [['keys', '--format', 'yaml'], 'The options have 1 problem.', ' keys'],
  ] as const)
    it(`error: ${args.join(' ')}`, () => {
      expect(errorsOf(args)).toMatchObject([
        {
          code: 'OPTIONS_INVALID',
          shortMessage,
          details: expect.arrayContaining([['docs', `price-feed-mock${help} --help`]]),
        },
      ])
    })
})
