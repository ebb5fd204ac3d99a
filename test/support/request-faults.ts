// Tests for every fault of requests: its effect on the wire, only where its selectors match, and all other answers byte-equal to
// those of a mock without a scenario.
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock, type MockOptions } from '../../src/index.js'
import type { Duration } from '../../src/settings/time.js'
import { KEY } from './ask.js'
import { keepReplies } from './calm.js'
import { AT } from './hosts.js'
import { describeRefused, type Refused } from './problem-paths.js'

export const ENDPOINTS = ['latest', 'batch', 'history', 'evm', 'candles'] as const
export type EndpointName = (typeof ENDPOINTS)[number]
/** The endpoints whose prices are signed. */
export const SIGNED = ['latest', 'batch', 'history', 'evm'] as const satisfies readonly EndpointName[]

/** A request to an endpoint. Endpoints of one feed get the first. */
export function targetOf(
  endpoint: EndpointName,
  feeds: readonly string[] = ['BTCUSD', 'ETHUSD', 'SOLUSD'],
  { minutes = 5, interval = '1m' } = {},
): string {
  const ids = feeds.join(',')
  const [feed] = feeds
  return {
    latest: `/prices/${feed}/latest`,
    batch: `/prices/batch?feedIds=${ids}`,
    history: `/prices/queryHistory?feedIds=${ids}&minutes=${minutes}`,
    evm: `/prices/evm/crypto?feedIds=${ids}`,
    candles: `/charting/feeds-data?feedids=${ids}&feed=${feed}&type=1&interval=${interval}`,
  }[endpoint]
}

/** An answer as the caller of `fetch` sees it. */
export interface Seen {
  /** 0 without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Message of the error of `fetch` or of reading the body. */
  readonly error: string | undefined
  /** The faults in the journal. */
  readonly faults: readonly string[]
}

export type Init = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }

/** A mock in process with a frozen clock and the faults of a scenario. */
export function mockWith(faults: readonly object[], options: MockOptions = {}) {
  const mock = createMock({
    clock: { at: AT, frozen: true },
    ...(faults.length > 0 ? { scenario: { faults: [...faults] } } : {}),
    ...options,
  } as never)
  const fetch = createFetch(mock)
  const ask = async (target: string, init: Init = {}): Promise<Seen> => {
    let response: Response | undefined
    let body = ''
    let error: string | undefined
    try {
      response = await fetch(`http://mock${target}`, { headers: KEY, redirect: 'manual', ...init })
      body = await response.text()
    } catch (thrown) {
      error = (thrown as Error).message
    }
    const headers = Object.fromEntries(response?.headers ?? [])
    const { faults } = mock.sessions.default.journal.entries().at(-1)!
    return { status: response?.status ?? 0, headers, body, error, faults }
  }
  return { mock, ask }
}

/** Sends the same request to a mock with faults and to one without a scenario. */
export type Pair = { readonly wire: Seen; readonly calm: Seen }

const ADVANCE = 'advance the clock'
const calmWith = (options: MockOptions) =>
  keepReplies<Seen | undefined>(() => {
    const { mock, ask } = mockWith([], options)
    return async ([target, detail]) => {
      if (target !== ADVANCE) return ask(target as string, detail as Init | undefined)
      mock.clock.advance(detail as Duration | number)
      return undefined
    }
  })
/** An hour of candles: the tests compare thousands of charts. */
const SHORT: MockOptions = { policy: { candles: 60 } }
const calmByDefault = calmWith(SHORT)

/** Two mocks that get the same requests at the same time, so that even the numbers of their answers are equal. */
export function pairOf(faults: readonly object[], options: MockOptions = {}) {
  const faulty = mockWith(faults, { ...SHORT, ...options })
  const calm = Object.keys(options).length === 0 ? calmByDefault() : calmWith({ ...SHORT, ...options })()
  return {
    mock: faulty.mock,
    ask: async (target: string, init?: Init): Promise<Pair> => ({
      wire: await faulty.ask(target, init),
      calm: (await calm([target, init]))!,
    }),
    advance(by: Duration | number): void {
      faulty.mock.clock.advance(by)
      void calm([ADVANCE, by])
    },
  }
}

/** Expects no fault: the answer is byte-equal to the calm one. */
export function expectCalm({ wire, calm }: Pair, because?: string): void {
  expect(wire, because).toEqual(calm)
  expect(wire.faults, because).toEqual([])
}

/** Expects a changed answer whose header and journal name the faults. */
export function expectActed({ wire, calm }: Pair, names: readonly string[], because?: string): void {
  expect(wire.faults, because).toEqual(names)
  if (wire.status === 0) expect(wire.error, because).toBe('fetch failed')
  else expect(wire.headers['x-price-feed-mock'], because).toBe(withFaults(calm, names))
}

/** The mock header of a calm answer, with the names of faults added. */
const withFaults = ({ headers }: Seen, names: readonly string[]): string =>
  `${headers['x-price-feed-mock']}, faults=(${names.map(name => `"${name}"`).join(' ')})`

/** An answer without the names of its faults. */
const unnamed = ({ status, headers: { 'x-price-feed-mock': _, ...headers }, body, error }: Seen) => ({
  status,
  headers,
  body,
  error,
})

export interface FaultTest {
  readonly options?: Readonly<Record<string, unknown>>
  /** The endpoints that it changes. Default: all that its stage can change. */
  readonly on?: readonly EndpointName[]
  /** Whether it changes errors as well. */
  readonly onErrors?: boolean
  /** Whether it changes only the timing of an answer, not its bytes. */
  readonly paceOnly?: boolean
  /** Values that its options refuse. */
  readonly refused?: Refused
  /** Checks an answer of each endpoint. */
  effect(pair: Pair, endpoint: EndpointName): void
}

