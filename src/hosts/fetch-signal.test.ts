// Signals of callers of a mock as a fetch function, in real time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { KEY } from '../../test/support/ask.js'
import { collectGarbage } from '../../test/support/collect-garbage.js'
import { createMock } from '../index.js'
import { createFetch } from './fetch.js'

it('behavior: one ends a body that is still sent, also after garbage was collected', async () => {
  const slow = { fault: 'wire/dribble', options: { pieces: 2, everyMs: 20_000 } } as const
  const abort = new AbortController()
  const fetch = createFetch(createMock({ scenario: { faults: [slow] } }))
  const response = await fetch('http://mock/prices/BTCUSD/latest', { headers: KEY, signal: abort.signal })
  expect(response.url).toBe('http://mock/prices/BTCUSD/latest')
  const text = response.text()
  await nextTurn()
  collectGarbage()
  abort.abort()
  await expect(text).rejects.toMatchObject({ name: 'AbortError' })
})

it('behavior: one takes a body away that has come and is not read', async () => {
  const abort = new AbortController()
  const ask = () => createFetch(createMock())('http://mock/nowhere#part', { signal: abort.signal })
  const [read, unread] = [await (await ask()).text(), await ask()]
  const copy = unread.clone()
  abort.abort()
  expect(read).toContain('UNKNOWN_ROUTE')
  // As from the network, without the fragment.
  expect(copy.url).toBe('http://mock/nowhere')
  for (const response of [unread, copy]) await expect(response.json()).rejects.toMatchObject({ name: 'AbortError' })
})

it('behavior: one ends a request whose body its caller never ends', async () => {
  const abort = new AbortController()
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, duplex: 'half', signal: abort.signal }
  const asked = createFetch(createMock())('http://mock/_mock/sessions', {
    ...init,
    body: new ReadableStream(),
  } as RequestInit)
  abort.abort()
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})
