// Seeded hostile volleys of every kind. The same seed and number always give the same bytes.
import seedrandom from 'seedrandom'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { inventFeeds } from '../../src/market/synthetic.js'
import { createGenerator } from '../../test/hostile/generator.js'

/** The action of the client after the last byte. */
export type Ending =
  /** Reads until the server closes the connection. */
  | 'read'
  /** Resets the connection at once, or on the first bytes of an answer, or without them after some time. */
  | 'abort'
  /** Keeps the connection for `holdMs` without reading, and resets it then. */
  | 'hold'

/** Requests for one connection. */
export interface Volley {
  readonly kind: Kind
  /** Number of requests in it, broken ones included. */
  readonly requests: number
  /** Characters, one byte each. */
  readonly sent: string
  readonly ending: Ending
  /** @default 0 */
  readonly holdMs?: number
  /** Bytes that follow one at a time, while the connection is held. */
  readonly drip?: string
  /** A volley that is built from the answer to this one. */
  readonly next?: (received: string) => Volley | undefined
}

type Content = Omit<Volley, 'kind' | 'next'> & { readonly next?: (received: string) => Content | undefined }

/** Seeded choices. */
export interface Random {
  below(n: number): number
  /** An integer from `least` to `most`; small ones are as likely as large ones, by their logarithm. */
  between(least: number, most: number): number
  chance(p: number): boolean
  pick<T>(from: readonly T[]): T
}

/** Synthetic feeds of the attacked server, so that the largest request can name a hundred. */
export const SYNTHETIC_FEEDS = 50
const HUNDRED_FEEDS = [...catalogueFeeds(), ...(await inventFeeds('42', SYNTHETIC_FEEDS))]
  .slice(0, 100)
  .map(({ id }) => id)

const JSON_TYPE = 'Content-Type: application/json\r\n'
const FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'EURUSD', 'USDCUSD', 'btcusd', 'NOUSD']
const HISTORY = '/prices/queryHistory?minutes=525600&feedIds='
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval='
/** A number of sessions that no server may keep: most of them are evicted. */
const PATH_SESSIONS = 3_000
const CREATED_SESSIONS = 1_300
const SIZES = [1_000, 10_000, 100_000, 1_000_000]

interface Parts {
  readonly method?: string
  readonly head?: string
  readonly body?: string
  /** @default 'test-api-key' */
  readonly key?: string
  /** Whether the server closes the connection afterwards. */
  readonly close?: boolean
}

