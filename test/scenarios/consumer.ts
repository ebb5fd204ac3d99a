// A mock in process, used the way a consumer uses it: requests to the five endpoints, and a clock to move. Delays are data;
// nothing waits for them.
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock, type Mock, type MockOptions } from '../../src/index.js'
import type { Outcome } from '../../src/outcome.js'
import { changed } from '../../src/service/changes.js'
import { parseExact, type RecoveredSigner, recoverSigners, verify } from '../../src/signing/verify.js'
import { type Batch, type Candle, type Evm, type History, KEY, type Price } from '../support/ask.js'
import type { HostReply } from '../support/hosts.js'

/** The instant of the published samples. Not imported from hosts.ts, which loads every host. */
export const AT = '2025-07-24T10:48:25Z'

/** The signer that a consumer of the mock trusts: test key 0. */
export const TRUSTED = createMock({ startedAt: 0 }).sessions.default.runtime.signer.address

/** A candle, possibly damaged by a scenario. */
export type Row = { readonly [K in keyof Candle]: K extends 'time' ? number : number | null }

/** One session of a mock and the requests of its consumer. */
export interface Consumer {
  readonly mock: Mock
  /** Seconds since the epoch. */
  now(): number
  /** Seconds since the scenario was applied. */
  elapsed(): number
  /** Moves the clock on. */
  advance(seconds: number): void
  /** Moves the clock on to the next second that is `phase` seconds into a loop of `length` seconds. */
  toPhase(phase: number, length: number): void
  /** Asks through `createFetch`. */
  ask(target: string): Promise<HostReply>
  /** The outcome of a request as data: for replies that are late, incomplete or never sent. */
  outcome(target: string): Outcome
}

/** Creates a mock with a frozen clock, and its consumer. `prefix` and `id` select a session by path. */
export function createConsumer(
  options: MockOptions,
  { prefix = '', id = 'default' }: { readonly prefix?: string; readonly id?: string } = {},
): Consumer {
  const mock = createMock({ clock: { at: AT, frozen: true }, ...options })
  const fetch = createFetch(mock)
  const session = () => mock.sessions.get(id)
  const consumer: Consumer = {
    mock,
    now: () => Math.floor(session().nowMs(0) / 1000),
    elapsed: () => consumer.now() - session().runtime.scenario.appliedAt,
    advance: seconds => session().run(changed({ clock: { advance: seconds } }, 0)),
    toPhase: (phase, length) => consumer.advance((phase - (consumer.elapsed() % length) + length) % length),
    async ask(target) {
      const response = await fetch(`http://mock${prefix}${target}`, { headers: KEY })
      const { status, headers } = response
      return { status, headers: Object.fromEntries(headers), body: await response.text() }
    },
    outcome(target) {
      const served = mock.serve({ method: 'GET', target: prefix + target, receivedAt: 0, ...KEY })
      if (served === undefined) throw new Error(`nothing answers ${target}`)
      return served.outcome
    },
  }
  return consumer
}

/** Targets, by endpoint. */
export const target = {
  latest: (feed: string) => `/prices/${feed}/latest`,
  batch: (...feeds: readonly string[]) => `/prices/batch?feedIds=${feeds.join(',')}`,
  evm: (...feeds: readonly string[]) => `/prices/evm/crypto?feedIds=${feeds.join(',')}`,
  history: (minutes: number, ...feeds: readonly string[]) =>
    `/prices/queryHistory?feedIds=${feeds.join(',')}&minutes=${minutes}`,
  chart: (feed: string, interval = '1m') =>
    `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`,
}
/** A target of each endpoint: the four that require a key, then the charting one. */
export const EACH = [
  target.latest('BTCUSD'),
  target.batch('BTCUSD', 'ETHUSD'),
  target.evm('BTCUSD', 'ETHUSD'),
  target.history(60, 'BTCUSD', 'ETHUSD'),
  target.chart('BTCUSD'),
] as const
/** Targets that require a key. */
export const SIGNED = EACH.slice(0, 4)

/** Moves the clock on to the start of the next loop, where the counts of requests begin again. */
export function toNextLoop(consumer: Consumer, loop: number): void {
  consumer.toPhase(loop - 1, loop)
  consumer.advance(1)
}

