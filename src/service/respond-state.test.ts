// State of the reducer: ordinals, n, and caches that cannot be noticed in an answer.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyOf } from '../../test/support/ask.js'
import { check } from '../../test/support/seed.js'
import { ENDPOINTS } from '../endpoints/index.js'
import { createMock, ownScenario } from '../index.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { NO_VOCABULARY } from '../scenario/parse.js'
import { createScenarios } from '../scenario/scenarios.js'
import { DEFAULT_SETTINGS, mergeSettings, type SettingsPatch } from '../settings/settings.js'
import { DEFAULT_STATE } from './apply-faults.js'
import { NO_KEYS } from './key-problem.js'
import type { Counters } from './record.js'
import type { ServiceRequest } from './request.js'
import { createRespond, type Respond } from './respond.js'
import type { Runtime } from './runtime.js'
import { createSessions } from './sessions.js'

const NOW = 1_753_354_105
const FEEDS = catalogueFeeds()
const KEY = 'test-api-key'
const LATEST = '/prices/BTCUSD/latest'
const BATCH = '/prices/batch?feedIds=BTCUSD'
const CLOCK = { virtualMs: NOW * 1000, realMs: 0, speed: 1, frozen: true }
const FIRST: Counters = { ...DEFAULT_STATE, clock: CLOCK, refused: NO_KEYS, at: 0 }
const RUNNING: Counters = { ...FIRST, clock: { ...CLOCK, frozen: false } }

const contextOf = (respond: Respond, patch: SettingsPatch = {}, id = 'default'): Runtime => {
  const settings = mergeSettings(DEFAULT_SETTINGS, { clock: { at: NOW * 1000, frozen: true } }, patch)
  const sessions = createSessions({
    settings,
    feeds: FEEDS,
    respond,
    scenarios: createScenarios(NO_VOCABULARY),
    startedAt: 0,
  })
  return id === 'default' ? sessions.default.runtime : sessions.create({ id }, 0).runtime
}
const request = (method: string, target: string, authorization: string | undefined = KEY, receivedAt = 0) =>
  ({ method, target, authorization, receivedAt }) satisfies ServiceRequest

/** Asks one request after the other and returns the numbers in the answers. */
function count(requests: readonly ServiceRequest[], start: Counters = FIRST) {
  const respond = createRespond(ENDPOINTS)
  const context = contextOf(respond)
  let state = start
  const seen = requests.map(each => {
    const { entry, counters } = respond(context, state, each)!
    state = counters
    return [entry.n, entry.ordinal]
  })
  return { seen, state }
}

describe('ordinals', () => {
  it('behavior: they count by endpoint, n counts all', () => {
    const { seen, state } = count([request('GET', LATEST), request('GET', BATCH), request('GET', LATEST)])
    expect(seen.at(-1)).toEqual([3, 2])
    expect(state).toEqual({ ...FIRST, n: 3, ordinals: { latest: 2, batch: 1 } })
  })

  it('behavior: aliases, cases and values of one endpoint count together', () => {
    const { state } = count([
      request('GET', '/charting/feeds-data'),
      request('GET', '/trading-view/feeds-data'),
      request('GET', '/prices/queryHistory'),
      request('GET', '/prices/QUERYHISTORY'),
      request('GET', '/prices/ETHUSD/latest'),
      request('GET', '/prices/nothing/latest'),
    ])
    expect(state.ordinals).toEqual({ candles: 2, history: 2, latest: 2 })
  })

  it('behavior: GET and HEAD count before auth and before parameters, other methods have n but no ordinal', () => {
    const table: [ServiceRequest, n: number, ordinal: number][] = [
      [request('HEAD', LATEST), 1, 1],
      [request('OPTIONS', LATEST), 2, 0],
      [request('GET', LATEST, 'wrong'), 3, 2],
      [request('POST', LATEST), 4, 0],
      [request('GET', '/prices/none/latest'), 5, 3],
      [request('TRACE', LATEST), 6, 0],
      [request('GET', LATEST), 7, 4],
    ]
    expect(count(table.map(([each]) => each)).seen).toEqual(table.map(([, n, ordinal]) => [n, ordinal]))
  })

  it('behavior: they continue from the given state', () => {
    const state: Counters = { ...FIRST, n: 41, ordinals: { latest: 6, batch: 2 } }
    const next = count([request('GET', LATEST)], state)
    expect(next).toEqual({ seen: [[42, 7]], state: { ...state, n: 42, ordinals: { latest: 7, batch: 2 } } })
    expect(state).toEqual({ ...FIRST, n: 41, ordinals: { latest: 6, batch: 2 } })
  })
})

