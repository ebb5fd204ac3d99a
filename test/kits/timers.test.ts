// The mock waits with the timers of the platform, also while a test replaces them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after, wait } from '../../src/hosts/real-time.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('default: fake timers stay unused, and waits end', async () => {
  await wait(1)
  await new Promise<void>(done => after(1, done))
  const cancel = after(1_000_000, () => expect.unreachable())
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(2_000_000)
  cancel()
})
