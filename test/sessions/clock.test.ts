// The clock of a session: set, advanced, frozen and running. Answers depend on it and on no other time.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ALL_TARGETS, adminRoute, askWith, digest, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import type { Candle, Chart } from '../support/ask.js'
import { startFetch } from '../support/hosts/through-fetch.js'
import { AT, describeService, type Host, httpHost, NOW } from '../support/hosts.js'

const KEY = 'test-api-key'
const LATEST = 4_291_747_199
const YEAR = 365 * 86_400
const SESSION = '/_mock/sessions/default'

const clock = (host: Host, change: unknown) => adminRoute<Shown>(host, 'PATCH', SESSION, { clock: change })
/** Status, date and body of all five endpoints: all but the number of the request. */
const bodies = async (host: Host) => {
  const replies = []
  for (const target of ALL_TARGETS) replies.push(await askWith(host, KEY, target))
  return replies.map(({ status, headers: { date }, body }) => ({ status, date, body }))
}

const startingAt = (at: string | number) => startFetch({ clock: { at, frozen: true } })

describeService('the clock of a session', start => {
  it('behavior: setting the clock to before the start of the scenario restarts times, request counts and quotas', async () => {
    const faults = [
      { fault: 'reply/rate-limit', options: { limit: 1, window: '10s' } },
      { fault: 'reply/status', requests: { first: 1 }, options: { status: 418 } },
    ]
    const host = start({ scenario: { faults: faults as never }, clock: { at: AT, frozen: true } })
    const statuses = async () => {
      const replies = [await askWith(host, KEY, TARGETS.latest), await askWith(host, KEY, TARGETS.latest)]
      return replies.map(({ status }) => status)
    }
    expect(await statuses()).toEqual([418, 429])
    await clock(host, { advance: '1s' })
    expect(await statuses()).toEqual([429, 429])
    await clock(host, { advance: -1000 })
    expect(await statuses()).toEqual([418, 429])
  })

  it.each([
    [{ at: '2030-01-01T00:00:00Z' }, 1_893_456_000],
    [{ at: 1_893_456_000 }, 1_893_456_000],
    [{ advance: '1d' }, NOW + 86_400],
    [{ advance: -17 }, NOW - 17],
  ])('args: %j', async (change, now) => {
    const host = start()
    const at = new Date(now * 1000).toISOString().replace('.000', '')
    expect((await clock(host, change)).clock).toEqual({ at, now, speed: 1, frozen: true })
    expect(await bodies(host)).toEqual(await bodies(await startingAt(now)))
  })
  it('behavior: a year in one step or in days leads to the same bytes as starting there', async () => {
    const inOne = start()
    const inDays = start()
    await bodies(inDays)
    await clock(inOne, { advance: YEAR })
    for (let day = 0; day < 365; day++) await clock(inDays, { advance: '1d' })
    const wanted = await bodies(await startingAt(NOW + YEAR))
    expect(await bodies(inOne)).toEqual(wanted)
    expect(await bodies(inDays)).toEqual(wanted)
  })

  it('behavior: going back leads to the same bytes', async () => {
    const host = start()
    const before = await bodies(host)
    await clock(host, { advance: '400d' })
    expect(await bodies(host)).not.toEqual(before)
    await clock(host, { advance: -400 * 86_400 })
    expect(await bodies(host)).toEqual(before)
    await clock(host, { at: NOW - YEAR })
    expect(await bodies(host)).toEqual(await bodies(await startingAt(NOW - YEAR)))
  })

  it('behavior: the open candle closes when the clock passes its end', async () => {
    const host = start()
    const candles = async (): Promise<readonly Candle[]> =>
      (JSON.parse((await askWith(host, KEY, TARGETS.candles)).body) as Chart).data.result
    const open = (await candles()).at(-1)!
    await clock(host, { at: open.time / 1000 + 3600 + 5 })
    const [closed, next] = (await candles()).slice(-2)
    expect(closed!.time).toBe(open.time)
    expect(closed!.open).toBe(open.open)
    expect(closed!.volume).toBeGreaterThan(open.volume)
    expect(next!.time).toBe(open.time + 3_600_000)
  })

  it.each([0, 1, 700, 2_147_483_647, 2_147_483_648, 4_294_967_295 - 3_300_000, LATEST])(
    'behavior: every endpoint answers at second %i',
    async at => {
      const host = start()
      expect((await clock(host, { at })).clock.now).toBe(at)
      const replies = await bodies(host)
      expect(replies.map(({ status }) => status < 500)).toEqual(ALL_TARGETS.map(() => true))
      for (const { date } of replies) expect(date).toBe(new Date(at * 1000).toUTCString())
    },
  )

  it.each([
    [{ advance: -NOW - 1 }, 'CLOCK_OUT_OF_RANGE'],
    [{ advance: '99999d' }, 'CLOCK_OUT_OF_RANGE'],
    [{ at: LATEST, advance: 1 }, 'CLOCK_OUT_OF_RANGE'],
    [{ advance: 1e308 }, 'CLOCK_OUT_OF_RANGE'],
    [{ at: -1 }, 'REQUEST_INVALID'],
    [{ at: LATEST + 1 }, 'REQUEST_INVALID'],
    [{ advance: 'soon' }, 'REQUEST_INVALID'],
    [{ speed: 0 }, 'REQUEST_INVALID'],
  ])('error: %j is one problem and changes nothing', async (change, code) => {
    const host = start()
    const before = await bodies(host)
    const details = problemOf(
      await move(host, 'PATCH', SESSION, { seed: 'other', clock: { frozen: false, ...change } }),
      400,
      code,
    )
    expect(details.problems).toHaveLength(1)
    expect(details.problems![0]!.at).toMatch(/^clock/)
    expect(await bodies(host)).toEqual(before)
  })
})

