// The clock of a mock follows the real time before, between and after requests, on every host.
import { createServer } from 'node:http'
import { setupServer } from 'msw/node'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { KEY } from '../../test/support/ask.js'
import { listen } from '../../test/support/listen.js'
import { createMock, type Mock } from '../index.js'
import { mockMiddleware } from './express.js'
import { createFetch } from './fetch.js'
import { handlers } from './msw.js'

const REAL = 1_800_000_000_000
const LATEST = '/prices/BTCUSD/latest'
const REFUSED = [{ fault: 'reply/status', for: '2s', options: { status: 503 } }]

/** Requests a price and returns the status. */
type Ask = () => Promise<number>

// Only `Date` is faked, so that sockets work.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: REAL }))
afterEach(() => void vi.useRealTimers())

function overFetch(mock: Mock): Ask {
  const fetch = createFetch(mock)
  return async () => (await fetch(`http://mock${LATEST}`, { headers: KEY })).status
}

function throughMsw(mock: Mock): Ask {
  const server = setupServer(...handlers(mock, { baseUrl: 'https://api.example' }))
  server.listen()
  onTestFinished(() => server.close())
  return async () => (await fetch(`https://api.example${LATEST}`, { headers: KEY })).status
}

function inApp(mock: Mock): Ask {
  const middleware = mockMiddleware(mock)
  const server = createServer((request, response) => middleware(request, response, () => response.end()))
  const port = listen(server)
  return async () => (await fetch(`http://127.0.0.1:${await port}${LATEST}`, { headers: KEY })).status
}

describe.each([
  ['fetch', overFetch],
  ['msw', throughMsw],
  ['express', inApp],
])('%s', (_host, run) => {
  it('behavior: it runs between requests, and freezes at the present', async () => {
    const mock = createMock({ realTime: () => Date.now() })
    const ask = run(mock)
    await ask()
    vi.setSystemTime(REAL + 3000)
    expect(mock.clock.now()).toBe(REAL + 3000)
    mock.clock.freeze()
    vi.setSystemTime(REAL + 9000)
    expect(mock.clock.now()).toBe(REAL + 3000)
  })

  it('behavior: a scenario begins when it is set, not at the latest request', async () => {
    const mock = createMock({ realTime: () => Date.now() })
    const ask = run(mock)
    await ask()
    vi.setSystemTime(REAL + 3000)
    mock.setScenario({ faults: REFUSED as never })
    expect(await ask()).toBe(503)
    vi.setSystemTime(REAL + 5000)
    expect(await ask()).toBe(200)
  })

  it('args: realTime of the mock is that of its requests, too', async () => {
    const mock = createMock({ realTime: () => 7000 })
    await run(mock)()
    expect(mock.clock.now()).toBe(7000)
    expect(mock.sessions.default.journal.entries()[0]).toMatchObject({ now: 7, receivedAt: 7000 })
  })

  it('default: a faked Date does not move the clock', async () => {
    const mock = createMock()
    expect(await run(mock)()).toBe(200)
    expect(mock.clock.now()).toBeLessThan(REAL)
    expect(mock.sessions.default.journal.entries()[0]!.receivedAt).toBeLessThan(REAL)
  })
})
