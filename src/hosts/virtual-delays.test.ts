// Virtual delays: they take no real time, move the clock of their session, and end the timeouts of callers.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { KEY } from '../../test/support/ask.js'
import { collectGarbage } from '../../test/support/collect-garbage.js'
import { createMock, type MockOptions } from '../index.js'
import { createFetch, type FetchOptions } from './fetch.js'

const AT = 1_753_354_105
const LATEST = 'http://mock/prices/BTCUSD/latest'
const EVM = 'http://mock/prices/evm/crypto?feedIds=BTCUSD'

afterEach(() => void vi.useRealTimers())

function start(faults: readonly object[], options: MockOptions = {}, fetchOptions: FetchOptions = {}) {
  const mock = createMock({ clock: { at: AT, frozen: true }, scenario: { faults: [...faults] }, ...options } as never)
  const fetch = createFetch(mock, { delays: 'virtual', ...fetchOptions })
  return {
    mock,
    fetch,
    passed: () => mock.clock.now() / 1000 - AT,
    ask: (url = LATEST, init = {}) => fetch(url, { headers: KEY, ...init }),
  }
}

const late = (ms: number, more: object = {}) => ({ fault: 'reply/latency', options: { ms }, ...more })
const SILENT = { fault: 'wire/timeout' }

describe('delays', () => {
  it('default: a delay moves a frozen clock, and takes no real time', async () => {
    const { ask, fetch, passed } = start([late(600_000)])
    expect((await ask()).status).toBe(200)
    expect(passed()).toBe(600)
    await fetch(LATEST)
    expect(passed()).toBe(1200)
  })

  it('behavior: a running clock moves by its speed', async () => {
    const { ask, passed } = start([late(1500)], { clock: { at: AT, speed: 10 }, realTime: () => 0 })
    await ask()
    expect(passed()).toBe(15)
  })

  it('behavior: replies that wait together arrive in the order of their delays, in the time of the longest', async () => {
    const { ask, passed } = start([late(3000, { endpoints: ['latest'] }), late(1000, { endpoints: ['evm'] })])
    const order: string[] = []
    const note = (name: string) => () => order.push(`${name} ${passed()}`)
    await Promise.all([ask(LATEST).then(note('latest')), ask(EVM).then(note('evm'))])
    expect(order).toEqual(['evm 1', 'latest 3'])
  })

  it('behavior: only the clock of the session that answers moves', async () => {
    const { ask, mock, passed } = start([])
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ id: 'a', clock: { at: AT, frozen: true }, scenario: { faults: [late(5000)] } })
    await ask('http://mock/_mock/sessions', { method: 'POST', headers, body })
    await ask('http://mock/session/a/prices/BTCUSD/latest')
    const { nowMs } = await mock.sessions.get('a')
    expect([nowMs(0), passed()]).toEqual([(AT + 5) * 1000, 0])
  })

  it('behavior: an error on the way ends what waits, and later requests are answered', async () => {
    vi.useFakeTimers({ now: AT * 1000 })
    const { ask } = start([late(2000)], {}, { timers: vi })
    const timer = setInterval(() => {
      clearInterval(timer)
      throw new Error('bug of the app')
    }, 500)
    await expect(ask()).rejects.toThrow('bug of the app')
    expect((await ask()).status).toBe(200)
  })

  it('behavior: a delay beyond the end of all time fails', async () => {
    const { ask } = start([SILENT], { clock: { at: 4_291_747_198, frozen: true } })
    await expect(ask()).rejects.toMatchObject({ code: 'CLOCK_OUT_OF_RANGE' })
  })

  it('behavior: what waits for a session that has ended moves no clock, and ends by its signal', async () => {
    const { ask, mock, passed } = start([late(5000)])
    mock.sessions.create({ id: 'a', scenario: { faults: [SILENT] } } as never, 0)
    const abort = new AbortController()
    const reply = ask('http://mock/session/a/prices/BTCUSD/latest', { signal: abort.signal })
    mock.sessions.delete('a')
    await ask()
    expect(passed()).toBe(5)
    abort.abort()
    await expect(reply).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('behavior: a late reply of a session that has ended comes at once', async () => {
    const { ask, mock, passed } = start([])
    mock.sessions.create({ id: 'a', scenario: { faults: [late(5000)] } } as never, 0)
    const reply = ask('http://mock/session/a/prices/BTCUSD/latest')
    mock.sessions.delete('a')
    expect([(await reply).status, passed()]).toEqual([200, 0])
  })

  it('behavior: pauses between the pieces of a body move the clock as it is read', async () => {
    const { ask, passed } = start([{ fault: 'wire/dribble', options: { pieces: 10, everyMs: 60_000 } }])
    const response = await ask()
    expect(passed()).toBe(0)
    expect(await response.json()).toMatchObject({ feedId: 'BTCUSD' })
    expect(passed()).toBe(540)
  })
})

