// Tests for every market fault: the same effect on all endpoints, only in its windows and on its feeds, and all other answers
// byte-equal to those of a mock without a scenario.
import { expect, it } from 'vitest'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock, type MockOptions } from '../../src/index.js'
import type { Batch, Candle, Chart, Evm, History, Price } from './ask.js'
import { KEY } from './ask.js'
import { keepReplies } from './calm.js'
import type { HostReply } from './hosts.js'
import { describeRefused, type Refused } from './problem-paths.js'
import { ENDPOINTS, type EndpointName, targetOf as requestTo } from './request-faults.js'

/** The second of the published samples: Thursday, 2025-07-24T10:48:25Z. */
export const AT = 1_753_354_105

/** Sends the same request to a mock with faults and to one without a scenario. */
export type Pair = { readonly wire: HostReply; readonly calm: HostReply }
/** Asks both at a second of the scenario. */
export type AskAt = (second: number, target: string) => Promise<Pair>

/** Endpoints that show the latest tick and nothing before it. */
export const PRESENT = ['latest', 'batch', 'evm'] as const satisfies readonly EndpointName[]

/** Requests for one feed: a minute of history, a hundred candles of a second. */
export const targetOf = (endpoint: EndpointName, id = 'BTCUSD'): string =>
  requestTo(endpoint, [id], { minutes: 1, interval: '1s' })

function mockWith(options: MockOptions) {
  const mock = createMock({ clock: { at: AT, frozen: true }, policy: { candles: 100 }, ...options })
  const fetch = createFetch(mock)
  return async (second: number, target: string): Promise<HostReply> => {
    mock.clock.set(AT + second)
    const response = await fetch(`http://mock${target}`, { headers: KEY })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }
}

const calmWith = (options: MockOptions) =>
  keepReplies(() => {
    const ask = mockWith(options)
    return ([second, target]) => ask(second as number, target as string)
  })
const calmByDefault = calmWith({})

/** Two mocks with frozen clocks, so that even the numbers of their answers are equal. */
export function pairOf(faults: readonly object[], { loop, ...options }: MockOptions & { loop?: string } = {}): AskAt {
  const scenario = { faults: [...faults], ...(loop === undefined ? {} : { loop }) }
  const faulty = mockWith({ ...options, scenario: scenario as never })
  const calm = Object.keys(options).length === 0 ? calmByDefault() : calmWith(options)()
  return async (second, target) => ({ wire: await faulty(second, target), calm: await calm([second, target]) })
}

/** Expects status, headers and body of a mock without a scenario. */
export function expectCalm({ wire, calm }: Pair, what: string): void {
  expect(wire, what).toEqual(calm)
}

/** Expects the fault to be named exactly in changed answers, and all other headers to be equal. */
export function expectHonest({ wire, calm }: Pair, name: string, what: string): void {
  const { 'x-price-feed-mock': mark, ...headers } = wire.headers
  const { 'x-price-feed-mock': calmMark, ...calmHeaders } = calm.headers
  const isOther = wire.body !== calm.body || wire.status !== calm.status
  expect(mark, what).toBe(isOther ? `${calmMark}, faults=("${name}")` : calmMark)
  expect({ ...headers, 'content-length': '' }, what).toEqual({ ...calmHeaders, 'content-length': '' })
}

/** The prices of a feed at a second, from all endpoints. */
export interface Observation {
  /** The latest tick, or undefined for an unknown feed. */
  readonly tick: { readonly price: number; readonly ts: number } | undefined
  readonly high: number | undefined
  readonly low: number | undefined
  /** Candles of a second, in units of the price. */
  readonly candles: readonly Candle[]
}

const json = <T>({ status, body }: HostReply): T => {
  if (status !== 200) throw new Error(`${status} ${body}`)
  return JSON.parse(body) as T
}

/** Reads the prices of a feed at a second, and expects all endpoints to agree. */
export async function observeAt(
  ask: AskAt,
  second: number,
  id = 'BTCUSD',
  side: keyof Pair = 'wire',
): Promise<Observation> {
  const say = async (target: EndpointName): Promise<HostReply> => (await ask(second, targetOf(target, id)))[side]
  const [latest, batch, evm] = [await say('latest'), await say('batch'), await say('evm')]
  const [history, chart] = [await say('history'), await say('candles')]
  const candles = json<Chart>(chart).data.result
  const extremes = history.status === 404 ? undefined : json<History>(history)[id]!
  const shown = { high: extremes?.high.price, low: extremes?.low.price, candles }
  if (latest.status === 404) {
    expect([latest, batch, evm].map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([404, expect.stringContaining('unknown_feed')]),
    )
    return { tick: undefined, ...shown }
  }
  const { price, ts, expo } = json<Price>(latest)
  const tick = { price, ts }
  expect(json<Batch>(batch).prices).toEqual([expect.objectContaining({ feedId: id, ...tick })])
  expect(json<Evm>(evm).prices).toEqual([expect.objectContaining({ feedId: id, ...tick })])
  expect(candles.at(-1)!.close).toBe(price / Number(`1e${-expo}`))
  if (ts > AT + second - 60) {
    expect(extremes!.high.price).toBeGreaterThanOrEqual(price)
    expect(extremes!.low.price).toBeLessThanOrEqual(price)
  }
  return { tick, ...shown }
}

