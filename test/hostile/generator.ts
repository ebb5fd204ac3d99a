// Seeded hostile volleys: groups of requests for one connection and the way it ends. The same seed always gives the same bytes.
import seedrandom from 'seedrandom'

/** The end of a connection: asked for by the last request, half-closed after the last byte, or aborted. */
export type Ending = 'asked' | 'half' | 'hang-up'

export interface Volley {
  /** Characters, one byte each. */
  readonly sent: string
  /** Requests in it, broken ones included. */
  readonly count: number
  /** Whether a parser accepts every request, so that each must be answered. */
  readonly wellFormed: boolean
  readonly ending: Ending
  /** The number of bytes in the first of two writes. */
  readonly splitAt: number
}

type Pick = <T>(from: readonly T[]) => T

const SERVICE = [
  '/prices/batch',
  '/prices/queryHistory',
  '/prices/queryhistory',
  '/prices/evm/crypto',
  '/charting/feeds-data',
]
const IDS = [
  'BTCUSD',
  'ethusd',
  'SOLUSD',
  'EURUSD',
  'NOUSD',
  '__proto__',
  'constructor',
  '%zz',
  '%00',
  '%F0%9F%9A%80',
  '',
]
const MINUTES = ['5', '1', '525600', '0', '-1', '1.5', '1e3', '1000000000000', '007', '%205', '', 'NaN']
const INTERVALS = ['1h', '24h', '1m', '52w', '53w', '0s', '24x', '', '1H']
const NAMES = ['feedids', 'FEEDIDS', '__proto__', 'toString', 'x', '%00', 'feedIds', 'minutes', '']
const OWN = [
  '/',
  '/_mock',
  '/_mock/',
  '/_mock/health',
  '/_mock/info',
  '/_mock/feeds',
  '/_mock/metrics',
  '/_mock/openapi.json',
]
const ODD_TARGETS = [
  '*',
  '//',
  '/%zz',
  '/%2e%2e/',
  '//prices/batch',
  '/Prices/Batch',
  '/_mock/helth',
  '/_MOCK/info',
  '/%5Fmock/info',
]
const URLS = ['http://other', 'http://localhost:1', 'HTTP://', 'foo://x', 'http://[::1', 'http://a:99999', 'ws://a/']
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE']
const KEYS = ['', 'wrong', 'Bearer test-api-key', 'Basic eDp5', '\xff', 'test-api-key, test-api-key']
const HOSTS = [
  'evil.example',
  'a b',
  'a(b',
  '',
  '[::1]:1',
  '127.0.0.1',
  'LOCALHOST',
  'localhost, evil',
  '%',
  '\xe9',
  'a'.repeat(999),
]
const HEADERS = [
  'Accept: text/html',
  'Accept: msw/passthrough',
  'Accept: */*;q=x',
  'Expect: 100-continue',
  'Expect: the-unexpected',
  'Connection: keep-alive, x',
  'Host: evil.example',
  'Authorization: wrong',
  'Cookie: a=b; __proto__=c',
  'Range: bytes=0-',
  'If-None-Match: *',
  'Origin: null',
  'Access-Control-Request-Method: GET',
  'X-Forwarded-Host: evil.example',
  'X-HTTP-Method-Override: DELETE',
  'TE: trailers',
  'Content-Length: 0',
  `X: ${'x'.repeat(2000)}`,
  'constructor: \t x \xff',
]
const JUNK = [
  'JUNK\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\nHost: a\n\n',
  'GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n',
  'GET / HTTP/1.1\r\nX\0: a\r\n\r\n',
  'GET /a b HTTP/1.1\r\n\r\n',
  'get / HTTP/1.1\r\n\r\n',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: loc',
  'G',
  '{"jsonrpc":"2.0"}\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
]

