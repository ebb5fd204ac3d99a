// Fake timers of a test: they move in step with a session on request, and otherwise reach neither the mock nor its servers.
import { mock } from 'node:test'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startServer } from '../hosts/node/server.js'
import { openPriceFeed } from './testing.js'

const AT = '2025-07-24T10:48:25Z'
const NOW = 1_753_354_105
const BTC = { feedId: 'BTCUSD' } as const
const FROZEN = { clock: { at: AT, frozen: true } } as const

afterEach(() => {
  vi.useRealTimers()
  mock.timers.reset()
})

describe('clock.advance with timers', () => {
  it.each([
    ['vi', () => vi.useFakeTimers({ now: NOW * 1000 })],
    [
      'mock.timers',
      () => {
        mock.timers.enable({ apis: ['setInterval', 'Date'], now: NOW * 1000 })
        return mock.timers
      },
    ],
    [
      'jest of bun',
      () => {
        vi.useFakeTimers({ now: NOW * 1000 })
        return { advanceTimersByTime: (ms: number) => vi.advanceTimersByTime(ms) }
      },
    ],
  ] as const)('default: requests of timers find the session at their own second (%s)', async (_, fake) => {
    await using priceFeed = await openPriceFeed(FROZEN)
    const timers = fake()
    const polling = setInterval(() => priceFeed.client.latest(BTC), 2000)
    await priceFeed.clock.advance('7s', { timers })
    clearInterval(polling)
    expect((await priceFeed.requests()).map(({ now }) => now - NOW)).toEqual([2, 4, 6])
    expect([Date.now(), await priceFeed.clock.now()]).toEqual([(NOW + 7) * 1000, (NOW + 7) * 1000])
  })

  it('behavior: so do they in a browser, which has no setImmediate', async () => {
    onTestFinished(() => void vi.resetModules())
    vi.resetModules()
    // Vitest itself needs a process while modules load.
    vi.stubGlobal('process', Object.create(process, { argv: { value: undefined } }))
    vi.stubGlobal('setImmediate', undefined)
    const inBrowser = await import('./testing.js').finally(() => vi.unstubAllGlobals())
    await using priceFeed = await inBrowser.openPriceFeed(FROZEN)
    vi.useFakeTimers({ now: NOW * 1000 })
    const polling = setInterval(() => priceFeed.client.latest(BTC), 2000)
    await priceFeed.clock.advance('7s', { timers: vi })
    clearInterval(polling)
    expect((await priceFeed.requests()).map(({ now }) => now - NOW)).toEqual([2, 4, 6])
  })

  it.each([
    ['0.25 seconds', 0.25, [250]],
    ['2.5 seconds', 2.5, [1000, 1000, 500]],
    ['an hour', '1h', Array.from({ length: 600 }, () => 6000)],
  ] as const)('args: %s', async (_, by, steps) => {
    await using priceFeed = await openPriceFeed(FROZEN)
    const moved: number[] = []
    await priceFeed.clock.advance(by, { timers: { tickAsync: async ms => moved.push(ms) } })
    expect(moved).toEqual([0, ...steps])
    const seconds = steps.reduce((sum, ms) => sum + ms, 0) / 1000
    expect(await priceFeed.clock.now()).toBeCloseTo((NOW + seconds) * 1000, 3)
  })

  it('error: other timers, and a time that timers cannot move', async () => {
    await using priceFeed = await openPriceFeed(FROZEN)
    const problem = (at: string, got: unknown) => ({ code: 'OPTIONS_INVALID', problems: [{ at, got }] })
    await expect(priceFeed.clock.advance('1m', { timers: {} as never })).rejects.toMatchObject(problem('timers', {}))
    for (const by of [-5, 0, Number.NaN, '1 minute' as never])
      await expect(priceFeed.clock.advance(by, { timers: vi })).rejects.toMatchObject(problem('by', by))
    // They are not faked here.
    await expect(priceFeed.clock.advance('3s', { timers: vi })).rejects.toThrow(/not mocked/)
    await expect(priceFeed.clock.advance('3s', { timers: mock.timers })).rejects.toThrow(/enable/)
    expect(await priceFeed.clock.now()).toBe(NOW * 1000)
  })
})

describe('a server', () => {
  it.each([
    ['Date', ['Date']],
    ['all timers', ['Date', 'setTimeout', 'setInterval', 'setImmediate']],
  ] as const)('behavior: its time is real while a test fakes %s', async (_, apis) => {
    const { now } = Date
    mock.timers.enable({ apis: [...apis], now: 1000 })
    const server = await startServer({ port: 0 })
    const priceFeed = await openPriceFeed({ url: server.url })
    expect(Date.now()).toBe(1000)
    for (const ms of [server.mock.clock.now(), (await priceFeed.client.latest(BTC)).ts * 1000])
      expect(Math.abs(ms - now())).toBeLessThan(60_000)
    await priceFeed.close()
    await server.stop()
  })

  it('error: calls fail while process.nextTick is fake', async () => {
    await using priceFeed = await openPriceFeed({ server: true })
    const { nextTick } = process
    const kept: Parameters<typeof nextTick>[] = []
    process.nextTick = (...args: Parameters<typeof nextTick>) => void kept.push(args)
    try {
      for (const call of [() => priceFeed.client.latest(BTC), () => startServer({ port: 0 })])
        await expect(call()).rejects.toMatchObject({
          code: 'TIMERS_FAKED',
          message: expect.stringContaining("sinon.useFakeTimers({ toFake: ['Date'"),
        })
    } finally {
      process.nextTick = nextTick
      for (const args of kept) nextTick(...args)
    }
  })
})
