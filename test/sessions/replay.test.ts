// The `reproduce` command of /_mock/info with the `now` of a response's header brings that response back, byte for byte.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { readCommandLine } from '../../src/cli/command-line.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { startServer } from '../../src/hosts/node/server.js'
import { createMock, type Mock, type MockOptions } from '../../src/index.js'
import { AT } from '../support/hosts.js'
import { PROPERTY_SEED } from '../support/seed.js'

const IDS = ['BTCUSD', 'ethusd', 'EURUSD', 'USDCUSD', 'XAUUSD', 'DOGEUSD', 'NOPEUSD']
const ids = fc.subarray(IDS, { minLength: 1 }).map(list => list.join(','))
const target = fc.oneof(
  ids.map(list => `/prices/batch?feedIds=${list}`),
  fc
    .tuple(ids, fc.integer({ min: 0, max: 20_000 }))
    .map(([list, n]) => `/prices/queryHistory?feedIds=${list}&minutes=${n}`),
  ids.map(list => `/prices/evm/crypto?feedIds=${list}`),
  fc.constantFrom(...IDS).map(id => `/prices/${id}/latest`),
  fc
    .tuple(fc.constantFrom(...IDS), fc.constantFrom('1m', '15m', '1h', '1d', '1w', '7x'))
    .map(([id, interval]) => `/charting/feeds-data?feedids=${id}&feed=${id}&type=1&interval=${interval}`),
)
/** Requests, each with the seconds that the clock moves before it: in a test it runs for a moment only. */
const REQUESTS = fc.sample(fc.tuple(target, fc.integer({ min: -1e8, max: 1e8 })), { seed: PROPERTY_SEED, numRuns: 20 })

/** A mock and a way to ask it. */
type Running = { readonly mock: Mock; fetch(path: string, init?: RequestInit): Promise<Response> }
type Start = (options: MockOptions) => Promise<Running>

const startOnServer: Start = async options => {
  const { mock, url, stop } = await startServer({ ...options, port: 0 })
  onTestFinished(() => stop())
  return { mock, fetch: (path, init) => fetch(url + path, init) }
}
const start: Start = async options => {
  const mock = createMock(options)
  const fetch = createFetch(mock)
  return { mock, fetch: (path, init) => fetch(`http://mock${path}`, init) }
}
const ask = async (server: Running, path: string, key = 'test-api-key') => {
  const response = await server.fetch(path, { headers: { authorization: key } })
  const now = /\bnow=(\d+)/.exec(response.headers.get('x-price-feed-mock') ?? '')?.[1]
  return { status: response.status, date: response.headers.get('date'), now, body: await response.text() }
}
const reproduceOf = async (server: Running): Promise<string> =>
  ((await (await server.fetch('/_mock/info')).json()) as { reproduce: string }).reproduce

/** The words of a command as a POSIX shell would take them apart, quotes and all. */
function toWords(command: string): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []
  return words.map(word =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  )
}

/** The options that a command may have. */
const REPRODUCED = ['seed', 'signer', 'policy', 'clock', 'signing', 'apiKeys']

/** Starts a fresh mock by a command line. */
async function run(command: string, onHost = start): Promise<Running> {
  const [runner, program, ...args] = toWords(command)
  expect(runner).toBe('npx')
  expect(program).toBe('price-feed-mock')
  const invocation = readCommandLine(args, {})
  if (invocation.kind !== 'serve') throw new Error(`This command does not serve: ${command}`)
  const config = Object.entries(invocation.config).filter(([, value]) => value !== undefined)
  // All others need a file, or a server of a certain kind.
  for (const [name] of config) expect(REPRODUCED).toContain(name)
  return onHost(Object.fromEntries(config) as MockOptions)
}

/** Sends all requests while the clock runs, then each again to a fresh mock at the `now` of its header. */
async function expectReplay(options: MockOptions, key?: string, onHost = start): Promise<void> {
  const server = await onHost(options)
  const replies = []
  for (const [path, by] of REQUESTS) {
    server.mock.clock.set(AT)
    server.mock.clock.advance(by)
    replies.push({ path, ...(await ask(server, path, key)) })
  }
  // The command holds no key of the user: they are inserted again.
  const reproduce = (options.apiKeys ?? []).reduce(
    (command, own) => command.replace('--api-key …', `--api-key '${own}'`),
    await reproduceOf(server),
  )
  expect(reproduce).not.toContain('…')
  expect(new Set(replies.map(({ now }) => now)).size).toBeGreaterThan(10)
  for (const { path, ...wanted } of replies) {
    const command = reproduce.replace(/--at \S+/, `--at ${wanted.now}`)
    expect(await ask(await run(command, onHost), path, key), command).toEqual(wanted)
  }
}

it('default: 20 responses of a running clock, each on a server of its own', async () => {
  await expectReplay({ clock: { at: AT, speed: 1000 } }, undefined, startOnServer)
})

it('args: seed, signer and policy', async () => {
  const policy = { candles: 9, unknownFeed: 'omit', batchFeedId: 'integer', maxMinutes: 900 } as const
  await expectReplay({ clock: { at: AT, speed: 1000 }, signer: 3, seed: '9', policy })
})

it('args: a custom layout', async () => {
  const own = {
    fields: ['ts:u64be', 'price:u64be'],
    digest: 'sha256' as const,
    prefix: 'none',
    signature: 'rs' as const,
    hexPrefix: '0x' as const,
  }
  await expectReplay({ clock: { at: AT, speed: 1000 }, signing: { svm: 'own', layouts: { own } } })
})

it('args: API keys', () => expectReplay({ clock: { at: AT, speed: 1000 }, apiKeys: ['key;1', 'key-2'] }, 'key-2'))

it('behavior: changes since the start are part of the command', async () => {
  const server = await start({ clock: { at: AT, frozen: true } })
  server.mock.change({ seed: 'changed', signer: 4, clock: { advance: '3d' } })
  const path = '/prices/batch?feedIds=BTCUSD,ETHUSD'
  expect(await ask(await run(await reproduceOf(server)), path)).toEqual(await ask(server, path))
})
