// A module that loads late: loaded once, and again after a failure.
import { expect, it } from 'vitest'
import { createLateModule } from './caches.js'

it('default: loads once', async () => {
  let loads = 0
  const load = createLateModule('The metrics', async () => ++loads)
  expect([await load(), await load(), loads]).toEqual([1, 1, 1])
})

it('error: a failed load is reported to all that wait for it, and tried again by the next', async () => {
  let loads = 0
  const load = createLateModule('The metrics', async () => {
    if (++loads === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    return 'loaded'
  })
  const failed = { code: 'MODULE_UNAVAILABLE', message: expect.stringContaining('EMFILE') }
  await Promise.all([expect(load()).rejects.toMatchObject(failed), expect(load()).rejects.toMatchObject(failed)])
  expect([await load(), loads]).toEqual(['loaded', 2])
})
