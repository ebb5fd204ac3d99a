// The clock of a mock from within the process: `mock.clock`, before the first request and after it, and that of a server.
import { describe, expect, it } from 'vitest'
import { ALL_TARGETS, TARGETS } from '../test/support/admin.js'
import { replyOf } from '../test/support/ask.js'
import { AT, NOW } from '../test/support/hosts.js'
import { startMock } from '../test/support/listen.js'
import { failureOf } from '../test/support/problem-paths.js'
import { createFetch } from './hosts/fetch.js'
import type { ServerOptions } from './hosts/node/server.js'
import { createMock, type MockOptions } from './index.js'

const REAL = 1_800_000_000_000

type Mock = ReturnType<typeof createMock>
/** Answers of a mock to all five endpoints at a real time. */
const bodies = (mock: Mock, receivedAt = REAL): string[] =>
  ALL_TARGETS.map(target => {
    const answer = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt })
    return replyOf(answer).body
  })
const frozenAt = (at: number | string, options: MockOptions = {}): Mock =>
  createMock({ ...options, clock: { at, frozen: true } })
const codeOf = (act: () => unknown): string => failureOf(act).code

describe('mock.clock', () => {
  it('default: a frozen clock stays where it was set', () => {
    const mock = frozenAt(AT)
    expect(mock.clock.now()).toBe(NOW * 1000)
    mock.clock.advance('2m')
    expect(mock.clock.now()).toBe((NOW + 120) * 1000)
    expect(bodies(mock)).toEqual(bodies(frozenAt(NOW + 120)))
  })

  it('behavior: frozen, then run, it continues from where it stood', async () => {
    const mock = frozenAt(AT)
    mock.clock.run()
    const fetch = createFetch(mock)
    expect(mock.clock.now() - NOW * 1000).toBeGreaterThanOrEqual(0)
    expect(mock.clock.now() - NOW * 1000).toBeLessThan(600_000)
    const response = await fetch(`http://mock${TARGETS.latest}`, { headers: { authorization: 'test-api-key' } })
    expect(Date.parse(response.headers.get('date')!)).toBeGreaterThanOrEqual(NOW * 1000)
  })

  it('default: the clock runs from the real time of creation', () => {
    let real = REAL
    const mock = createMock({ realTime: () => real })
    expect(mock.clock.now()).toBe(REAL)
    real += 3000
    expect(mock.clock.now()).toBe(REAL + 3000)
    bodies(mock)
    expect(mock.clock.now()).toBe(REAL + 3000)
  })

  it('args: startedAt', () => {
    const mock = createMock({ startedAt: REAL - 5000, clock: { at: 0 }, realTime: () => REAL })
    expect(mock.clock.now()).toBe(5000)
    mock.clock.set(AT)
    expect(bodies(mock, REAL + 5000)).toEqual(bodies(frozenAt(NOW + 5)))
  })

  it('args: realTime is what changes from within count from', () => {
    let real = REAL
    const mock = createMock({ clock: { at: AT }, startedAt: REAL, realTime: () => real })
    real += 10_000
    expect(mock.clock.now()).toBe((NOW + 10) * 1000)
    mock.clock.freeze()
    real += 10_000
    expect(mock.clock.now()).toBe((NOW + 10) * 1000)
    mock.clock.run(60)
    real += 1000
    expect(mock.clock.now()).toBe((NOW + 70) * 1000)
    mock.clock.freeze()
    mock.clock.run()
    real += 1000
    expect(mock.clock.now()).toBe((NOW + 130) * 1000)
  })

  it('behavior: changes before the first request apply in their order', () => {
    const mock = createMock({ realTime: () => REAL })
    mock.clock.set(AT)
    mock.clock.advance('1h')
    mock.clock.freeze()
    mock.clock.advance(-60)
    mock.change({ seed: '7', prices: { BTCUSD: 50_000 } })
    const wanted = frozenAt(NOW + 3540, { seed: '7' })
    wanted.change({ prices: { BTCUSD: 50_000 } })
    expect(bodies(mock)).toEqual(bodies(wanted))
    expect(bodies(mock, REAL + 99_000)).toEqual(bodies(wanted))
  })

  it('behavior: a clock without a time freezes at the present', () => {
    const mock = createMock({ realTime: () => REAL })
    mock.clock.freeze()
    expect(bodies(mock)).toEqual(bodies(frozenAt(REAL / 1000)))
    expect(bodies(mock, REAL + 60_000)).toEqual(bodies(frozenAt(REAL / 1000)))
  })

  it('error: a change before the first request that cannot be made never fails that request', () => {
    const mock = createMock()
    codeOf(() => mock.clock.advance(-4e9))
    codeOf(() => mock.change({ prices: { NOPEUSD: 5 } }))
    mock.change({ seed: '7' })
    expect(() => bodies(mock)).not.toThrow()
    // The valid change is applied.
    expect(bodies(mock)).toEqual(bodies(frozenAt(REAL / 1000, { seed: '7' })))
  })

  it.each([
    ['set', (mock: Mock) => mock.clock.set('2106-01-01T00:00:00Z'), 'SESSION_INVALID'],
    ['set', (mock: Mock) => mock.clock.set(-1), 'SESSION_INVALID'],
    ['set', (mock: Mock) => mock.clock.set(Number.NaN), 'SESSION_INVALID'],
    ['advance', (mock: Mock) => mock.clock.advance('later' as never), 'SESSION_INVALID'],
    ['advance', (mock: Mock) => mock.clock.advance(Number.POSITIVE_INFINITY), 'SESSION_INVALID'],
    ['advance', (mock: Mock) => mock.clock.advance('99999d'), 'CLOCK_OUT_OF_RANGE'],
    ['advance', (mock: Mock) => mock.clock.advance(-NOW - 1), 'CLOCK_OUT_OF_RANGE'],
    ['run', (mock: Mock) => mock.clock.run(0), 'SESSION_INVALID'],
  ])('error: %s out of range, and the clock stands where it stood', (_, act, code) => {
    const mock = frozenAt(AT)
    expect(codeOf(() => act(mock))).toBe(code)
    expect(mock.clock.now()).toBe(NOW * 1000)
    expect(bodies(mock)).toEqual(bodies(frozenAt(AT)))
  })
})