/** Looks at the first and the last second of each window of a loop. All times are in seconds. */
export async function eachWindow(
  consumer: Consumer,
  loop: number,
  windows: readonly (readonly [from: number, length: number, look: () => unknown])[],
): Promise<void> {
  for (const [from, length, look] of windows)
    for (const phase of [from, from + length - 1]) {
      consumer.toPhase(phase, loop)
      await look()
    }
}

/** Throws "not kept" when a promise of a scenario does not hold. */
export function promise(isKept: boolean, what: string): asserts isKept {
  if (!isKept) throw new Error(`not kept: ${what}`)
}

/** The parsed body of a 200; integers above 2^53 are bigints. */
export async function read<T>(consumer: Consumer, asked: string): Promise<T> {
  const { status, headers, body } = await consumer.ask(asked)
  promise(status === 200, `200 for ${asked}, not ${status} ${body.slice(0, 200)}`)
  promise(headers['content-type'] === 'application/json; charset=utf-8', `JSON for ${asked}`)
  return parseExact(body) as T
}

/** Results by the text of a body. Recovering a key takes milliseconds, and most runs of a scenario meet the same bodies. */
function remembered<T>(make: (body: unknown) => T): (body: unknown) => T {
  const results = new Map<string, { readonly value: T } | { readonly error: unknown }>()
  const attempt = (body: unknown) => {
    try {
      return { value: make(body) }
    } catch (error) {
      return { error }
    }
  }
  return body => {
    const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? `bigint ${value}` : value))
    const result = results.get(text) ?? attempt(body)
    results.set(text, result)
    if ('error' in result) throw result.error
    return result.value
  }
}

/** Throws unless the trusted signer signed everything in a body. */
const verifyTrusted = remembered(body => verify(body, { signers: [TRUSTED], allowNotPositive: true }))
/** The signers of a body, one entry per signature. */
export const recoverAll: (body: unknown) => readonly RecoveredSigner[] = remembered(body => recoverSigners(body))

/** The parsed body of a 200 whose signatures are valid. */
export async function readSigned<T>(consumer: Consumer, asked: string): Promise<T> {
  const body = await read<T>(consumer, asked)
  verifyTrusted(body)
  return body
}

export const latest = (consumer: Consumer, feed: string): Promise<Price> =>
  readSigned<Price>(consumer, target.latest(feed))
export const batch = async (consumer: Consumer, ...feeds: readonly string[]): Promise<Batch['prices']> =>
  (await readSigned<Batch>(consumer, target.batch(...feeds))).prices
export const evm = async (consumer: Consumer, ...feeds: readonly string[]): Promise<Evm['prices']> =>
  (await readSigned<Evm>(consumer, target.evm(...feeds))).prices
export const history = (consumer: Consumer, minutes: number, ...feeds: readonly string[]): Promise<History> =>
  readSigned<History>(consumer, target.history(minutes, ...feeds))
export const chart = async (consumer: Consumer, feed: string, interval?: string): Promise<readonly Row[]> =>
  (await read<{ data: { result: readonly Row[] } }>(consumer, target.chart(feed, interval))).data.result

/** Seconds since the last price of a feed. */
export const age = async (consumer: Consumer, feed: string): Promise<number> =>
  consumer.now() - (await latest(consumer, feed)).ts
/** The last price of a feed as a number of quote units. */
export const value = async (consumer: Consumer, feed: string): Promise<number> => {
  const { price, expo } = await latest(consumer, feed)
  return Number(price) / 10 ** -expo
}
/** A price is fresh up to heartbeat plus lag: 4 and 3 seconds for the feeds of these tests. */
export const isFresh = (age: number): boolean => age >= 0 && age <= 7
/** Whether two numbers differ by at most `part` of the second. */
export const isNear = (got: number, want: number, part: number): boolean =>
  Math.abs(got - want) <= Math.abs(want) * part

/** Whether `verify` refuses the body of a 200, as a strict consumer does. */
export async function isRefused(consumer: Consumer, asked: string): Promise<boolean> {
  return isRefusedBody(await read(consumer, asked))
}
export function isRefusedBody(body: unknown): boolean {
  try {
    verifyTrusted(body)
    return false
  } catch {
    return true
  }
}

/** Addresses of the signers of a response, signature by signature. */
export async function signersOf(consumer: Consumer, asked: string): Promise<string[]> {
  return recoverAll(await read(consumer, asked)).map(({ address }) => address)
}