function request(target: string, { method = 'GET', head = '', body = '', key, close = false }: Parts = {}): string {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
  const authorization = key === '' ? '' : `Authorization: ${key ?? 'test-api-key'}\r\n`
  const connection = close ? 'Connection: close\r\n' : ''
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${authorization}${head}${length}${connection}\r\n${body}`
}

const send = (method: string, target: string, data: unknown, close = false): string =>
  request(target, { method, head: JSON_TYPE, body: typeof data === 'string' ? data : JSON.stringify(data), close })

/** Requests one after the other on one connection, which the last one closes. */
function pipelined(requests: readonly string[]): Content {
  const last = requests.at(-1)!.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  return { requests: requests.length, sent: [...requests.slice(0, -1), last].join(''), ending: 'read' }
}

const times = <T>(count: number, create: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => create(i))
const pathSession = ({ below }: Random): string => `/session/p${below(PATH_SESSIONS)}`
const createdSession = ({ below }: Random): string => `c${below(CREATED_SESSIONS)}`

/** A target of one of the five endpoints. */
function serviceTarget(random: Random): string {
  const { below, pick } = random
  const prefix = random.chance(0.2) ? pathSession(random) : ''
  const targets = [
    `/prices/${pick(FEEDS)}/latest`,
    `/prices/batch?feedIds=${pick(FEEDS)},${pick(FEEDS)}&n=${below(1e6)}`,
    `/prices/evm/crypto?feedIds=${pick(FEEDS)}`,
    `/prices/queryHistory?feedIds=${pick(FEEDS)}&minutes=${below(2_000)}`,
  ]
  return prefix + (random.chance(0.03) ? `${CHART}${1 + below(90)}m` : pick(targets))
}

/** A text that is not a valid body of a session, in one of the ways that cost most to report. */
function badJson({ pick }: Random): string {
  const size = pick(SIZES)
  const list = (item: string): string => `[${times(Math.floor(size / (item.length + 1)), () => item).join(',')}]`
  const keys = (key: string, value: string): string =>
    `{${times(Math.floor(size / (key.length + value.length + 11)), i => `"${key}${i}":${value}`).join(',')}}`
  return pick([
    () => '['.repeat(size - 1),
    () => `${'['.repeat(size / 2 - 10)}${']'.repeat(size / 2 - 10)}`,
    () => `${'{"scenario":'.repeat(size / 20)}1${'}'.repeat(size / 20)}`,
    () => `{"id":"${'x'.repeat(size - 100)}`,
    () => `{"id":"${'x'.repeat(size - 100)}"}`,
    () => `{"scenario":{"faults":${list('{"fault":"wire/rest"}')}}}`,
    () => `{"scenario":{"faults":[{"fault":"reply/status","feeds":${list('"NOUSD"')}}]}}`,
    () => `{"apiKeys":${list('1')}}`,
    () => `{"prices":${keys('BTCUS', '"1"')}}`,
    () => keys('sede', '1'),
    () => `{"policy":${keys('candels', '0')}}`,
    () => `{"signing":{"layouts":${keys('l', '{"fields":[]}')}}}`,
    () => `{"snapshot":{"version":1,"overrides":{"BTCUSD":${list('{"from":-1}')}}}}`,
    () => list('null'),
    () => '\xff'.repeat(size - 1),
    () => `{"__proto__":${list('{"constructor":1}')}}`,
  ])()
}

/** A valid body of a session that is almost as large as a body may be. */
function largeBody(random: Random, id: string): unknown {
  if (random.chance(0.5))
    return {
      id,
      scenario: { faults: times(80, () => ({ fault: 'market/shock', feeds: times(1_000, () => 'BTCUSD') })) },
    }
  const points = times(400, i => ({ at: `${i + 1}s`, price: 1 + random.below(90_000) }))
  const faults = times(50, () => ({ fault: 'market/path', feeds: ['BTCUSD'], options: { points } }))
  return { id, scenario: { faults } }
}

/** Scenarios that make one price expensive to look up. */
const EXPENSIVE: readonly unknown[] = [
  { faults: [{ fault: 'market/drift', repeat: '30s', for: '20s' }] },
  { faults: times(10, i => ({ fault: 'market/drift', repeat: `${1_000 + i}s`, for: '900s' })) },
  { faults: times(100, i => ({ fault: 'market/gap', feeds: ['BTCUSD'], from: `${i * 60}s`, for: '30s' })) },
  { faults: times(10, i => ({ fault: 'market/gap', feeds: ['BTCUSD'], repeat: `${1_000 + i}s`, for: '500s' })) },
  { faults: times(3, i => ({ fault: 'market/shock', repeat: `${300 + i}s`, for: '5s', options: { change: -0.3 } })) },
]

const WIRE_SCENARIOS = ['silence', 'flaky-network', 'slow-network', 'outage-and-recovery', 'odd-bodies', 'chaos']
const WIRE_FAULTS = ['wire/reset', 'wire/truncate', 'wire/timeout', 'wire/dribble'] as const

/** A share of the volleys, and the content of one. */
interface KindOfVolley {
  readonly weight: number
  readonly create: (random: Random, seed: string) => Content
}