/** The tests that all faults of requests share. */
export function describeFault(name: `${string}/${string}`, test: FaultTest): void {
  const stage = name.split('/', 1)[0]!
  const isOfReply = stage === 'reply' || stage === 'wire'
  const { options = {}, effect, paceOnly = false, onErrors = isOfReply } = test
  const { on = isOfReply ? ENDPOINTS : stage === 'series' ? (['candles'] as const) : SIGNED } = test
  const first = on[0]!
  describeRefused(name, test.refused ?? {}, fault => mockWith([fault]), options)
  /** All requests by default, since some faults select requests themselves. */
  const plan = (selectors: object = {}): object[] => [{ fault: name, options, requests: '1-999', ...selectors }]

  const expectAt = (isActive: boolean, pair: Pair, because: string): void => {
    if (isActive) {
      expectActed(pair, [name], because)
      if (paceOnly) expect(unnamed(pair.wire), because).toEqual(unnamed(pair.calm))
      else expect(unnamed(pair.wire), because).not.toEqual(unnamed(pair.calm))
    } else expectCalm(pair, because)
  }
  /** Requests the first endpoint at each second. The fault must be active at the marked ones. */
  const expectTimes = async (selectors: object, times: readonly string[]): Promise<void> => {
    const { ask, advance } = pairOf(plan(selectors))
    let now = 0
    for (const time of times) {
      const second = Number.parseInt(time, 10)
      advance(second - now)
      now = second
      expectAt(time.endsWith('!'), await ask(targetOf(first)), `${time} of ${JSON.stringify(selectors)}`)
    }
  }
  /** Requests the first endpoint repeatedly. The fault must be active at the given ordinals. */
  const expectOrdinals = async (requests: unknown, ordinals: readonly number[]): Promise<void> => {
    const { ask } = pairOf(plan({ requests }))
    for (let ordinal = 1; ordinal <= 6; ordinal++) {
      // Requests that are not counted, and other endpoints, do not change the ordinal.
      await ask(targetOf(first), { method: 'OPTIONS' })
      await ask(targetOf(first === 'latest' ? 'batch' : 'latest'))
      expectAt(ordinals.includes(ordinal), await ask(targetOf(first)), `${ordinal} of ${JSON.stringify(requests)}`)
    }
  }

  describe(name, () => {
    it('default: its effect on the wire', async () => {
      const { ask } = pairOf(plan())
      for (const endpoint of on) effect(await ask(targetOf(endpoint)), endpoint)
    })

    it('behavior: it acts from a time, for a time, again and again', async () => {
      await expectTimes({}, ['0!', '86400!'])
      await expectTimes({ from: '10s' }, ['0', '9', '10!', '3600!'])
      await expectTimes({ for: '10s' }, ['0!', '9!', '10', '3600'])
      await expectTimes({ from: '10s', for: '20s' }, ['9', '10!', '29!', '30', '40'])
      await expectTimes({ from: '10s', for: '5s', repeat: '30s' }, ['9', '10!', '14!', '15', '39', '40!', '45', '70!'])
    })

    it('behavior: it acts on its endpoints', async () => {
      const anywhere = pairOf(plan())
      for (const endpoint of ENDPOINTS)
        expectAt(on.includes(endpoint), await anywhere.ask(targetOf(endpoint)), endpoint)
      if (stage === 'series') return
      const there = pairOf(plan({ endpoints: [first] }))
      for (const endpoint of ENDPOINTS) expectAt(endpoint === first, await there.ask(targetOf(endpoint)), endpoint)
    })

    it('behavior: it acts on its feeds', async () => {
      const { ask } = pairOf(plan({ feeds: ['ethusd'] }))
      for (const endpoint of on) {
        expectAt(false, await ask(targetOf(endpoint, ['BTCUSD', 'SOLUSD'])), endpoint)
        expectAt(true, await ask(targetOf(endpoint, ['ETHUSD', 'BTCUSD'])), endpoint)
      }
    })

    it('behavior: it acts on its requests', async () => {
      await expectOrdinals('1-3', [1, 2, 3])
      await expectOrdinals('2', [2])
      await expectOrdinals('1,4-5', [1, 4, 5])
      await expectOrdinals({ first: 2 }, [1, 2])
      await expectOrdinals({ every: 2 }, [2, 4, 6])
    })

    it('behavior: it acts on HEAD as on GET, and on no other method', async () => {
      const { ask } = pairOf(plan())
      for (const method of ['OPTIONS', 'POST', 'DELETE']) expectCalm(await ask(targetOf(first), { method }), method)
      const get = await ask(targetOf(first))
      const head = await ask(targetOf(first), { method: 'HEAD' })
      expectActed(head, [name])
      expect(head.wire.body).toBe('')
      const { 'x-price-feed-mock': _, ...headers } = get.wire.headers
      expect(head.wire.headers).toMatchObject(headers)
    })

    it(`behavior: ${onErrors ? 'it acts on errors, too' : 'errors are not its business'}`, async () => {
      const { ask } = pairOf(plan())
      for (const endpoint of on) {
        if (endpoint !== 'candles')
          expectAt(onErrors, await ask(targetOf(endpoint), { headers: {} }), `${endpoint} 401`)
        expectAt(onErrors, await ask(targetOf(endpoint, ['NOPEUSD'])), `${endpoint} 404`)
      }
    })
  })
}
