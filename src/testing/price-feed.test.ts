// The session of a test: its requests, and whether its faults have fired.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMock } from '../index.js'
import { openSession, type PriceFeedOptions, type RequestFilter } from './price-feed.js'
import { inProcessTarget } from './test-target.js'

const NOW = 1_753_354_105
const PATIENCE_MS = 0
const BTC = { feedId: 'BTCUSD' } as const

const open = async (options: PriceFeedOptions = {}) =>
  (await openSession(inProcessTarget(), { clock: { at: NOW, frozen: true }, ...options }, PATIENCE_MS)).feed

afterEach(() => void vi.useRealTimers())

describe('requests', () => {
  it('default: oldest first without preflights, or filtered by endpoint, status and method', async () => {
    const { client, fetch, baseUrl, requests, setScenario } = await open()
    await client.latest(BTC)
    await fetch(`${baseUrl}/prices/ETHUSD/latest`)
    await fetch(`${baseUrl}/prices/ETHUSD/latest`, { method: 'OPTIONS' })
    await client.batch({ feedIds: ['BTCUSD'] })
    await setScenario({ faults: [{ fault: 'wire/reset' }] })
    await expect(client.latest(BTC)).rejects.toThrow('fetch failed')
    const seen = async (filter?: RequestFilter) => (await requests(filter)).map(({ n }) => n)
    expect(await seen()).toEqual([1, 2, 4, 5])
    expect(await seen({ endpoint: 'latest' })).toEqual([1, 2, 5])
    expect(await seen({ status: 401 })).toEqual([2])
    expect(await seen({ status: 0 })).toEqual([5])
    expect(await seen({ method: 'OPTIONS' })).toEqual([3])
    expect(await seen({ method: 'get' })).toEqual([1, 2, 4, 5])
  })

  it('behavior: as many as are waited for are enough', async () => {
    const { client, waitForRequests } = await open()
    await client.latest(BTC)
    await client.latest(BTC)
    expect(await waitForRequests(2)).toHaveLength(2)
    expect(await waitForRequests(0)).toHaveLength(2)
    await expect(waitForRequests(1000)).rejects.toThrow('2 requests in 0 ms, not 1000.')
    const filter = { endpoint: 'latest', status: 200, method: undefined, timeoutMs: 30 } as const
    await expect(waitForRequests(3, filter)).rejects.toMatchObject({
      code: 'REQUESTS_NOT_SEEN',
      shortMessage: '2 requests in 30 ms, not 3.',
      details: Object.entries({ got: '2', want: 'at least 3, endpoint latest, status 200' }),
    })
  })

  it('behavior: fake timers of a test do not reach the session', async () => {
    vi.useFakeTimers({ now: 0 })
    const { client, requests } = await open()
    await client.latest(BTC)
    expect((await requests())[0]!.receivedAt).toBeGreaterThan(NOW * 1000)
  })
})

it.each([null, undefined])('error: setScenario(%s), which endScenario() would mean', async none => {
  const priceFeed = await open({ scenario: 'stale-btc' })
  for (const one of [priceFeed, createMock()])
    await expect((async () => one.setScenario(none as never))()).rejects.toMatchObject({
      code: 'SESSION_INVALID',
      details: [['fix', expect.stringContaining('endScenario()')]],
    })
  await priceFeed.client.latest(BTC)
  await priceFeed.expectFaultsFired()
})

describe('a filter, which JavaScript does not check', () => {
  it.each([
    [{ status: '404' }, 'status', 'a status as a number, such as 401, or 0 where none was sent'],
    [{ status: -1 }, 'status', 'a status as a number, such as 401, or 0 where none was sent'],
    [{ status: 1000 }, 'status', 'a status as a number, such as 401, or 0 where none was sent'],
    [{ endpont: 'evm' }, 'endpont', 'endpoint'],
    [{ endpoint: 'evn' }, 'endpoint', /^one of "candles", "batch", /],
    [{ method: 1 }, 'method', 'a method such as "GET"'],
  ])('error: %j', async (filter, at, want) => {
    const { client, requests, waitForRequests } = await open()
    await client.latest(BTC)
    const problem = { at, want: typeof want === 'string' ? want : expect.stringMatching(want) }
    await expect(requests(filter as never)).rejects.toMatchObject({ code: 'OPTIONS_INVALID', problems: [problem] })
    await expect(waitForRequests(1, filter as never)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      problems: [problem],
    })
  })

  it.each([
    [undefined, {}, 'count'],
    [-1, {}, 'count'],
    [1001, {}, 'count'],
    [1, { timeoutMs: '5s' }, 'timeoutMs'],
    [1, { timeoutMs: -1 }, 'timeoutMs'],
    [1, { timeoutMs: Number.NaN }, 'timeoutMs'],
  ])('error: waiting for %o with %o', async (count, options, at) => {
    const { waitForRequests } = await open()
    const wanted = {
      count: 'a number of requests, such as 1; a journal keeps 1000',
      timeoutMs: 'milliseconds, 0 or more',
    }
    const want = wanted[at as keyof typeof wanted]
    await expect(waitForRequests(count as never, options as never)).rejects.toMatchObject({ problems: [{ at, want }] })
  })

  it('args: values that are undefined, and all of them', async () => {
    const { client, waitForRequests, requests } = await open()
    await client.latest(BTC)
    expect(await requests({ endpoint: undefined, status: undefined, method: undefined })).toHaveLength(1)
    const options = { endpoint: 'latest', status: 200, method: 'get', timeoutMs: Number.POSITIVE_INFINITY } as const
    expect(await waitForRequests(1, options)).toHaveLength(1)
    expect(await requests({ status: 0 })).toEqual([])
    expect(await requests({ endpoint: 'batch' })).toEqual([])
    expect(await requests({ status: 999 })).toEqual([])
  })
})

