// Runs the golden set in any engine and hashes each answer. Independent of the engine and of the expected answers.
import type { createMock as CreateMock, Mock, MockOptions } from '../../src/index.js'
import { FEW_CANDLES, GOLDEN, HASHED, KEY, LAST_NUMBER, SETTINGS } from '../support/golden-set.js'

/** The used part of the package. */
export interface TestedPackage {
  readonly createMock: typeof CreateMock
  /** SHA-256 of a text in UTF-8, in hex. */
  readonly hash: (text: string) => string
  /** Sends requests through a host: paths in, responses out. */
  readonly reach: (mock: Mock) => (path: string, init: RequestInit) => Promise<Response>
}

/** Hashes of the answers of an engine, by group and name. */
export interface Answers {
  /** Status, headers and body of each response in `fixtures/golden`, by file. */
  readonly golden: Readonly<Record<string, string>>
  /** All bodies of a kind, joined by a line feed, as `fixtures/golden/all-feeds.json` has them. */
  readonly kinds: Readonly<Record<string, string>>
  /** Each of those bodies, by path. */
  readonly bodies: Readonly<Record<string, string>>
  /** Outcomes of each endpoint under each scenario at several times. */
  readonly scenarios: Readonly<Record<string, string>>
  /** Responses with faults, as callers see them. */
  readonly faults: Readonly<Record<string, string>>
}

/** One request per endpoint. */
const ASKED: Readonly<Record<string, string>> = {
  latest: '/prices/BTCUSD/latest',
  batch: '/prices/batch?feedIds=ETHUSD,BTCUSD,USDCUSD,EURUSD',
  history: '/prices/queryHistory?feedIds=BTCUSD,SOLUSD&minutes=5',
  evm: '/prices/evm/crypto?feedIds=BTCUSD,SOLUSD',
  candles: '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m',
}

/** Seconds between samples of a scenario; together they cover every built-in one. */
const STEPS = [0, 5, 10, 15, 30, 60, 120]

/** Scenarios with replies, and two that break the connection. */
const SEEN: Readonly<Record<string, MockOptions['scenario']>> = {
  'stale-btc': 'stale-btc',
  'odd-numbers': 'odd-numbers',
  'wrong-signer': 'wrong-signer',
  unauthorized: 'unauthorized',
  'wire/reset': { faults: [{ fault: 'wire/reset' }] },
  'wire/truncate': { faults: [{ fault: 'wire/truncate' }] },
}

/** The text of an answer that is hashed. */
export const toText = (status: number, headers: Readonly<Record<string, string>>, body: string): string =>
  JSON.stringify([status, Object.entries(headers).sort(), body])

/** Answers the whole set. */
export async function answerGoldenSet({ createMock, hash, reach }: TestedPackage): Promise<Answers> {
  const golden: Record<string, string> = {}
  for (const { file, method = 'GET', path, headers = KEY } of GOLDEN) {
    const response = await reach(createMock(FEW_CANDLES))(path, { method, headers })
    golden[file] = hash(toText(response.status, Object.fromEntries(response.headers), await response.text()))
  }

  const ask = reach(createMock(SETTINGS))
  const textOf = async (path: string): Promise<string> => (await ask(path, { headers: KEY })).text()
  const { feeds } = JSON.parse(await textOf('/_mock/feeds')) as { feeds: { id: string; number: number }[] }
  const kinds: Record<string, string> = {}
  const bodies: Record<string, string> = {}
  for (const [kind, pathOf] of Object.entries(HASHED)) {
    const ofKind: string[] = []
    for (const { id } of feeds.filter(({ number }) => number <= LAST_NUMBER)) {
      const body = await textOf(pathOf(id))
      bodies[pathOf(id)] = hash(body)
      ofKind.push(body)
    }
    kinds[kind] = hash(ofKind.join('\n'))
  }

  const listed = JSON.parse(await textOf('/_mock/scenarios')) as { scenarios: { name: string }[] }
  const scenarios: Record<string, string> = {}
  for (const { name } of listed.scenarios) {
    const mock = createMock({ ...FEW_CANDLES, scenario: name as never })
    for (const step of STEPS) {
      mock.clock.advance(step)
      for (const [endpoint, target] of Object.entries(ASKED)) {
        const request = { method: 'GET', target, authorization: KEY.authorization, receivedAt: 0 }
        scenarios[`${name}: ${endpoint}, ${step} s later`] = hash(JSON.stringify(mock.serve(request)?.outcome))
      }
    }
  }

  const faults: Record<string, string> = {}
  for (const [name, scenario] of Object.entries(SEEN)) {
    const send = reach(createMock({ ...FEW_CANDLES, scenario }))
    for (const [endpoint, path] of Object.entries(ASKED))
      faults[`${name}: ${endpoint}`] = hash(await seen(send(path, { headers: KEY })))
  }
  return { golden, kinds, bodies, scenarios, faults }
}

/** An answer, or its absence: whether the head arrives first depends on the engine, not on the mock. */
async function seen(sent: Promise<Response>): Promise<string> {
  try {
    const response = await sent
    return toText(response.status, Object.fromEntries(response.headers), await response.text())
  } catch {
    return 'failed'
  }
}
