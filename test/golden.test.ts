// Golden responses: what seed 42 answers at one frozen instant, byte for byte, on every host. They are a promise to everybody who
// has written such a price into a test of theirs, and may change only with a major version and a line in the changelog.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { KEY } from './ask.js'
import { AT, describeHosts, type HostReply } from './hosts.js'

const FOLDER = new URL('../fixtures/golden/', import.meta.url)
const WRITE = 'mkdir -p fixtures/golden && npx vitest run test/golden.test.ts -u'

const SETTINGS = { seed: '42', clock: { at: AT, frozen: true } }
/** Few enough candles to be read. */
const FEW_CANDLES = { ...SETTINGS, policy: { candles: 5 } }

interface Golden {
  readonly file: string
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

const chart = (feed: string, interval: string): string =>
  `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`

const GOLDEN: readonly Golden[] = [
  { file: 'latest', path: '/prices/BTCUSD/latest' },
  { file: 'latest-small-price', path: '/prices/shibusd/latest' },
  { file: 'batch', path: '/prices/batch?feedIds=BTCUSD,ETHUSD,USDCUSD,EURUSD' },
  { file: 'history-5', path: '/prices/queryHistory?feedIds=BTCUSD,solusd&minutes=5' },
  { file: 'history-1440', path: '/prices/queryHistory?feedIds=WSTETHUSD,USDTUSD&minutes=1440' },
  { file: 'evm', path: '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD,XAUUSD' },
  { file: 'candles-1h', path: chart('btcusd', '1h') },
  { file: 'candles-1w', path: chart('eurusd', '1w') },
  { file: 'status-204', method: 'OPTIONS', path: '/prices/batch' },
  { file: 'status-400', path: '/prices/queryHistory?feedIds=BTCUSD&minutes=1e3' },
  { file: 'status-401', path: '/prices/BTCUSD/latest', headers: {} },
  { file: 'status-404-feed', path: '/prices/batch?feedIds=BTCUSD,NOUSD' },
  { file: 'status-404-interval', path: chart('btcusd', '24x') },
  { file: 'status-405', method: 'POST', path: '/prices/batch?feedIds=BTCUSD' },
]

/** What the hash covers, for each feed. */
const HASHED: Readonly<Record<string, (id: string) => string>> = {
  latest: id => `/prices/${id}/latest`,
  'history 5': id => `/prices/queryHistory?feedIds=${id}&minutes=5`,
  'history 1440': id => `/prices/queryHistory?feedIds=${id}&minutes=1440`,
  'candles 1m': id => chart(id, '1m'),
  'candles 1h': id => chart(id, '1h'),
  'candles 1d': id => chart(id, '1d'),
}
/** The feeds of the first version: later ones get higher numbers and change no path. */
const LAST_NUMBER = 64

const sha256 = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

/** A file to read and to compare: the parsed body for eyes, the text of the body for the promise. */
function toFile({ method = 'GET', path, headers = KEY }: Golden, reply: HostReply): string {
  const golden = {
    request: { method, path, headers },
    status: reply.status,
    headers: Object.fromEntries(Object.entries(reply.headers).sort()),
    body: reply.body === '' ? null : JSON.parse(reply.body),
    text: reply.body,
  }
  return `${JSON.stringify(golden, null, 2)}\n`
}

// Without the folder, a run would write today's answers as if they had been promised.
beforeAll(() => {
  if (!existsSync(FOLDER)) throw new Error(`The golden responses are not there. If they are to be frozen now: ${WRITE}`)
})

describeHosts('golden', start => {
  for (const golden of GOLDEN)
    it(`default: ${golden.file}`, async () => {
      // A host of its own, so that the header says n=1 whatever ran before.
      const { method = 'GET', path, headers = KEY, file } = golden
      const reply = await start(FEW_CANDLES).request(path, { method, headers })
      await expect(toFile(golden, reply)).toMatchFileSnapshot(`../fixtures/golden/${file}.json`)
    })

  it('default: the bodies of all feeds', async () => {
    const host = start(SETTINGS)
    const { feeds } = JSON.parse((await host.request('/_mock/feeds')).body) as {
      feeds: { id: string; number: number }[]
    }
    const ids = feeds.filter(({ number }) => number <= LAST_NUMBER).map(({ id }) => id)
    expect(ids).toHaveLength(LAST_NUMBER)
    const bodies: string[] = []
    const hashes: Record<string, string> = {}
    for (const [name, pathOf] of Object.entries(HASHED)) {
      const ofKind: string[] = []
      for (const id of ids) {
        const { status, body } = await host.request(pathOf(id), { headers: KEY })
        expect(status).toBe(200)
        ofKind.push(body)
      }
      hashes[name] = sha256(ofKind)
      bodies.push(...ofKind)
    }
    const golden = { bodies: bodies.length, joinedBy: '\n', sha256: sha256(bodies), byKind: hashes, feeds: ids }
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot('../fixtures/golden/all-feeds.json')
  })
})
