// A running server as a process: its streams, its end, its addresses, and the command that reproduces its replies. A shell splits
// that command, and most of these servers run in this process.
import { get as httpGet } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ready } from '../../src/cli/banner.js'
import { startPlainCommand } from './plain-command.js'
import { createShell, type Finished, type Running, type Shell } from './shell.js'

const FROZEN = '--port 0 --at 2025-07-24T10:48:25Z --frozen'
const THROWAWAY_KEY = 'ab'.repeat(32)
const HAS_IPV6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

const shells: Shell[] = []
afterAll(() => {
  for (const shell of shells) shell.end()
})
function open(environment?: Record<string, string>): Shell {
  const shell = createShell(environment)
  shells.push(shell)
  return shell
}

async function get(url: string, authorization = 'test-api-key') {
  const reply = await fetch(url, { headers: { authorization } })
  const mark = reply.headers.get('x-price-feed-mock')!
  // The date of the mock's own replies is real.
  const date = mark.startsWith('own') ? 'real' : reply.headers.get('date')
  return { status: reply.status, mark, date, body: await reply.text() }
}

/** The status of a reply to a request with a Host header. */
const statusFor = (host: string, port: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const request = httpGet({ port, path: '/_mock/health', headers: { host }, agent: false }, reply => {
      reply.resume().on('end', () => resolve(reply.statusCode))
    })
    request.on('error', reject)
  })

// One server with many options. The last test ends it, so the order is fixed.
describe('a server with --ready json', { shuffle: false }, () => {
  let server: Running
  let ready: Ready
  beforeAll(async () => {
    server = await open({ FORCE_COLOR: '1' }).start(
      `price-feed-mock ${FROZEN} --history-port 0 --ready json --host localhost --allow-host mock.example`,
    )
    ready = JSON.parse(server.firstLine)
  })

  it('args: --allow-host allows the admin routes under that name', async () => {
    const { port } = new URL(ready.url)
    expect(await statusFor(`mock.example:${port}`, port)).toBe(200)
    expect(await statusFor('other.example', port)).toBe(403)
  })

  it('behavior: stdout is one line with the content of the banner, and only stderr has colours', async () => {
    const { stdout, stderr, exit } = await server.kill('SIGTERM')
    expect(exit).toBe('0')
    expect(stdout).toBe(`${server.firstLine}\n`)
    const { url, historyUrl, apiKey, seed, clock, feeds, signer, reproduce, version } = ready
    for (const value of [url, historyUrl, apiKey, seed, clock.at, feeds, signer.address, reproduce, version])
      expect(stderr).toContain(String(value))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
    const colour = /\x1b\[/
    expect(stderr).toMatch(colour)
    expect(stdout).not.toMatch(colour)
  })
})

// One server with the plain ready line. The last test ends it, so the order is fixed.
describe('a server with --host 127.0.0.1', { shuffle: false }, () => {
  let server: Running
  beforeAll(async () => {
    server = await open({}).start(
      `price-feed-mock ${FROZEN} --history-port 0 --synthetic-feeds 2 --log off --host 127.0.0.1`,
    )
  })

  it('args: --host 127.0.0.1 listens on that address only', async context => {
    if (!HAS_IPV6) context.skip('this machine has no IPv6 loopback')
    expect((await get(`${server.firstLine}/_mock/health`)).status).toBe(200)
    await expect(get(`${server.firstLine.replace('127.0.0.1', '[::1]')}/_mock/health`)).rejects.toThrow()
  })

  it('default: stdout is the address, stderr a banner of at most twelve lines; SIGINT stops during a request', async () => {
    await get(`${server.firstLine}/prices/BTCUSD/latest`)
    const { stdout, stderr } = await stopDuringRequest(server, 'SIGINT')
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
    // A blank line separates it from the log.
    expect(stderr).toMatch(/[^\n]\n\n$/)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
    expect(stderr).not.toContain('\x1b')
  })
})

/** Stops a server while a client is in the middle of a request. */
async function stopDuringRequest(server: Running, signal: NodeJS.Signals): Promise<Finished> {
  const half = createConnection(Number(new URL(server.firstLine).port), '127.0.0.1')
  await new Promise(resolve => half.write('GET /prices/BTCUSD/latest HTTP/1.1\r\nhost:', resolve))
  const closed = new Promise(resolve => half.on('error', () => {}).once('close', resolve))
  const start = performance.now()
  const finished = await server.kill(signal)
  expect(finished.exit).toBe('0')
  // Far below the 75 s of an idle connection and the limits of a request.
  expect(performance.now() - start).toBeLessThan(5000)
  await closed
  return finished
}

describe('the end', () => {
  it('behavior: a closed pipe is not an error', async () => {
    const shell = open()
    const { stderr } = await shell.run(
      'price-feed-mock --help | :; price-feed-mock exec --help | :; price-feed-mock keys | :',
    )
    expect(stderr).toBe('')
    const server = await shell.start(`{ price-feed-mock ${FROZEN} --ready json 2>&1 >&3 | head -1 >&2; } 3>&1`)
    const { url } = JSON.parse(server.firstLine)
    for (let n = 0; n < 3; n++) expect((await get(`${url}/prices/BTCUSD/latest`)).status).toBe(200)
  })

  it('behavior: SIGTERM stops the server at once, in the middle of a request', async () => {
    const server = await open().start(`price-feed-mock ${FROZEN}`)
    await get(`${server.firstLine}/prices/BTCUSD/latest`)
    await stopDuringRequest(server, 'SIGTERM')
  })
})

describe('the drain', () => {
  const body = '{"id":"made"}'
  /** Starts a server and sends it the head of a request. `finish` sends the body and resolves to the reply. */
  async function startDuringRequest(options: string) {
    const server = await open().start(`price-feed-mock ${FROZEN} ${options}`)
    const { port } = new URL(server.firstLine)
    const socket = createConnection(Number(port), '127.0.0.1').on('error', () => {})
    const head = `POST /_mock/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    await new Promise(resolve => socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`, resolve))
    // The server has the request.
    await get(`${server.firstLine}/_mock/health`)
    await get(`${server.firstLine}/_mock/health`)
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    const closed = new Promise<string>(resolve => socket.once('close', () => resolve(text)))
    return { server, closed, finish: () => socket.write(body) }
  }
  const untilRefused = (url: string) =>
    expect
      .poll(() =>
        get(url).then(
          ({ status }) => status,
          () => 'refused',
        ),
      )
      .toBe('refused')

  it('default: SIGTERM lets an answer in progress finish', async () => {
    const { server, closed, finish } = await startDuringRequest('--drain 1m')
    const ended = server.kill('SIGTERM')
    await untilRefused(`${server.firstLine}/_mock/health`)
    finish()
    expect(await closed).toContain('"id":"made"')
    expect((await ended).exit).toBe('0')
  })

  it('behavior: a second signal ends the program at once', async () => {
    const { server } = await startDuringRequest('--drain 1m')
    const ended = server.kill('SIGINT')
    await untilRefused(`${server.firstLine}/_mock/health`)
    server.kill('SIGTERM')
    expect((await ended).exit).toBe('143')
  })

  it('args: --drain 0 waits for nothing', async () => {
    const { server } = await startDuringRequest('--drain 0')
    expect((await server.kill('SIGTERM')).exit).toBe('0')
  })
})

