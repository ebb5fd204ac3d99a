// A running server as its user meets it: what stands on which stream, how it ends, what the addresses answer, and that the
// banner's last line brings the same bytes back.
import { get as httpGet } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { createShell, type Shell } from './shell.js'

const FROZEN = '--port 0 --at 2025-07-24T10:48:25Z --frozen'
const THROWAWAY_KEY = 'ab'.repeat(32)

const shells: Shell[] = []
afterEach(() => {
  for (const shell of shells.splice(0)) shell.end()
})
function open(environment?: Record<string, string>): Shell {
  const shell = createShell(environment)
  shells.push(shell)
  return shell
}

async function get(url: string, authorization = 'test-api-key') {
  const reply = await fetch(url, { headers: { authorization } })
  const mark = reply.headers.get('x-price-feed-mock')!
  // The mock's own replies are of the real present.
  const date = mark.startsWith('own') ? 'real' : reply.headers.get('date')
  return { status: reply.status, mark, date, body: await reply.text() }
}

describe('streams', () => {
  it('default: stdout is the address and nothing else, stderr a banner of at most twelve lines', async () => {
    const server = await open().start(`price-feed-mock ${FROZEN} --history-port 0 --synthetic-feeds 2 --log off`)
    await get(`${server.firstLine}/prices/BTCUSD/latest`)
    const { stdout, stderr } = await server.kill('SIGTERM')
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
    // A blank line sets it apart from the log.
    expect(stderr).toMatch(/[^\n]\n\n$/)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  it('behavior: --ready json is one line that says what the banner says', async () => {
    const server = await open().start(`price-feed-mock ${FROZEN} --history-port 0 --ready json --log off`)
    const ready = JSON.parse(server.firstLine)
    const { stdout, stderr } = await server.kill('SIGTERM')
    expect(stdout).toBe(`${server.firstLine}\n`)
    const { url, historyUrl, apiKey, seed, clock, feeds, signer, reproduce, version } = ready
    for (const told of [url, historyUrl, apiKey, seed, clock.at, feeds, signer.address, reproduce, version])
      expect(stderr).toContain(String(told))
  })

  it('behavior: colours are for those who want them', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
    const colour = /\x1b\[/
    for (const [environment, coloured] of [
      [{}, false],
      [{ CI: 'true' }, false],
      [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false],
      [{ FORCE_COLOR: '1' }, true],
    ] as const) {
      const server = await open(environment).start(`price-feed-mock ${FROZEN} --ready json`)
      const { url } = JSON.parse(server.firstLine)
      await get(`${url}/prices/BTCUSD/latest`)
      const { stdout, stderr } = await server.kill('SIGTERM')
      expect(colour.test(stdout), 'stdout is for programs').toBe(false)
      expect(colour.test(stderr), JSON.stringify(environment)).toBe(coloured)
    }
  })

  it('behavior: a key of the user is in no output', async () => {
    const shell = open()
    const server = await shell.start(
      `PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE=${THROWAWAY_KEY} price-feed-mock ${FROZEN} --ready json --log json`,
    )
    const { url } = JSON.parse(server.firstLine)
    const replies = [await get(`${url}/prices/BTCUSD/latest`), await get(`${url}/_mock/info`), await get(`${url}/nope`)]
    expect(replies[0]!.mark).toMatch(/signer="?custom/)
    const told = JSON.stringify([replies, await server.kill('SIGTERM')])
    expect(told).not.toContain(THROWAWAY_KEY)
  })
})

describe('the end', () => {
  it('behavior: a reader that has gone is none', async () => {
    const shell = open()
    const { stderr } = await shell.run(
      'price-feed-mock --help | :; price-feed-mock exec --help | :; price-feed-mock keys | :',
    )
    expect(stderr).toBe('')
    const server = await shell.start(`{ price-feed-mock ${FROZEN} --ready json 2>&1 >&3 | head -1 >&2; } 3>&1`)
    const { url } = JSON.parse(server.firstLine)
    for (let n = 0; n < 3; n++) expect((await get(`${url}/prices/BTCUSD/latest`)).status).toBe(200)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`behavior: ${signal} is fine, and at once, whatever is still connected`, async () => {
      const server = await open().start(`price-feed-mock ${FROZEN}`)
      await get(`${server.firstLine}/prices/BTCUSD/latest`)
      const half = createConnection(Number(new URL(server.firstLine).port), '127.0.0.1')
      await new Promise(resolve => half.write('GET /prices/BTCUSD/latest HTTP/1.1\r\nhost:', resolve))
      const closed = new Promise(resolve => half.on('error', () => {}).once('close', resolve))
      const asked = performance.now()
      expect((await server.kill(signal)).exit).toBe('0')
      // Far from the 75 s for which an idle connection is kept, and from the limits of a request.
      expect(performance.now() - asked).toBeLessThan(5000)
      await closed
    })
})

describe('addresses', () => {
  const candles = '/charting/feeds-data?feedids=BTCUSD&feed=BTCUSD&type=1&interval=1h'
  const hasIpv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

  it('args: --history-port makes two, each for its own endpoints', async () => {
    const server = await open().start(`price-feed-mock ${FROZEN} --history-port 0 --ready json`)
    const { url, historyUrl } = JSON.parse(server.firstLine)
    expect(historyUrl).not.toBe(url)
    expect((await get(`${url}/prices/BTCUSD/latest`)).status).toBe(200)
    expect((await get(historyUrl + candles)).status).toBe(200)
    expect((await get(`${historyUrl}/prices/BTCUSD/latest`)).status).toBe(404)
    expect((await get(url + candles)).status).toBe(404)
  })

  it('args: --host 127.0.0.1 is that loopback alone, localhost is both', async context => {
    if (!hasIpv6) context.skip('this machine has no IPv6 loopback')
    const shell = open()
    const one = await shell.start(`price-feed-mock ${FROZEN} --host 127.0.0.1`)
    expect((await get(`${one.firstLine}/_mock/health`)).status).toBe(200)
    await expect(get(`${one.firstLine.replace('127.0.0.1', '[::1]')}/_mock/health`)).rejects.toThrow()
    const both = await shell.start(`price-feed-mock ${FROZEN} --host localhost`)
    expect((await get(`${both.firstLine}/_mock/health`)).status).toBe(200)
    expect((await get(`${both.firstLine.replace('127.0.0.1', '[::1]')}/_mock/health`)).status).toBe(200)
  })

  it('args: --allow-host lets the admin answer under that name', async () => {
    const server = await open().start(`price-feed-mock ${FROZEN} --allow-host mock.example`)
    const { port } = new URL(server.firstLine)
    const ask = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = httpGet({ port, path: '/_mock/health', headers: { host }, agent: false }, reply => {
          reply.resume().on('end', () => resolve(reply.statusCode))
        })
        sent.on('error', reject)
      })
    expect(await ask(`mock.example:${port}`)).toBe(200)
    expect(await ask('other.example')).toBe(403)
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
  const tell = async (url: string) => {
    const replies = []
    for (const path of PATHS) replies.push(await get(url + path))
    return replies
  }

  for (const [what, options] of [
    ['nothing special', ''],
    ['a seed that shells misread', `--seed 'it'\\''s "a" $HOME \`id\` seed\\'`],
    ['another test key', '--signer 3'],
    ['invented feeds', '--synthetic-feeds 3'],
    ['feeds of one’s own', `--feeds 'our feeds.json'`],
    ['keys of one’s own', `--api-key "it's" --api-key test-api-key`],
    ['a scenario by its name', '--scenario stale-btc'],
    ['a scenario of one’s own', `--scenario 'ours/our scenario.json'`],
    ['a folder of them', '--scenarios ours --scenario our-scenario'],
    ['a config file', `--config 'our config.json'`],
    ['what a config file sets set back', `--config 'our config.json' --signer 0 --synthetic-feeds 0`],
  ] as const)
    it(`behavior: the same bytes again, with ${what}`, async () => {
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
      const first = await shell.start(`price-feed-mock ${FROZEN} --ready json ${options}`)
      const { url, reproduce } = JSON.parse(first.firstLine)
      const told = await tell(url)
      expect(told.map(({ status }) => status)).toEqual(PATHS.map(() => 200))
      await first.kill('SIGTERM')
      const second = await shell.start(`${reproduce} --port 0`)
      expect(await tell(second.firstLine)).toEqual(told)
    })

  it('behavior: a key of the user has to be put in anew', async () => {
    const shell = open({ PRICE_FEED_MOCK_SIGNER_KEY_UNSAFE: THROWAWAY_KEY })
    const first = await shell.start(`price-feed-mock ${FROZEN} --ready json`)
    const { reproduce } = JSON.parse(first.firstLine)
    expect((await shell.run(reproduce)).exit).toBe('2')
    const second = await shell.start(`${reproduce.replace('…', THROWAWAY_KEY)} --port 0 --ready json`)
    expect(JSON.parse(second.firstLine).signer).toEqual(JSON.parse(first.firstLine).signer)
  })

  it('behavior: a clock that runs begins again where it began', async () => {
    const shell = open()
    // Slow enough that no virtual second passes during the test.
    const first = await shell.start('price-feed-mock --port 0 --ready json --speed 0.001 --at 1753354105')
    const { url, reproduce } = JSON.parse(first.firstLine)
    const told = await tell(url)
    await first.kill('SIGTERM')
    const second = await shell.start(`${reproduce} --port 0`)
    expect(await tell(second.firstLine)).toEqual(told)
  })
})