/** Creates the source of one seed. */
export function createGenerator(seed: string): () => Volley {
  const random = seedrandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const chance = (p: number): boolean => random() < p
  const pick: Pick = from => from[below(from.length)]!

  const query = (): string => {
    const ids = () =>
      Array.from({ length: chance(0.02) ? 101 : 1 + below(4) }, (_, i) => pick(IDS) + (i > 9 ? i : '')).join(',')
    const pairs = [`feedIds=${ids()}`, `minutes=${chance(0.5) ? '5' : pick(MINUTES)}`]
    if (chance(0.3))
      pairs.push(`feedids=${pick(IDS)}`, `feed=${pick(IDS)}`, `type=${1 + below(2)}`, `interval=${pick(INTERVALS)}`)
    if (chance(0.2)) pairs.push(`${pick(NAMES)}=${pick(IDS)}`)
    if (chance(0.2)) pairs.splice(below(pairs.length), 1)
    if (chance(0.01)) pairs.push('a=1&'.repeat(5000))
    return pairs.join('&')
  }
  const target = (): string => {
    const kind = random()
    if (kind < 0.35) return `${pick(SERVICE)}?${query()}`
    if (kind < 0.45) return `/prices/batch?feedIds=BTCUSD,ETHUSD&n=${below(1000)}`
    if (kind < 0.6) return `/prices/${pick(IDS)}/latest`
    if (kind < 0.7) return '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
    if (kind < 0.8) return pick(OWN)
    if (kind < 0.88) return pick(URLS) + pick(OWN)
    if (kind < 0.96) return pick(ODD_TARGETS)
    return `/${Array.from({ length: below(chance(0.1) ? 2000 : 20) }, () => String.fromCharCode(33 + below(94))).join('')}`
  }
  const request = (isLast: boolean): string => {
    const method = chance(0.75) ? 'GET' : pick(METHODS)
    const head = [`${method} ${target()} HTTP/1.${isLast && chance(0.05) ? 0 : 1}`]
    if (!chance(0.03)) head.push(`Host: ${chance(0.7) ? 'localhost' : pick(HOSTS)}`)
    if (!chance(0.05)) head.push(`Authorization: ${chance(0.8) ? 'test-api-key' : pick(KEYS)}`)
    // A repeated content-length is junk and not a request.
    for (let header = pick(HEADERS); chance(0.3) && !head.includes(header); header = pick(HEADERS))
      head.splice(1 + below(head.length), 0, header)
    const body = method === 'POST' && !head.includes('Content-Length: 0') ? 'x'.repeat(below(50)) : ''
    if (body !== '') head.push(chance(0.5) ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked')
    if (isLast && chance(0.1)) head.push('Connection: Upgrade', 'Upgrade: websocket')
    else if (isLast) head.push('Connection: close')
    const isChunked = head.includes('Transfer-Encoding: chunked')
    const payload = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
    return `${head.join('\r\n')}\r\n\r\n${payload}`
  }
  /** Changes, repeats, drops or adds bytes. The first byte stays, so that there is a request to answer. */
  const mutate = (text: string): string => {
    let mutated = text
    do {
      const at = 1 + below(mutated.length)
      const [before, after] = [mutated.slice(0, at), mutated.slice(at)]
      const kind = below(5)
      if (kind === 0) mutated = before + String.fromCharCode(below(256)) + after.slice(1)
      else if (kind === 1) mutated = before + after.slice(below(10))
      else if (kind === 2) mutated = before + before.slice(-below(10)) + after
      else if (kind === 3)
        mutated = before + pick(['\0', '\r', '\n', '\r\n', ' ', ':', '%', '\xff', '\x7f', '\t']) + after
      else mutated = chance(0.3) ? before : mutated
    } while (chance(0.5))
    return mutated
  }
  const largeHead = (): string =>
    chance(0.5)
      ? `GET /${'a'.repeat(131_072 + below(9999))} HTTP/1.1\r\n\r\n`
      : `GET / HTTP/1.1\r\n${`X: ${'a'.repeat(500)}\r\n`.repeat(300)}\r\n`

  const hasTwoHosts = (text: string): boolean => (text.match(/^Host:/gim) ?? []).length > 1

  return () => {
    const count = chance(0.6) ? 1 : 2 + below(8)
    const kind = random()
    const broken = kind < 0.15 ? 'mutated' : kind < 0.22 ? 'junk' : kind < 0.225 ? 'large' : undefined
    const requests = Array.from({ length: count }, (_, i) => request(broken === undefined && i === count - 1))
    const last = count - 1
    if (broken === 'mutated') requests[last] = mutate(requests[last]!)
    if (broken === 'junk') requests[last] = chance(0.8) ? pick(JUNK) : mutate(pick(JUNK))
    if (broken === 'large') requests[last] = largeHead()
    const sent = requests.join('')
    const twoHosts = requests.findIndex(hasTwoHosts)
    // HTTP/1.0 with both values of Connection keeps it open.
    const isAsked = broken === undefined && /HTTP\/1\.1\r\n.*\r\nConnection: close/s.test(requests[last]!)
    const ending = chance(0.08) ? 'hang-up' : isAsked && chance(0.7) ? 'asked' : 'half'
    return {
      sent,
      // A second Host is refused, and ends the connection.
      count: twoHosts < 0 ? count : twoHosts + 1,
      wellFormed: broken === undefined,
      ending,
      splitAt: chance(0.1) ? below(sent.length) : sent.length,
    }
  }
}