const KINDS = {
  /** Requests that a client could mean, many on one connection. */
  pipeline: {
    weight: 36,
    create: random => pipelined(times(20 + random.below(70), () => request(serviceTarget(random)))),
  },
  /** Odd targets, keys, hosts and headers, broken bytes and junk: the generator of the tests. */
  fuzz: {
    weight: 30,
    create(_random, seed) {
      const { sent, count, ending } = createGenerator(seed)()
      return { sent, requests: count, ending: ending === 'hang-up' ? 'abort' : 'read' }
    },
  },
  /** Far more requests than anyone reads the answers of. */
  unread: {
    weight: 1.5,
    create: random => ({
      requests: 2_000,
      sent: request(random.pick(['/prices/BTCUSD/latest', '/nowhere', '/_mock/info']), { key: '' }).repeat(2_000),
      ending: 'hold',
      holdMs: 200 + random.below(1_000),
    }),
  },
  /** The same behind an answer that never comes. */
  behindSilence: {
    weight: 0.7,
    create: random => ({
      requests: 3_001,
      sent:
        request('/scenario/silence/prices/BTCUSD/latest') +
        request(random.pick(['/prices/BTCUSD/latest', '/x']), { key: '' }).repeat(3_000),
      ending: 'hold',
      holdMs: 500 + random.below(1_500),
    }),
  },
  /** Heads just below and just above the limit. */
  large: {
    weight: 5,
    create(random) {
      const text = 'abcdefghijklmnop'.repeat(8_300).slice(0, 60_000 + random.below(72_000))
      const prefix = random.chance(0.5) ? pathSession(random) : ''
      return pipelined(
        times(1 + random.below(3), () =>
          random.chance(0.7)
            ? request(`${prefix}/prices/BTCUSD/latest?${text}`)
            : request('/prices/BTCUSD/latest', { head: `X: ${text}\r\n` }),
        ),
      )
    },
  },
  /** Bodies of up to a megabyte that are not what the admin expects. */
  badJson: {
    weight: 1,
    create(random) {
      const [method, target] = random.pick([
        ['POST', '/_mock/sessions'],
        ['PATCH', `/_mock/sessions/${createdSession(random)}`],
        ['PATCH', '/_mock/sessions/default'],
        ['POST', '/_mock/sessions/default/restore'],
        ['POST', '/prices/batch'],
      ] as const)
      return { requests: 1, sent: send(method, target, badJson(random), true), ending: 'read' }
    },
  },
  /** Sessions that are created, used or not, and abandoned; some are deleted. */
  sessions: {
    weight: 4,
    create: random =>
      pipelined(
        times(10, () => {
          const id = createdSession(random)
          return random.pick([
            () => send('POST', '/_mock/sessions', { id, seed: id, clock: { frozen: true } }),
            () => request('/prices/BTCUSD/latest', { key: `session.${id}` }),
            () => request(`/_mock/sessions/${id}`, { method: 'DELETE' }),
            () => request(`${pathSession(random)}/prices/BTCUSD/latest`),
            () => send('POST', `/_mock/sessions/${id}/reset`, {}),
          ])()
        }),
      ),
  },
  /** Sessions whose bodies are almost as large as allowed. */
  largeSessions: {
    weight: 1,
    create: random => ({
      requests: 1,
      sent: send('POST', '/_mock/sessions', largeBody(random, createdSession(random)), true),
      ending: 'read',
    }),
  },
  /** Price overrides and moves of the clock, many on one session. */
  overrides: {
    weight: 3,
    create(random) {
      const id = random.pick(['default', 'p1', 'p2', createdSession(random)])
      const change = (): unknown =>
        random.pick([
          () => ({ prices: { BTCUSD: 1 + random.below(90_000) }, clock: { advance: 1 + random.below(90) } }),
          () => ({ prices: Object.fromEntries(FEEDS.map(feed => [feed, random.chance(0.3) ? null : 1])) }),
          () => ({ clock: { at: 1_753_354_105 + random.below(1e7), frozen: random.chance(0.5) } }),
          () => ({ scenario: random.pick([...WIRE_SCENARIOS, 'calm', 'nosuch']) }),
          () => ({ seed: `s${random.below(5_000)}`, policy: { candles: 1 + random.below(2_000) } }),
        ])()
      return pipelined([
        ...times(20, () => send('PATCH', `/_mock/sessions/${id}`, change())),
        request(`/session/${id}${CHART}1m`),
        send('PATCH', `/_mock/sessions/${id}`, { scenario: 'calm' }),
      ])
    },
  },
  /** A snapshot that is taken, and restored as it is or damaged, here or elsewhere. */
  snapshots: {
    weight: 2,
    create(random) {
      const [from, to] = [random.pick(['default', 'p1', 'p2']), random.pick(['default', 'p3', createdSession(random)])]
      const damage = random.below(3)
      return {
        requests: 1,
        sent: request(`/_mock/sessions/${from}/snapshot`, { method: 'POST', close: true }),
        ending: 'read',
        next(received) {
          const body = received.slice(received.indexOf('\r\n\r\n') + 4)
          if (!body.startsWith('{"snapshot"')) return undefined
          const damaged = [body, body.replace(/\d+/, '-1'), body.slice(0, -9)][damage]!
          return { requests: 1, sent: send('POST', `/_mock/sessions/${to}/restore`, damaged, true), ending: 'read' }
        },
      }
    },
  },
  /** Journals, summaries and lists, read or not. */
  journals: {
    weight: 2,
    create(random) {
      const id = random.pick(['default', 'p1', `p${random.below(PATH_SESSIONS)}`])
      const target = random.pick([
        `/_mock/sessions/${id}/requests`,
        `/_mock/sessions/${id}/requests?status=401`,
        `/_mock/sessions/${id}/requests/summary`,
        '/_mock/sessions',
        '/_mock/metrics',
        '/_mock/openapi.json',
      ])
      const content = pipelined(times(3, () => request(target)))
      return random.chance(0.3) ? { ...content, ending: 'hold', holdMs: 500 + random.below(2_000) } : content
    },
  },
  /** Event streams that ask for everything and are not read. */
  streams: {
    weight: 1.5,
    create: random => ({
      requests: 1,
      sent: request(`/_mock/sessions/${random.pick(['default', 'p1', 'p2'])}/events`, { head: 'Last-Event-ID: 0\r\n' }),
      ending: 'hold',
      holdMs: 1_000 + random.below(4_000),
    }),
  },
  /** Bodies and heads that arrive a byte at a time. */
  slow: {
    weight: 1,
    create(random) {
      const post = `HTTP/1.1\r\nHost: ${random.pick(['localhost', 'evil.example'])}\r\n${JSON_TYPE}`
      return {
        requests: 1,
        ...random.pick([
          { sent: `POST /_mock/sessions ${post}Content-Length: 999\r\n\r\n`, drip: `{"id":"${'x'.repeat(900)}` },
          { sent: `POST /nowhere ${post}Content-Length: 999\r\n\r\n`, drip: 'x'.repeat(990) },
          { sent: `POST /prices/batch ${post}Transfer-Encoding: chunked\r\n\r\n`, drip: '1\r\nx\r\n'.repeat(150) },
          { sent: `POST /_mock/sessions ${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, drip: '' },
          { sent: 'GET /prices/BTCUSD/latest HTTP/1.1\r\n', drip: 'X: y\r\n'.repeat(200) },
        ]),
        ending: 'hold',
        holdMs: 2_000 + random.below(10_000),
      }
    },
  },
  /** Connections that the client resets, before or during the answer. */
  aborts: {
    weight: 4,
    create: random => ({
      ...pipelined(times(1 + random.below(20), () => request(serviceTarget(random)))),
      ending: 'abort',
    }),
  },
  /** Methods that no client of a price service uses. */
  methods: {
    weight: 3,
    create(random) {
      const method = random.pick(['CONNECT', 'TRACE', 'OPTIONS', 'PUT', 'PROPFIND', 'DELETE'])
      const target =
        method === 'CONNECT'
          ? 'a:443'
          : random.pick(['*', '/_mock/sessions', '/prices/batch', '/x', '/', '/favicon.ico'])
      const content = { requests: 1, sent: request(target, { method, close: true }) }
      return random.chance(0.2) ? { ...content, ending: 'hold', holdMs: 1_000 } : { ...content, ending: 'read' }
    },
  },
  /** Faults of the wire, and clients that leave them. */
  wire: {
    weight: 3,
    create(random) {
      const scenario = {
        faults: [{ fault: random.pick(WIRE_FAULTS) }, { fault: 'reply/latency', options: { ms: 20 } }],
      }
      const id = `w${random.below(30)}`
      const requests = [
        send('PATCH', `/_mock/sessions/${id}`, { scenario }),
        ...times(3, () => request(`/session/${id}${serviceTarget(random)}`)),
        request(`/scenario/${random.pick(WIRE_SCENARIOS)}${serviceTarget(random).replace(/^\/session\/\w+/, '')}`),
      ]
      return { requests: requests.length, sent: requests.join(''), ending: 'hold', holdMs: 300 + random.below(2_000) }
    },
  },
  /** The most expensive requests. */
  cpu: {
    weight: 0.4,
    create(random) {
      const id = `x${random.below(20)}`
      const month = { clock: { at: 1_753_354_105 + 2_592_000, frozen: true } }
      const setUp = (scenario: unknown): string[] => [
        request(`/session/${id}/prices/BTCUSD/latest`),
        send('PATCH', `/_mock/sessions/${id}`, { clock: { at: 1_753_354_105 }, policy: { candles: 2_000 } }),
        send('PATCH', `/_mock/sessions/${id}`, { scenario }),
        send('PATCH', `/_mock/sessions/${id}`, month),
      ]
      const explain = (target: string): string => request(`/_mock/explain?url=${encodeURIComponent(target)}`)
      return pipelined(
        random.pick([
          () => [request(HISTORY + HUNDRED_FEEDS.join(',')), request(`${HISTORY}BTCUSD,ETHUSD,EURUSD`)],
          () => [...setUp(random.pick(EXPENSIVE)), explain(`/session/${id}${HISTORY}BTCUSD,ETHUSD,SOLUSD`)],
          () => [...setUp(random.pick(EXPENSIVE)), request(`/session/${id}${CHART}${random.pick(['1m', '1h', '1d'])}`)],
        ])(),
      )
    },
  },
  /** Unknown paths, foreign pages, refused hosts. */
  strangers: {
    weight: 3,
    create: random =>
      pipelined(
        times(5, () =>
          request(random.pick(['/', '/wp-login.php', '/_mock/info', '/_mock/sessions', '//a@b#c', '/%zz', '/.env']), {
            head: random.pick([
              'Origin: http://evil.example\r\n',
              'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n',
              'X-Forwarded-For: 1.2.3.4\r\n',
              'Host: evil.example\r\n',
              `${'X: 1\r\n'.repeat(2_500)}`,
              'Authorization: other\r\n',
            ]),
          }),
        ),
      ),
  },
} as const satisfies Readonly<Record<string, KindOfVolley>>

/** The name of a kind of volley. */
export type Kind = keyof typeof KINDS
/** All kinds. */
export const KIND_NAMES = Object.keys(KINDS) as Kind[]

/** Creates the choices of a seed. */
export function createRandom(seed: string): Random {
  const random = seedrandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  return {
    below,
    between: (least, most) => least - 1 + Math.floor((most - least + 2) ** random()),
    chance: p => random() < p,
    pick: from => from[below(from.length)]!,
  }
}

/**
 * Creates the source of one seed: a function from the number of a volley to the volley.
 * @param kinds the first volleys have one of each kind, so that a short run meets all of them
 */
export function createVolleys(seed: string, kinds: readonly Kind[]): (i: number) => Volley {
  const total = kinds.reduce((sum, kind) => sum + KINDS[kind].weight, 0)
  const chooseKind = (i: number, random: Random): Kind => {
    if (i < kinds.length) return kinds[i]!
    let rest = (random.below(1e6) / 1e6) * total
    return kinds.find(kind => (rest -= KINDS[kind].weight) < 0) ?? kinds[0]!
  }
  return i => {
    const random = createRandom(`${seed} ${i}`)
    const kind = chooseKind(i, random)
    const complete = ({ next, ...content }: Content): Volley => ({
      kind,
      ...content,
      ...(next === undefined
        ? {}
        : {
            next: received => {
              const following = next(received)
              return following && complete(following)
            },
          }),
    })
    return complete((KINDS[kind] as KindOfVolley).create(random, `${seed} ${i}`))
  }
}