describe('timeouts of callers', () => {
  it('behavior: they end in real time as well, also after garbage was collected', async () => {
    start([])
    const passed = new Promise(resolve =>
      AbortSignal.timeout(20).addEventListener('abort', event => resolve((event.target as AbortSignal).reason)),
    )
    await nextTurn()
    collectGarbage()
    expect(await passed).toMatchObject({ name: 'TimeoutError' })
  })

  it.each(['timeout', 'any'] as const)('behavior: AbortSignal.timeout ends at its virtual time (%s)', async how => {
    const { ask, passed } = start([late(60_000, { endpoints: ['latest'] }), { ...SILENT, endpoints: ['evm'] }])
    const signal = () => {
      const timeout = AbortSignal.timeout(2000)
      return how === 'any' ? AbortSignal.any([timeout, new AbortController().signal]) : timeout
    }
    const first = signal()
    await expect(ask(LATEST, { signal: first })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect([passed(), first.aborted]).toEqual([2, true])
    await expect(ask(EVM, { signal: signal() })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(passed()).toBe(4)
    await expect(ask(LATEST, { signal: AbortSignal.timeout(60_001) })).resolves.toMatchObject({ status: 200 })
  })

  it('behavior: attempts that share a signal share its time', async () => {
    const { ask, passed } = start([late(1500)])
    const signal = AbortSignal.timeout(2000)
    await ask(LATEST, { signal })
    await expect(ask(LATEST, { signal })).rejects.toThrow('timeout')
    expect(passed()).toBe(2)
  })

  it('behavior: a timeout that was over before its request ends it at once, and time does not go back to it', async () => {
    const { mock, ask, passed } = start([late(5000, { requests: '2' }), late(2000, { requests: '3-4' })])
    const signal = AbortSignal.timeout(1000)
    await ask(LATEST, { signal })
    await ask()
    expect(passed()).toBe(5)
    const both = Promise.allSettled([ask(LATEST, { signal }), ask(), ask()])
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(passed()).toBe(7)
    // Nothing was sent.
    expect(mock.sessions.default.journal.entries()).toHaveLength(4)
  })

  it('behavior: a body that is too slow fails with the timeout', async () => {
    const { ask, passed } = start([{ fault: 'wire/dribble', options: { pieces: 10, everyMs: 1000 } }])
    const response = await ask(LATEST, { signal: AbortSignal.timeout(3500) })
    await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(passed()).toBe(3.5)
  })

  it('default: without a timeout, silence ends as in Node after 300 seconds, or when the connection closes', async () => {
    const { ask, passed } = start([SILENT])
    await expect(ask()).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } })
    expect(passed()).toBe(300)
    const closing = start([{ ...SILENT, options: { closeAfterMs: 30_000 } }])
    await expect(closing.ask()).rejects.toThrow('fetch failed')
    expect(closing.passed()).toBe(30)
  })

  it('behavior: an abort of the caller ends the wait', async () => {
    const { ask, passed } = start([SILENT])
    const giveUp = new AbortController()
    const asked = ask(LATEST, { signal: giveUp.signal })
    giveUp.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(passed()).toBe(0)
  })

  it('args: timers: fake timers move with the clock, so a timer of the caller ends a wait', async () => {
    vi.useFakeTimers()
    const { ask, passed } = start([late(60_000)], {}, { timers: vi })
    const seen: number[] = []
    setInterval(() => seen.push(passed()), 10_000)
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), 25_000)
    await expect(ask(LATEST, { signal: giveUp.signal })).rejects.toThrow('enough')
    expect([passed(), seen]).toEqual([25, [10, 20]])
  })

  it('behavior: AbortSignal is changed once, whatever is made of mocks', () => {
    start([])
    const { timeout, any } = AbortSignal
    start([])
    expect([AbortSignal.timeout, AbortSignal.any]).toEqual([timeout, any])
  })

  it('behavior: AbortSignal.timeout still ends in real time elsewhere', async () => {
    start([])
    const signal = AbortSignal.timeout(1)
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(() => AbortSignal.timeout(-1)).toThrow(/out of range|non-negative|-1/)
  })
})

it.each([{ delays: 'none' }, { timers: {} }, { delay: 'virtual' }])('error: %j', options => {
  expect(() => createFetch(createMock(), options as never)).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID' }),
  )
})
