// `again` of /_mock/info and the `now` of a response's header: the command line that brings that response back, byte for byte.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { readCommandLine } from '../../src/cli/command.js'
import { type RunningServer, type ServerOptions, startServer } from '../../src/hosts/node/server.js'
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
/** What is asked, and how far the clock is moved before it: what runs by itself in a test is only seconds. */
const ASKED = fc.sample(fc.tuple(target, fc.integer({ min: -1e8, max: 1e8 })), { seed: PROPERTY_SEED, numRuns: 20 })

const started: RunningServer[] = []
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
})
const start = async (options: ServerOptions) => {
  const server = await startServer({ ...options, port: 0 })
  started.push(server)
  return server
}
const ask = async (server: RunningServer, path: string, key = 'test-api-key') => {
  const response = await fetch(server.url + path, { headers: { authorization: key } })
  const now = /\bnow=(\d+)/.exec(response.headers.get('x-price-feed-mock') ?? '')?.[1]
  return { status: response.status, date: response.headers.get('date'), now, body: await response.text() }
}
const reproduceOf = async (server: RunningServer): Promise<string> =>
  ((await (await fetch(`${server.url}/_mock/info`)).json()) as { reproduce: string }).reproduce

/** The words of a command as a POSIX shell would take them apart, quotes and all. */
function toWords(command: string): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []
  return words.map(word =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  )
}
/** A fresh server by a command line. */
async function run(command: string): Promise<RunningServer> {
  const [program, ...args] = toWords(command)
  expect(program).toBe('price-feed-mock')
  const invocation = readCommandLine(args, {})
  if (invocation.kind !== 'serve') throw new Error(`It serves nothing: ${command}`)
  const { log, ready, feeds, scenario, scenarios, watch, handlers, ...config } = invocation.config
  expect([feeds, scenario, scenarios, watch, handlers, log, ready].every(one => one === undefined)).toBe(true)
  return start(config as ServerOptions)
}

/** Asks everything while the clock runs, then each again on a fresh server at the moment that its header tells. */
async function expectReplay(options: ServerOptions, key?: string): Promise<void> {
  const server = await start(options)
  const replies = []
  for (const [path, by] of ASKED) {
    server.mock.clock.set(AT)
    server.mock.clock.advance(by)
    replies.push({ path, ...(await ask(server, path, key)) })
  }
  const again = await reproduceOf(server)
  expect(new Set(replies.map(({ now }) => now)).size).toBeGreaterThan(10)
  for (const { path, ...wanted } of replies) {
    const command = again.replace(/--at \S+/, `--at ${wanted.now}`)
    expect(await ask(await run(command), path, key), command).toEqual(wanted)
  }
}

describe('reproduce', () => {
  it('default: 20 responses of a running clock', async () => {
    await expectReplay({ clock: { at: AT, speed: 1000 } })
  })

  it.each(["it's a 'seed'", '$HOME "x" \\ `y`', '-5', '--frozen', 'ünï ☃', ' ', '0042'])(
    'args: the seed %j',
    async seed => {
      const server = await start({ seed, clock: { at: AT, frozen: true } })
      const path = '/prices/BTCUSD/latest'
      expect(await ask(await run(await reproduceOf(server)), path)).toEqual(await ask(server, path))
    },
  )

  it('args: a signer', async () => {
    await expectReplay({ clock: { at: AT, speed: 1000 }, signer: 7, seed: '9' })
  })

  it('args: a policy', async () => {
    const policy = { candles: 9, unknownFeed: 'omit', batchFeedId: 'integer', maxMinutes: 900 } as const
    await expectReplay({ clock: { at: AT, speed: 1000 }, signer: 3, policy })
  })

  it('args: a layout of their own', async () => {
    const own = {
      fields: ['ts:u64be', 'price:u64be'],
      digest: 'sha256' as const,
      prefix: 'none',
      signature: 'rs' as const,
      hexPrefix: '0x' as const,
    }
    await expectReplay({ clock: { at: AT, speed: 1000 }, signing: { svm: 'own', layouts: { own } } })
  })

  it('args: API keys', async () => {
    await expectReplay({ clock: { at: AT, speed: 1000 }, apiKeys: ["key'1", 'key-2'] }, 'key-2')
  })

  it('behavior: what was changed since the start is told', async () => {
    const server = await start({ clock: { at: AT, frozen: true } })
    server.mock.change({ seed: 'changed', signer: 4, clock: { advance: '3d' } })
    const path = '/prices/batch?feedIds=BTCUSD,ETHUSD'
    expect(await ask(await run(await reproduceOf(server)), path)).toEqual(await ask(server, path))
  })

  it('behavior: a private key is not told', async () => {
    const secret = 'c0ffee'.padStart(64, '1')
    const again = await reproduceOf(await start({ signerKeyUnsafe: secret }))
    expect(again).toContain('--signer-key-unsafe')
    expect(again.toLowerCase()).not.toContain('c0ffee')
  })
})
