// The Vitest kit: in process here, and again on a server that all files share (../shared-server.full.test.ts).
import { describe, expect } from 'vitest'
import { createAdminClient } from '../../../src/client/index.js'
import { type PriceFeed, test } from '../../../src/testing/vitest.js'

const AT = '2025-07-24T10:48:25Z'
const NOW = 1_753_354_105
const BTC = { feedId: 'BTCUSD' } as const

describe('a session', () => {
  test.override('priceFeedOptions', { seed: '42', clock: { at: AT, frozen: true } })

  test('default: it starts with the options and without requests', async ({ priceFeed }) => {
    expect(await priceFeed.clock.now()).toBe(NOW * 1000)
    expect(await priceFeed.requests()).toEqual([])
    expect(await priceFeed.client.latest(BTC)).toMatchObject({ feedId: 'BTCUSD', price: 11394322000000 })
  })

  test('behavior: code under test uses it by address and key', async ({ priceFeed }) => {
    const { baseUrl, historyUrl, apiKey, fetch } = priceFeed
    const reply = await fetch(`${baseUrl}/prices/BTCUSD/latest`, { headers: { authorization: apiKey } })
    expect(reply.headers.get('x-price-feed-mock')).toBe(`session="${priceFeed.id}", now=${NOW}, n=1`)
    const candles = await fetch(`${historyUrl}/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h`)
    expect(candles.status).toBe(200)
    expect(priceFeed.signer).toEqual({
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/i),
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
    })
  })

  test('behavior: a scenario is applied, by name or as an object', async ({ priceFeed }) => {
    await priceFeed.setScenario('stale-btc')
    expect((await priceFeed.client.latest(BTC)).ts).toBeLessThan(NOW - 299)
    await priceFeed.setScenario({ faults: [{ fault: 'reply/status', options: { status: 503 } }] })
    await expect(priceFeed.client.latest(BTC)).rejects.toMatchObject({ code: 'SERVICE_REFUSED', status: 503 })
  })

  test('behavior: prices are overridden and released', async ({ priceFeed: { client, setPrices } }) => {
    const before = await client.latest(BTC)
    await setPrices({ BTCUSD: 50_000 })
    expect(await client.latest(BTC)).toMatchObject({ price: 50_000e8 })
    await setPrices({ BTCUSD: null })
    expect(await client.latest(BTC)).toEqual(before)
  })

  test('behavior: waits for a later request', async ({ priceFeed }) => {
    const seen = priceFeed.waitForRequests(2, { endpoint: 'latest' })
    await priceFeed.client.latest(BTC)
    await priceFeed.client.latest({ feedId: 'ETHUSD' })
    expect((await seen).map(({ target }) => target)).toEqual(['/prices/BTCUSD/latest', '/prices/ETHUSD/latest'])
  })

  test('behavior: passes when every fault was applied', async ({ priceFeed }) => {
    await priceFeed.setScenario('stale-btc')
    await priceFeed.client.latest(BTC)
    await priceFeed.expectFaultsFired()
    await priceFeed.setScenario('stale-btc')
    await expect(priceFeed.expectFaultsFired()).rejects.toMatchObject({ code: 'FAULTS_NOT_FIRED' })
  })

  test('error: invalid session options', async ({ priceFeed: { clock } }) => {
    await expect(clock.set('yesterday' as never)).rejects.toMatchObject({ name: 'AdminRefusedError' })
  })
})

describe('two at once', { concurrent: true }, () => {
  test.override('priceFeedOptions', { seed: '42', clock: { at: AT, frozen: true } })
  const met = meeting(2)

  for (const [name, price, status] of [
    ['one', 50_000, 500],
    ['other', 60_000, 503],
  ] as const)
    test(`behavior: the ${name} sees only its own clock, prices, scenario and requests`, async ({ priceFeed }) => {
      const { clock, client, setPrices, setScenario, requests } = priceFeed
      const first = await client.latest(BTC)
      await met()
      await clock.advance(price)
      await setPrices({ BTCUSD: price })
      await setScenario({ faults: [{ fault: 'reply/status', endpoints: ['batch'], options: { status } }] })
      await met()
      expect(await clock.now()).toBe((NOW + price) * 1000)
      expect(await client.latest(BTC)).toMatchObject({ price: price * 1e8 })
      await expect(client.batch({ feedIds: ['BTCUSD'] })).rejects.toMatchObject({ status })
      await met()
      expect(await requests()).toHaveLength(3)
      expect(first.price).toBe(11394322000000)
    })
})

// Its last test looks at the sessions of those before.
describe('afterwards', { shuffle: false }, () => {
  const ended: PriceFeed[] = []
  const gone = async ({ baseUrl, id, fetch }: PriceFeed): Promise<void> => {
    const admin = createAdminClient({ url: new URL(baseUrl).origin, fetch })
    await expect(admin.getSession({ id })).rejects.toThrow('SESSION_UNKNOWN')
  }

  test('behavior: a session is there while its test runs', async ({ priceFeed }) => {
    ended.push(priceFeed)
    expect(await priceFeed.requests()).toEqual([])
  })

  test.fails('behavior: also one that fails', async ({ priceFeed }) => {
    ended.push(priceFeed)
    expect(await priceFeed.requests()).toHaveLength(1)
  })

  test.fails('behavior: and one that hangs', { timeout: 2000 }, async ({ priceFeed }) => {
    ended.push(priceFeed)
    await new Promise(() => {})
  })

  test('behavior: afterwards it is gone', async () => {
    expect(ended).toHaveLength(3)
    await Promise.all(ended.map(gone))
  })
})

describe('a custom kit', () => {
  const withApp = test
    .extend(
      'priceOf',
      ({ priceFeed }) =>
        async (feedId: string) =>
          (await priceFeed.client.latest({ feedId })).price,
    )
    .override({ priceFeedOptions: { seed: '42', clock: { at: AT, frozen: true }, prices: { BTCUSD: 7 } } })

  withApp('default: the test of the kit is extended further', async ({ priceOf, priceFeed }) => {
    expect(await priceOf('BTCUSD')).toBe(7e8)
    expect(await priceFeed.requests()).toHaveLength(1)
  })
})

/** A barrier for `count` callers, usable again. */
function meeting(count: number): () => Promise<void> {
  let here = 0
  let next = withResolvers()
  return () => {
    const { promise, resolve } = next
    if (++here === count) {
      here = 0
      next = withResolvers()
      resolve()
    }
    return promise
  }
}

function withResolvers() {
  let resolve!: () => void
  const promise = new Promise<void>(done => (resolve = done))
  return { promise, resolve }
}