/** The tested properties of a market fault. */
export interface Described {
  readonly options?: object
  /** Whether the first second equals that of a calm market, because prices continue from where they are. */
  readonly beginsCalm?: boolean
  /** Values that its options refuse. */
  readonly refused?: Refused
}

/**
 * Tests of the properties that all market faults share. BTC ticks every second and is published one second later, TIA every eight
 * seconds and three seconds later. ETH is never selected.
 */
export function describeMarketFault(name: `market/${string}`, test: Described): void {
  const { options = {}, beginsCalm = false, refused = {} } = test
  describeRefused(name, refused, fault => pairOf([fault]), options)
  const fault = (times: object, feeds: readonly string[] | 'all' = ['BTCUSD']) => ({
    fault: name,
    ...(feeds === 'all' ? {} : { feeds }),
    ...times,
    options,
  })

  it('behavior: before its window and after it, each byte is as without a scenario', async () => {
    const ask = pairOf([fault({ from: '20s', for: '10s' })])
    for (const second of [0, 7, 19])
      for (const target of ENDPOINTS) expectCalm(await ask(second, targetOf(target)), `${target} ${second}`)
    for (const second of [30, 31, 60])
      for (const target of PRESENT) expectCalm(await ask(second, targetOf(target)), `${target} ${second}`)
    // History is calm once the last changed tick is outside of its window, candles once the last changed candle is.
    for (const second of [90, 130, 400]) expectCalm(await ask(second, targetOf('history')), `history ${second}`)
    for (const second of [131, 400]) expectCalm(await ask(second, targetOf('candles')), `candles ${second}`)
  })

  it('behavior: it is visible from its first second to its last, and again with each repetition', async () => {
    const ask = pairOf([fault({ from: '5s', for: '6s', repeat: '20s' })])
    const visible: number[] = []
    for (let second = 0; second < 60; second++) {
      const { wire, calm } = await ask(second, targetOf('latest'))
      if (wire.body !== calm.body) visible.push(second)
    }
    const begins =
      name === 'market/bad-tick' && !('hold' in options) ? [0] : [0, 1, 2, 3, 4, 5].slice(beginsCalm ? 1 : 0)
    expect(visible).toEqual([5, 25, 45].flatMap(start => begins.map(offset => start + offset)))
  })

  it('behavior: it is visible in a loop, too', async () => {
    const ask = pairOf([fault({ from: '5s', for: '6s' })], { loop: '20s' })
    for (const second of [4, 11, 19, 24, 31, 84, 91]) expectCalm(await ask(second, targetOf('latest')), `${second}`)
    for (const second of name === 'market/bad-tick' ? [5, 25, 85] : [6, 10, 26, 30, 86, 90]) {
      const { wire, calm } = await ask(second, targetOf('latest'))
      expect(wire.body, `${second}`).not.toBe(calm.body)
    }
  })

  it('behavior: feeds that are not named are as without a scenario', async () => {
    const ask = pairOf([fault({})])
    for (const second of [0, 40])
      for (const target of ENDPOINTS) expectCalm(await ask(second, targetOf(target, 'ETHUSD')), `${target} ${second}`)
  })

  it('behavior: without feeds it is for all of them', async () => {
    const ask = pairOf([fault({}, 'all')])
    for (const id of ['BTCUSD', 'ETHUSD', 'SOLUSD']) {
      const second = name === 'market/bad-tick' ? 0 : 30
      const { wire, calm } = await ask(second, targetOf('latest', id))
      expect(wire.body, id).not.toBe(calm.body)
    }
  })

  it('behavior: the header names it exactly where the answer is another one', async () => {
    const ask = pairOf([fault({ from: '4s', for: '8s', repeat: '90s' })])
    for (const second of [0, 3, 4, 5, 8, 11, 12, 13, 40, 71, 72, 80, 94, 95, 103])
      for (const target of ENDPOINTS) expectHonest(await ask(second, targetOf(target)), name, `${target} ${second}`)
  })

  it('behavior: all endpoints agree, also of a feed that ticks seldom', async () => {
    const ask = pairOf([fault({ from: '10s', for: '30s' }, ['BTCUSD', 'TIAUSD'])])
    for (const id of ['BTCUSD', 'TIAUSD'])
      for (const second of [9, 10, 11, 18, 25, 39, 40, 41, 49]) await observeAt(ask, second, id)
  })
}