describe('createMock', () => {
  it('args: feeds', async () => {
    const mock = createMock({ feeds: { extends: 'none', feeds: [{ id: 'OWNUSD', base: 5, drivers: { crypto: 1 } }] } })
    const { feeds } = JSON.parse(await (await createFetch(mock)('http://mock/_mock/feeds')).text())
    expect(feeds).toMatchObject([{ id: 'OWNUSD' }])
  })

  it('error: options that are no object', () => {
    for (const options of [null, 5])
      expect(() => createMock(options as never)).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          problems: [{ at: '(the whole)', got: options, want: 'an object' }],
        }),
      )
  })

  it.each([
    ['realTime', 5],
    ['startedAt', '2025'],
    ['scenarios', 5],
    ['scenarioFiles', 'mine.json'],
  ])('error: %s: %j', (at, got) => {
    expect(() => createMock({ [at]: got })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', problems: [expect.objectContaining({ at, got })] }),
    )
  })

  it('error: an unknown option, and all problems of the others', () => {
    expect(() => createMock({ sead: 1, clock: { speed: -1 } } as never)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        problems: [
          expect.objectContaining({ at: 'clock.speed', got: -1 }),
          expect.objectContaining({ at: 'sead', closest: 'seed' }),
        ],
      }),
    )
  })
})

describe('the clock of a server', () => {
  const start = async (options: ServerOptions = {}) => {
    const server = await startMock({ ...options })
    const ask = async (target: string = TARGETS.latest) => {
      const response = await fetch(server.url + target, { headers: { authorization: 'test-api-key' } })
      return { date: response.headers.get('date'), body: await response.text() }
    }
    return { ...server, ask }
  }

  it('behavior: the mock of a server moves its clock, before its first request too', async () => {
    const { mock, ask } = await start()
    mock.clock.set(AT)
    mock.clock.freeze()
    expect((await ask()).date).toBe('Thu, 24 Jul 2025 10:48:25 GMT')
    mock.clock.advance('1d')
    const { date, body } = await ask()
    expect(date).toBe('Fri, 25 Jul 2025 10:48:25 GMT')
    const [other] = bodies(frozenAt(NOW + 86_400)).slice(3)
    expect(body).toBe(other)
  })

  it('behavior: the admin and the process move the same clock', async () => {
    const { mock, url, ask } = await start({ clock: { at: AT, frozen: true } })
    mock.clock.advance('1h')
    await fetch(`${url}/_mock/sessions/default`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"clock":{"advance":"1h"}}',
    })
    expect(mock.clock.now()).toBe((NOW + 7200) * 1000)
    expect((await ask()).date).toBe('Thu, 24 Jul 2025 12:48:25 GMT')
  })
})
