// The kit for any runner: where its session runs, how it ends, and its report of requests that went elsewhere.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMock } from '../../test/support/listen.js'
import { createAdminClient } from '../client/index.js'
import { startServer } from '../hosts/node/server.js'
import { createMock } from '../index.js'
import { openPriceFeed } from './testing.js'

const BTC = { feedId: 'BTCUSD' } as const

describe('openPriceFeed', () => {
  it('default: a session in process, which a second close leaves alone', async () => {
    const server = process.argv.length < 0
    const priceFeed = await openPriceFeed({ server, prices: { BTCUSD: 7 }, clock: { frozen: true } })
    expect(priceFeed.baseUrl).toContain('.test/')
    expect(await priceFeed.client.latest(BTC)).toMatchObject({ price: 7e8 })
    await priceFeed.close()
    await priceFeed.close()
    await expect(priceFeed.requests()).rejects.toMatchObject({ code: 'ADMIN_REFUSED' })
  })

  it('args: series, which feeds of the session follow', async () => {
    const rows = [
      [1_753_354_080, '100.5'],
      [1_753_354_090, 101],
    ]
    await using priceFeed = await openPriceFeed({ series: [{ as: 'BTCUSD', rows }], clock: { frozen: true } })
    expect(await priceFeed.client.latest(BTC)).toMatchObject({ price: 100.5e8, ts: 1_753_354_080 })
    await priceFeed.clock.advance(10)
    expect(await priceFeed.client.latest(BTC)).toMatchObject({ price: 101e8, ts: 1_753_354_090 })
    const mock = { series: [{ as: 'BTCUSD', rows }], seriesAt: 'now' as const }
    await using another = await openPriceFeed({ mock, clock: { at: '2025-07-24T12:00:00Z', frozen: true } })
    expect(await another.client.latest(BTC)).toMatchObject({ price: 100.5e8, ts: 1_753_358_399 })
  })

  it.each([{}, { server: true }] as const)(
    'behavior: no global makes a body, as in jsdom in vmThreads: %j',
    async where => {
      await using priceFeed = await openPriceFeed(where)
      const construct = vi.fn(Reflect.construct)
      // Without any, Node's own `Request` fails, which such a pool takes from outside.
      vi.stubGlobal('ReadableStream', new Proxy(ReadableStream, { construct }))
      onTestFinished(() => void vi.unstubAllGlobals())
      const reply = await priceFeed.fetch(`${priceFeed.baseUrl}/prices/BTCUSD/latest`)
      expect([reply.status, construct.mock.calls]).toEqual([401, []])
    },
  )

  it('behavior: `await using` ends it with its block', async () => {
    let outer: Awaited<ReturnType<typeof openPriceFeed>>
    {
      await using priceFeed = await openPriceFeed()
      outer = priceFeed
      expect(await outer.requests()).toEqual([])
    }
    await expect(outer.requests()).rejects.toMatchObject({ code: 'ADMIN_REFUSED' })
  })

  it('behavior: so does `await using` as bundlers translate it for an engine without its symbol', async () => {
    vi.stubGlobal('Symbol', Object.create(Symbol, { asyncDispose: { value: undefined } }))
    const opened = await openPriceFeed().finally(() => vi.unstubAllGlobals())
    expect(Object.keys(opened)).not.toContain('undefined')
    await (opened as unknown as Record<symbol, () => Promise<void>>)[Symbol.for('Symbol.asyncDispose')]!()
    await expect(opened.requests()).rejects.toMatchObject({ code: 'ADMIN_REFUSED' })
  })

  it('args: url, a running server, whose session ends', async () => {
    const server = await startMock()
    const priceFeed = await openPriceFeed({ url: `${server.url}/` })
    expect((await fetch(`${priceFeed.baseUrl}/prices/BTCUSD/latest`)).status).toBe(401)
    expect(server.mock.sessions.size).toBe(2)
    await priceFeed.close()
    expect(server.mock.sessions.size).toBe(1)
  })

  it('args: token, of the server at url', async () => {
    const server = await startMock({ adminToken: 'correct-horse' })
    await expect(openPriceFeed({ url: server.url })).rejects.toThrow('ADMIN_TOKEN_INVALID')
    await using priceFeed = await openPriceFeed({ url: server.url, token: 'correct-horse' })
    await priceFeed.setScenario('stale-btc')
    await priceFeed.client.latest(BTC)
    await priceFeed.expectFaultsFired()
    const withoutUrl = openPriceFeed({ server: true, token: 'correct-horse' })
    await expect(withoutUrl).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    await expect(withoutUrl).rejects.not.toThrow('correct-horse')
  })

  it('args: server, one of its own, which stops', async () => {
    const priceFeed = await openPriceFeed({ server: { seed: '7' } })
    const { url } = await fetch(`${priceFeed.baseUrl}/prices/BTCUSD/latest`)
    await priceFeed.close()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('args: mock, with scenarios of your own', async () => {
    const { ownScenario } = await import('./testing.js')
    const mine = { title: 'Mine', why: 'A test.', faults: [{ fault: 'tick/zero' }] }
    await using priceFeed = await openPriceFeed({ mock: { scenarios: { mine } }, scenario: ownScenario('mine') })
    expect(await priceFeed.client.latest(BTC)).toMatchObject({ price: 0 })
  })

  it('error: an environment without fetch, such as jsdom of Jest', async () => {
    vi.stubGlobal('Request', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    await expect(openPriceFeed()).rejects.toMatchObject({
      shortMessage: 'openPriceFeed() needs fetch, which the environment of this test lacks.',
      details: [['fix', 'with Jest, use the environment node or jest-fixed-jsdom']],
    })
  })

  it('error: a server in a page, such as in the browser mode of Vitest', async () => {
    onTestFinished(() => void vi.resetModules())
    vi.resetModules()
    // As bundlers define it. Vitest itself needs one while modules load.
    vi.stubGlobal('process', Object.create(process, { argv: { value: undefined } }))
    const inPage = await import('./testing.js').finally(() => vi.unstubAllGlobals())
    await expect(inPage.openPriceFeed({ server: true })).rejects.toMatchObject({
      shortMessage: 'openPriceFeed(options) has a server in a page.',
      problems: [{ at: 'server', want: 'no server, or the url of a running one: a page cannot start it' }],
    })
  })

  it('error: several places, and an invalid option', async () => {
    for (const server of [0, null])
      await expect(openPriceFeed({ server } as never)).rejects.toMatchObject({
        shortMessage: 'openPriceFeed(options) has an invalid server.',
        problems: [{ at: 'server', got: server, want: 'true, false, or the options of a server' }],
      })
    await expect(openPriceFeed({ mock: createMock() } as never)).rejects.toMatchObject({
      problems: [{ at: 'mock', got: 'a mock', want: 'the options of one, for createMock' }],
    })
    await expect(openPriceFeed('stale-btc' as never)).rejects.toMatchObject({ problems: [{ at: 'options' }] })
    await using usual = await openPriceFeed(null as never)
    expect(usual.apiKey).not.toBe('')
    await expect(openPriceFeed({ server: true, mock: {} })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      shortMessage: 'openPriceFeed(options) has several places for the mock.',
      problems: [{ at: 'options', got: 'server, mock', want: 'one of url, server and mock' }],
    })
    // @ts-expect-error there is no such option
    await expect(openPriceFeed({ sede: '7' })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    // @ts-expect-error there is no such scenario
    await expect(openPriceFeed({ scenario: 'stale-btcc' })).rejects.toMatchObject({ code: 'ADMIN_REFUSED' })
  })
})

describe('requests that went to another session', () => {
  it('error: a misspelt option has the nearest name', async () => {
    const closestOf = async (attempt: () => Promise<unknown>): Promise<string | undefined> => {
      const error = await attempt().catch((one: unknown) => one)
      return (error as { problems?: { closest?: string }[] }).problems?.[0]?.closest
    }
    expect(await closestOf(() => openPriceFeed({ servr: true } as object))).toBe('server')
    expect(await closestOf(() => openPriceFeed({ mock: { scenaro: 'calm' } } as object))).toBe('scenario')
    expect(await closestOf(() => startServer({ prot: 0 } as object))).toBe('port')
    await using priceFeed = await openPriceFeed()
    expect(await closestOf(() => priceFeed.clock.advance('1m', { timer: {} } as object))).toBe('timers')
  })

  it('error: faults that have not fired are reported with them', async () => {
    await using priceFeed = await openPriceFeed({ scenario: 'stale-btc' })
    // An application with its own address and key, whose `fetch` was replaced.
    await priceFeed.fetch('https://api.example/prices/BTCUSD/latest', { headers: { authorization: 'test-api-key' } })
    await expect(priceFeed.expectFaultsFired()).rejects.toThrowErrorMatchingInlineSnapshot(`
      [FaultsNotFiredError: 1 of 1 planned fault never fired.
        fault  market/stale  BTCUSD: 0 hits   no endpoint that it acts on was asked
        note   1 request went to the session default meanwhile, the newest GET /prices/BTCUSD/latest with status 200
        fix    use baseUrl and apiKey of priceFeed, or its handlers({ baseUrl }) or route(page, { baseUrl }) with the address of your app
        code   FAULTS_NOT_FIRED]
    `)
    await expect(priceFeed.waitForRequests(1, { timeoutMs: 1 })).rejects.toThrow(
      '1 request went to the session default meanwhile',
    )
  })

  it('behavior: not those from before, or of other tests', async () => {
    const server = await startMock()
    const headers = { authorization: 'test-api-key' }
    await fetch(`${server.url}/prices/BTCUSD/latest`, { headers })
    const admin = createAdminClient({ url: server.url })
    const other = await admin.createSession({ body: {} })
    await using priceFeed = await openPriceFeed({ url: server.url, scenario: 'stale-btc' })
    await fetch(`${other.baseUrl}/prices/BTCUSD/latest`, { headers })
    await expect(priceFeed.expectFaultsFired()).rejects.toThrow(/^(?![\s\S]*went to the session)/)
  })
})