/** Only `Date` is replaced, so that sockets still work. */
describe('real time', () => {
  const REAL = 1_800_000_000_000
  const realTime = (): number => Date.now()
  const pretend = (ms = REAL) => vi.useFakeTimers({ toFake: ['Date'], now: ms })
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['http', httpHost],
    ['fetch', startFetch],
  ])('behavior: a frozen session does not depend on real time (%s)', async (_, make) => {
    const digestsAt = async (ms: number): Promise<string[]> => {
      pretend(ms)
      const host = await make({ realTime, clock: { at: AT, frozen: true } })
      onTestFinished(() => host.stop())
      const digests: string[] = []
      const refused = ['/prices/NOPE/latest', '/prices/batch', '/charting/feeds-data']
      for (const prefix of ['', '/session/frozen', '/scenario/calm'])
        for (const [i, target] of [...ALL_TARGETS, ...refused].entries()) {
          vi.setSystemTime(ms + i * 1_234_567)
          for (const method of ['GET', 'OPTIONS', 'POST'])
            digests.push(digest(await askWith(host, KEY, prefix + target, method)))
        }
      return digests
    }
    const first = await digestsAt(REAL)
    expect(new Set(first).size).toBe(first.length)
    expect(await digestsAt(REAL + 400 * 86_400_000)).toEqual(first)
    expect(await digestsAt(0)).toEqual(first)
  })

  it('behavior: a running clock follows real time: at, speed, freeze, run', async () => {
    pretend()
    const host = await startFetch({ realTime, clock: { at: AT, speed: 60 } })
    const now = async () => (await adminRoute(host, 'GET', SESSION)).clock.now
    expect(await now()).toBe(NOW)
    vi.setSystemTime(REAL + 2000)
    expect(await now()).toBe(NOW + 120)
    // A new speed applies from now on.
    await clock(host, { speed: 1 })
    vi.setSystemTime(REAL + 5000)
    expect(await now()).toBe(NOW + 123)
    await clock(host, { frozen: true })
    vi.setSystemTime(REAL + 99_000)
    expect(await now()).toBe(NOW + 123)
    await clock(host, { frozen: false, speed: 0.5, advance: '1h' })
    vi.setSystemTime(REAL + 103_000)
    expect(await now()).toBe(NOW + 123 + 3600 + 2)
  })

  it('behavior: answers do not depend on how the clock reached its time', async () => {
    pretend()
    const host = await startFetch({ realTime, clock: { at: AT, speed: 1000 }, startedAt: REAL })
    for (const passed of [1, 999, 1000, 86_400_000]) {
      vi.setSystemTime(REAL + passed)
      expect(await bodies(host)).toEqual(await bodies(await startingAt(NOW + passed)))
    }
  })

  it('behavior: reset starts a clock without `at` at the real time, and one with `at` there', async () => {
    pretend()
    const host = await startFetch({ realTime })
    await clock(host, { at: AT, frozen: true })
    vi.setSystemTime(REAL + 7000)
    expect((await adminRoute(host, 'POST', `${SESSION}/reset`)).clock).toMatchObject({
      now: REAL / 1000 + 7,
      frozen: false,
    })
    await adminRoute(host, 'POST', '/_mock/sessions', { id: 'set', clock: { at: AT } })
    vi.setSystemTime(REAL + 9000)
    expect((await adminRoute(host, 'GET', '/_mock/sessions/set')).clock.now).toBe(NOW + 2)
    expect((await adminRoute(host, 'POST', '/_mock/sessions/set/reset')).clock.now).toBe(NOW)
  })
})
