// The command line: commands, their options and usage errors. test/cli/*.txt holds the messages.
import { expect, it, onTestFinished, vi } from 'vitest'
import { configOf, createConfigFolder, errorsOf } from '../../test/support/command-line.js'
import { readCommandLine } from './command-line.js'

const { file } = createConfigFolder()

it('default: serve, with or without its name', () => {
  for (const args of [
    ['--seed', '7'],
    ['serve', '--seed', '7'],
    ['--seed', '7', 'serve'],
  ])
    expect(readCommandLine(args, {})).toMatchObject({ kind: 'serve', config: { seed: '7', clock: {} } })
})

it('behavior: exec defaults to a free port and no log', () => {
  expect(readCommandLine(['exec', '--', 'npm', 'test', '--watch'], {})).toMatchObject({
    kind: 'exec',
    operands: ['npm', 'test', '--watch'],
    config: { port: 0, log: 'off', clock: {} },
  })
  const environment = { PRICE_FEED_MOCK_PORT: '4701', PRICE_FEED_MOCK_LOG: 'json' }
  expect(configOf(['exec', 'true'], environment)).toEqual({ port: 4701, log: 'json', clock: {} })
  expect(configOf(['exec', 'true'], { PRICE_FEED_MOCK_CONFIG: file({ port: 4702 }) }).port).toBe(4702)
})

it('behavior: values before the name of a command and behind it are all taken, of one value the last', () => {
  const line = '--api-key one --api-key two --seed 7 --port 1 exec --seed 8 --api-key three true'
  expect(configOf(line.split(' '))).toMatchObject({ seed: '8', port: 1, apiKeys: ['one', 'two', 'three'] })
})

it('behavior: help is not wrapped in a terminal that is too narrow for it', () => {
  const { columns, isTTY } = process.stdout
  const shown = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const helpIn = (width: number): string => {
    Object.assign(process.stdout, { isTTY: true, columns: width })
    readCommandLine(['keys', '--help'], {})
    return String(shown.mock.lastCall![0])
  }
  onTestFinished(() => {
    Object.assign(process.stdout, { isTTY, columns })
    vi.restoreAllMocks()
  })
  const [wide, narrow] = [helpIn(200), helpIn(20)]
  expect(narrow).toBe(wide)
  expect(helpIn(80).split('\n').length).toBeGreaterThan(wide.split('\n').length)
})

// Usage errors come first, then those of values, each as if it were alone.
for (const [line, ...sentences] of [
  ['--sed 7 --port x', 'There is no option --sed.', 'The options have 1 problem.'],
  ['--sed=7 --prot 1 --frozen=1 --host', '--host needs', 'no option --sed.', 'no option --prot.', '--frozen takes no'],
  ['--sed 7 --sed 8', 'no option --sed.'],
  ['--sed 7 --host --frozen 1', '--host needs an', 'no option --sed.', 'no command 1.'],
  ['exec --seed -- true', '--seed needs a'],
  ['--config --port=1 --seed', '--config needs a', '--seed needs a'],
  ['--frob keys --seed 7', 'no option --frob.', 'keys has no option --seed.'],
  ['--seed 7 --port 1 keys', 'keys has no option --seed.', 'keys has no option --port.'],
  ['serv --port x --log loud', 'no command serv.', 'have 2 problems.'],
  ['serve now --port x', 'serve takes only options.', 'have 1 problem.'],
  ['keys json --format yaml', 'keys takes only options.', 'have 1 problem.'],
  ['keys all --sed 7', 'keys has no option --sed.', 'keys takes only options.'],
  ['exec --port x', 'exec needs a command', 'have 1 problem.'],
  ['exec --port x ', 'exec needs a command', 'have 1 problem.'],
  ['exec --frob true', 'exec has no option --frob.'],
  ['exec --sed 7 --speed -1 true', 'exec has no option --sed.', 'have 1 problem.'],
  ['exec --watch --ready json -- true', 'exec has no option --watch: it reads', 'exec has no option --ready.'],
  ['--watch exec true', 'exec has no option --watch: it reads'],
  ['check --feeds-fil x.json', 'check has no option --feeds-fil.', 'check needs a file'],
  ['check --frob x.json', 'check has no option --frob.'],
] as const)
  it(`error: all problems at once: ${line}`, () => {
    const found = errorsOf(line.split(' ')).map(({ shortMessage }) => shortMessage)
    expect(found).toEqual(sentences.map(sentence => expect.stringContaining(sentence)))
  })

it('behavior: help is not printed beside errors', () => {
  const printed: string[] = []
  expect(() => readCommandLine(['--help', '--port'], {}, text => printed.push(text))).toThrow()
  expect(printed).toEqual([])
})

it('behavior: exec ignores watch in the environment and in a config file, as it ignores ready', () => {
  const config = file({ watch: true, ready: 'json' }, 'watch.json')
  expect(configOf(['exec', '--config', config, 'true'], { PRICE_FEED_MOCK_WATCH: '1' }).port).toBe(0)
})

it('error: more feeds to record than a list may have', () => {
  const feeds = Array.from({ length: 101 }, (_, i) => `F${i}`).join()
  const flags = ['--base-url', 'http://localhost', '--api-key', 'k', '--out', 'out.csv', '--feeds', feeds]
  const [error] = errorsOf(['record', ...flags])
  expect(error!.problems.map(({ want }) => want)).toEqual(['1 to 100 feed ids, such as BTCUSD,ETHUSD'])
})

it('error: a relay with a store in the environment or in a config file, which it cannot use', () => {
  const relay = ['relay', '--contract', `0x${'5f'.repeat(20)}`, '--feeds', 'BTCUSD']
  const store = 'redis://localhost'
  const found = errorsOf([...relay, '--config', file({ store }, 'store.json')], { PRICE_FEED_MOCK_STORE: store })
  expect(found.map(({ code, shortMessage }) => [code, shortMessage])).toEqual([
    ['OPTIONS_INVALID', expect.stringContaining('PRICE_FEED_MOCK_STORE')],
    ['OPTIONS_INVALID', expect.stringContaining('config file')],
  ])
  expect(configOf(relay, { PRICE_FEED_MOCK_STORE: '' }).store).toBeUndefined()
})
