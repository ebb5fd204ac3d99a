// `fetch` over the http module while a test fakes every timer. Isolated, since the global fetch of a process would keep faked timers.
import { expect, it, onTestFinished, vi } from 'vitest'
import { startMock } from '../../test/support/listen.js'
import { createHttpFetch } from './http-fetch.js'

it('default: it needs no timer of the test', async () => {
  const fetch = createHttpFetch()!
  const server = await startMock({ clock: { at: 1_753_354_105, frozen: true } })
  const latest = () => fetch(`${server.url}/prices/BTCUSD/latest`, { headers: { authorization: 'test-api-key' } })
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  for (let i = 0; i < 3; i++) expect(await (await latest()).json()).toMatchObject({ feedId: 'BTCUSD' })
  expect(vi.getTimerCount()).toBe(0)
})