describe('reproduce', () => {
  const PATHS = [
    '/prices/BTCUSD/latest',
    '/prices/batch?feedIds=BTCUSD,ETHUSD',
    '/prices/queryHistory?feedIds=BTCUSD&minutes=60',
    '/prices/evm/crypto?feedIds=BTCUSD',
    '/charting/feeds-data?feedids=BTCUSD&feed=BTCUSD&type=1&interval=1h',
    '/_mock/feeds',
  ]
  const readAll = async (url: string) => {
    const replies = []
    for (const path of PATHS) replies.push(await get(url + path))
    return replies
  }

  /** Starts a server in this process, by the words that a shell makes of a line. */
  async function startHere({ folder, run }: Shell, line: string) {
    const words = (await run(`printf '%s\\0' ${line}`)).stdout.split('\0').slice(0, -1)
    const args = words.slice(words.indexOf('price-feed-mock') + 1)
    return startPlainCommand({ args, environment: {} }, folder)
  }

  it.each([
    ['defaults', ''],
    [
      'a seed with characters of the shell, another test key, more feeds, own keys, a scenario',
      `--seed 'it'\\''s "a" $HOME \`id\` seed\\' --signer 3 --synthetic-feeds 3 --api-key "it's" --api-key test-api-key --scenario stale-btc`,
    ],
    ['feeds and a scenario of the user', `--feeds-file 'our feeds.json' --scenario 'ours/our scenario.json'`],
    ['a folder of scenarios', '--scenarios ours --scenario our-scenario'],
    ['a config file', `--config 'our config.json'`],
    ['flags that reset a config file', `--config 'our config.json' --signer 0 --synthetic-feeds 0`],
  ])('behavior: the same replies with %s', async (_, options) => {
    const shell = open()
    shell.write('our feeds.json', '{ "feeds": [{ "id": "ACMEUSD", "base": 12.5, "drivers": { "crypto": 0.5 } }] }')
    shell.write(
      'our config.json',
      '{ "signer": 3, "syntheticFeeds": 2, "feeds": "our feeds.json", "policy": { "candles": 5, "batchFeedId": "integer" } }',
    )
    shell.write(
      'ours/our scenario.json',
      '{ "title": "Ours", "why": "Nobody else has it.", "faults": [{ "fault": "market/stale", "options": { "age": "5m" } }] }',
    )
    const first = await startHere(shell, `price-feed-mock ${FROZEN} --ready json ${options}`)
    const { url, reproduce } = JSON.parse(first.firstLine)
    const replies = await readAll(url)
    expect(replies.map(({ status }) => status)).toEqual(PATHS.map(() => 200))
    await first.kill('SIGTERM')
    const second = await startHere(shell, `${reproduce.replace('--api-key …', `--api-key "it's"`)} --port 0`)
    expect(await readAll(second.firstLine)).toEqual(replies)
    await second.kill('SIGTERM')
  })

  it('behavior: the user’s own key appears nowhere and must be inserted again', async () => {
    const shell = open({ PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE: THROWAWAY_KEY })
    const first = await shell.start(`price-feed-mock ${FROZEN} --ready json --log json`)
    const { url, reproduce, signer } = JSON.parse(first.firstLine)
    const replies = [await get(`${url}/prices/BTCUSD/latest`), await get(`${url}/_mock/info`), await get(`${url}/nope`)]
    expect(replies[0]!.mark).toMatch(/signer="?custom/)
    const output = JSON.stringify([replies, await first.kill('SIGTERM')])
    expect(output).not.toContain(THROWAWAY_KEY)
    expect((await shell.run(reproduce)).exit).toBe('2')
    const second = await shell.start(`${reproduce.replace('…', THROWAWAY_KEY)} --port 0 --ready json`)
    expect(JSON.parse(second.firstLine).signer).toEqual(signer)
  })

  it('behavior: a scenario under way, prices that were set and counted requests come back by a snapshot', async () => {
    const shell = open()
    shell.write(
      'crash.json',
      `{ "title": "T", "why": "W", "faults": [
        { "fault": "market/crash", "feeds": ["BTCUSD"], "from": "5s", "for": "10m", "options": { "depth": 0.4 } },
        { "fault": "reply/status", "endpoints": ["evm"], "requests": "2", "options": { "status": 503 } }] }`,
    )
    const first = await startHere(shell, `price-feed-mock ${FROZEN} --scenario crash.json --ready json`)
    const { url } = JSON.parse(first.firstLine)
    await get(`${url}/prices/evm/crypto?feedIds=BTCUSD`)
    const changed = await fetch(`${url}/_mock/sessions/default`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clock: { advance: '20s' }, prices: { ETHUSD: 1234 } }),
    })
    expect(changed.status).toBe(200)
    const { reproduce } = (await (await fetch(`${url}/_mock/info`)).json()) as { reproduce: string }
    const second = await shell.start(`${reproduce} --port 0 --ready json`)
    const again = JSON.parse(second.firstLine)
    const replies = await readAll(url)
    expect(replies.map(({ status }) => status)).toContain(503)
    expect(await readAll(again.url)).toEqual(replies)
    // A server that was started by it needs no file to be saved first, and has the port.
    expect(again.reproduce).toBe(reproduce.slice(reproduce.indexOf('npx')).replace(' --port 0', ''))
    await first.kill('SIGTERM')
    await second.kill('SIGTERM')
    shell.write('snapshot.json', '{ "snapshot": { "version": 2 } }')
    const { stderr, exit } = await shell.run('price-feed-mock --snapshot snapshot.json')
    expect(stderr).toContain('from  --snapshot snapshot.json')
    expect(exit).toBe('2')
  })

  it('behavior: a running clock starts again at the same time', async () => {
    const shell = open()
    // Slow enough that no virtual second passes during the test.
    const first = await startHere(shell, 'price-feed-mock --port 0 --ready json --speed 0.001 --at 1753354105')
    const { url, reproduce } = JSON.parse(first.firstLine)
    const replies = await readAll(url)
    await first.kill('SIGTERM')
    const second = await startHere(shell, `${reproduce} --port 0`)
    expect(await readAll(second.firstLine)).toEqual(replies)
    await second.kill('SIGTERM')
  })
})