describe('report', () => {
  it('default: checks on the requests of the session, and verdicts', async () => {
    const { client, fetch, baseUrl, report, verdict } = await open()
    await client.latest(BTC)
    expect((await report()).failed).toBe(0)
    await fetch(`${baseUrl}/prices/BTCUSD/latest`, { headers: { authorization: 'Bearer x' } })
    await verdict({ case: 'stale-btc', ok: false, why: 'traded' })
    const { failed, checks, verdicts } = await report()
    expect(failed).toBe(2)
    expect(checks.filter(({ status }) => status === 'failed')).toMatchObject([{ id: 'key-form', requests: [2] }])
    expect(verdicts).toMatchObject([{ case: 'stale-btc', ok: false, why: 'traded', n: 2 }])
  })

  it('error: an invalid verdict', async () => {
    const { verdict } = await open()
    await expect(verdict({ case: '', ok: true })).rejects.toMatchObject({
      code: 'ADMIN_REFUSED',
      problems: [{ at: 'case' }],
    })
  })
})

it('error: expectFaultsFired without a planned fault', async () => {
  const { expectFaultsFired } = await open()
  await expect(expectFaultsFired()).rejects.toMatchObject({
    code: 'FAULTS_NOT_FIRED',
    shortMessage: 'No fault is planned in this session, so none has fired.',
    details: [['fix', "await priceFeed.setScenario('stale-btc') before, or begin with priceFeedOptions: { scenario }"]],
  })
})

it('error: faults that were never applied are reported, with the reason', async () => {
  const { client, expectFaultsFired, setScenario } = await open()
  await setScenario({
    faults: [
      { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } },
      { fault: 'reply/status', endpoints: ['latest'], requests: '3', options: { status: 401 } },
      { fault: 'wire/reset', endpoints: ['candles'] },
    ],
  })
  await client.latest(BTC)
  await client.latest(BTC)
  await expect(expectFaultsFired()).rejects.toThrowErrorMatchingInlineSnapshot(`
    [FaultsNotFiredError: 2 of 3 planned faults never fired.
      fault  market/stale  BTCUSD: 2 hits
      fault  reply/status  latest, requests 3: 0 hits   2 missed, last: not one of its requests
      fault  wire/reset    candles: 0 hits   no endpoint that it acts on was asked
      code   FAULTS_NOT_FIRED]
  `)
})

it('error: requests that reached a session of no test meanwhile are noted', async () => {
  const target = inProcessTarget()
  const ask = (method: string) => target.fetch(`${target.url}/prices/BTCUSD/latest`, { method })
  const { feed } = await openSession(target, {}, PATIENCE_MS)
  await expect(feed.waitForRequests(1)).rejects.toMatchObject({
    details: Object.entries({ got: '0', want: 'at least 1' }),
  })
  for (const method of ['GET', 'POST', 'OPTIONS']) await ask(method)
  const note = '2 requests went to the session default meanwhile, the newest POST /prices/BTCUSD/latest with status 405'
  const fix = expect.stringContaining('use baseUrl and apiKey of priceFeed')
  await expect(feed.waitForRequests(1)).rejects.toMatchObject({
    details: Object.entries({ got: '0', want: 'at least 1', note, fix }),
  })
})

it('default: its clock is set, advanced, frozen and run', async () => {
  const { feed, readClock } = await openSession(inProcessTarget(), { clock: { at: NOW, frozen: true } }, PATIENCE_MS)
  const { clock } = feed
  await clock.set(NOW + 5)
  await clock.advance('1m')
  await clock.advance(-5)
  expect(await readClock()).toEqual({ nowMs: (NOW + 60) * 1000, speed: 1, frozen: true })
  expect(await clock.now()).toBe((NOW + 60) * 1000)
  await clock.run(2)
  expect(await readClock()).toMatchObject({ speed: 2, frozen: false })
  await clock.run()
  await clock.freeze()
  expect(await readClock()).toMatchObject({ speed: 2, frozen: true })
  await expect(clock.advance(1, { timer: vi } as never)).rejects.toMatchObject({ problems: [{ at: 'timer' }] })
  await clock.advance(1, null as never)
})

it('error: a call without its argument, which would change nothing', async () => {
  const { feed } = await openSession(inProcessTarget(), {}, PATIENCE_MS)
  for (const call of [feed.clock.set, feed.clock.advance, feed.setPrices] as ((nothing?: never) => Promise<void>)[])
    await expect(call()).rejects.toMatchObject({ code: 'OPTIONS_INVALID', problems: [{ at: 'argument' }] })
  await expect(feed.setPrices(new Map([['BTCUSD', 5]]) as never)).rejects.toMatchObject({
    problems: [{ at: 'argument', got: 'a Map' }],
  })
})