describe('memory', () => {
  it('behavior: the same context, state and request give the same answer', () => {
    const respond = createRespond(ENDPOINTS)
    const context = contextOf(respond)
    const state = Object.freeze({ ...FIRST, n: 7, ordinals: Object.freeze({ latest: 3 }) })
    const [first, ...rest] = Array.from({ length: 3 }, () => respond(context, state, request('GET', LATEST)))
    expect(rest).toEqual([first, first])
  })

  it('behavior: the reply to a target that was requested before is made once a second', () => {
    let made = 0
    const latest = ENDPOINTS.find(({ name }) => name === 'latest')!
    const respond = createRespond([
      {
        ...latest,
        answer(context, parameters) {
          made++
          return latest.answer(context, parameters as never)
        },
      },
    ])
    const context = contextOf(respond, { clock: { frozen: false } })
    const madeAfter = (ms: number): number => {
      respond(context, RUNNING, request('GET', LATEST, KEY, ms))
      return made
    }
    expect([0, 0, 0, 0, 1000, 1000].map(madeAfter)).toEqual([1, 2, 2, 2, 3, 3])
  })

  it.each([
    [{ fault: 'series/null-values', options: { every: 3 } }, 20],
    [{ fault: 'series/null-values', options: { every: 3 } }, 10],
  ])('behavior: to name the faults, a chart is made again a limited number of times: %o, %i', (fault, count) => {
    let made = 0
    const candles = ENDPOINTS.find(({ name }) => name === 'candles')!
    const respond = createRespond([
      {
        ...candles,
        answer(context, parameters) {
          made++
          return candles.answer(context, parameters as never)
        },
      },
    ])
    const faults = Array.from({ length: count }, () => fault)
    const { sessions } = createMock({
      clock: { at: '2025-07-24T10:48:25Z', frozen: true },
      policy: { candles: 2000 },
      scenario: ownScenario({ faults }),
    })
    const target = '/charting/feeds-data?feedids=BTCUSD&feed=BTCUSD&type=1&interval=1h'
    const { runtime: context } = sessions.default
    const lookUps = respond.lookUps(context, FIRST, request('GET', target))!
    let steps = 1
    while (lookUps.makeNext()) steps++
    respond(context, FIRST, request('GET', target), undefined, lookUps)
    expect(steps).toBe(2001)
    expect(made).toBeGreaterThan(1)
    expect(made).toBeLessThan(11)
  })

  it('behavior: a cached body requires the key too', () => {
    const respond = createRespond(ENDPOINTS)
    const context = contextOf(respond)
    const status = (key: string) => replyOf(respond(context, FIRST, request('GET', LATEST, key))).status
    expect([KEY, KEY, 'wrong', KEY].map(status)).toEqual([200, 200, 401, 200])
  })

  it('behavior: sessions share nothing', () => {
    const respond = createRespond(ENDPOINTS)
    const bodyOf = (context: Runtime) => replyOf(respond(context, FIRST, request('GET', LATEST))).body
    // Only replies to repeated targets are cached.
    respond(contextOf(respond), FIRST, request('GET', LATEST))
    const one = contextOf(respond)
    const other = contextOf(respond, { seed: 'other' })
    const fresh = createRespond(ENDPOINTS)
    const expected = replyOf(fresh(contextOf(fresh, { seed: 'other' }), FIRST, request('GET', LATEST))).body
    expect(bodyOf(one)).not.toBe(bodyOf(other))
    expect(bodyOf(other)).toBe(expected)
  })

  it('behavior: a clock that jumps back gets the answers of its seconds', () => {
    const respond = createRespond(ENDPOINTS)
    const context = contextOf(respond, { clock: { frozen: false } })
    const at = (ms: number) => respond(context, RUNNING, request('GET', LATEST, KEY, ms))!
    const [start, , same, later, back] = [0, 0, 999, 60_000, 0].map(at)
    expect(start!.outcome).toEqual(same!.outcome)
    expect(JSON.parse(replyOf(later).body).ts - JSON.parse(replyOf(start).body).ts).toBe(60)
    expect(later!.entry.now).toBe(NOW + 60)
    expect(back).toEqual(start)
  })

  it('behavior: no order of requests changes any of their answers', () => {
    const targets = [
      LATEST,
      BATCH,
      '/prices/batch?feedIds=ETHUSD,btcusd',
      '/prices/queryHistory?feedIds=ETHUSD&minutes=5',
      '/prices/queryHistory?feedIds=ETHUSD&minutes=0',
      '/prices/evm/crypto?feedIds=XAUUSD',
      '/charting/feeds-data?feedids=ethusd&feed=ethusd&type=1&interval=1h',
      '/charting/feeds-data?feedids=ethusd&feed=ethusd&type=1&interval=7m',
    ]
    const requests = targets.flatMap(target =>
      ['GET', 'HEAD', 'OPTIONS', 'PUT'].flatMap(method => [request(method, target), request(method, target, 'wrong')]),
    )
    const contentOf = (respond: Respond, context: Runtime, each: ServiceRequest) => {
      const { status, body } = replyOf(respond(context, FIRST, each))
      return { status, body }
    }
    const fewCandles = { policy: { candles: 60 } }
    const alone = new Map(
      requests.map(each => {
        const respond = createRespond(ENDPOINTS)
        return [each, contentOf(respond, contextOf(respond, fewCandles), each)]
      }),
    )
    check([fc.shuffledSubarray([...requests, ...requests, ...requests])], 10, shuffled => {
      const respond = createRespond(ENDPOINTS)
      const context = contextOf(respond, fewCandles)
      for (const each of shuffled) expect(contentOf(respond, context, each)).toEqual(alone.get(each))
    })
  })
})
