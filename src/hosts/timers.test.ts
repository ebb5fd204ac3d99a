// The timers of hosts: a wait ends by its time or by its signal.
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { after, wait } from './real-time.js'

it('default: a wait ends by its time', () => expect(wait(0)).resolves.toBeUndefined())

it('behavior: a signal that outlives its waits keeps no listener of them', async () => {
  const { signal } = new AbortController()
  await wait(0, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('error: a wait that is given up rejects with the reason', async () => {
  const controller = new AbortController()
  const waiting = wait(600_000, controller.signal)
  controller.abort('gone')
  await expect(waiting).rejects.toBe('gone')
  await expect(wait(0, controller.signal)).rejects.toBe('gone')
})

it('behavior: a timer that is called off does not fire', async () => {
  let fired = false
  after(0, () => (fired = true))()
  await wait(1)
  expect(fired).toBe(false)
})
