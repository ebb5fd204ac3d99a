// A journal in a store is listened to as long as a stream follows it.
import { expect, it } from 'vitest'
import { setImmediate } from '../../real-time.js'
import { createFollow } from './stored-events.js'

const COUNTERS = { added: 0, length: 0, bytes: 0, since: 0, goneUntil: 0 }
const TEXTS = { rev: 'a.b', setup: '{}', counters: `${JSON.stringify(COUNTERS)}\n{}`, gone: '[]', charge: 0 }
const subscriber = () => ({ onEntry() {}, onClose() {} })

/** Follows the journal of a session. `found` are the results of reading it; `open` is the number of listeners to it. */
function following({
  found = [{ texts: TEXTS, lines: [] }],
  atOnce = [] as string[],
}: {
  found?: unknown[]
  atOnce?: string[]
} = {}) {
  const listeners = { open: 0 }
  const store = {
    load: async () => (found.length > 1 ? found.shift() : found[0]),
    async listen(_id: string, onMessage: (message: string) => void) {
      listeners.open++
      for (const message of atOnce) onMessage(message)
      return () => void listeners.open--
    },
  }
  return { follow: createFollow(store as never), listeners }
}

it('behavior: one listener for all streams of a session, until the last of them ends', async () => {
  const { follow, listeners } = following()
  const stops = [(await follow('a')).subscribe(subscriber()), (await follow('a')).subscribe(subscriber())]
  await new Promise(setImmediate)
  expect(listeners.open).toBe(1)
  stops[0]!()
  expect(listeners.open).toBe(1)
  stops[1]!()
  expect(listeners.open).toBe(0)
})

it('behavior: a journal that nobody subscribes to, as after a HEAD request, is not listened to', async () => {
  const { follow, listeners } = following()
  await follow('a')
  await new Promise(setImmediate)
  expect(listeners.open).toBe(0)
})

it('error: a session that is deleted while its stream begins', async () => {
  const { follow, listeners } = following({ found: [{ texts: TEXTS, lines: [] }, 'unknown'], atOnce: ['closed'] })
  await expect(follow('a')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' })
  expect(listeners.open).toBe(0)
})
