// The timers that the mock waits by are those of the platform, also while a test has put others in their place.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after, wait } from '../../src/hosts/timers.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('default: fake timers are not touched, and what waits goes on', async () => {
  await wait(1)
  await new Promise<void>(done => after(1, done))
  const callOff = after(1_000_000, () => expect.unreachable())
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(2_000_000)
  callOff()
})

it('behavior: who calls off is not called back', async () => {
  const callOff = after(1, () => expect.unreachable())
  callOff()
  await wait(5)
})

it('behavior: a signal ends a wait with its reason', async () => {
  const controller = new AbortController()
  const waiting = wait(1_000_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(wait(1, controller.signal)).rejects.toThrow('enough')
})
