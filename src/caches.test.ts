// The bound of the cache, and that what is in use survives; and a module that loads late: once, and again after a failure.
import { expect, it, test } from 'vitest'
import { createBoundedCache, createCachePool, createLateModule } from './caches.js'

test('default', () => {
  const cache = createBoundedCache<string, number>(10)
  expect(cache.get('a')).toBeUndefined()
  cache.set('a', 1)
  cache.set('b', 2)
  expect(cache.get('a')).toBe(1)
  cache.set('a', 3)
  expect(cache.get('a')).toBe(3)
  expect(cache.get('b')).toBe(2)
})

test('behavior: never exceeds its capacity', () => {
  const cache = createBoundedCache<number, number>(10)
  for (let key = 0; key < 1000; key++) {
    cache.set(key, key)
    expect(cache.get(key)).toBe(key)
  }
  // Looking up moves entries from the old half to the young one, which may drop others: count from the newest.
  const held = Array.from({ length: 1000 }, (_, i) => 999 - i).filter(key => cache.get(key) !== undefined)
  expect(held.length).toBeGreaterThanOrEqual(5)
  expect(held.length).toBeLessThanOrEqual(10)
})

test('behavior: an entry in use survives any number of others', () => {
  const cache = createBoundedCache<number, string>(10)
  cache.set(-1, 'kept')
  for (let key = 0; key < 100; key++) {
    cache.set(key, 'passing')
    expect(cache.get(-1)).toBe('kept')
  }
})

test('behavior: a new value replaces one in the old half', () => {
  const cache = createBoundedCache<string, number>(4)
  cache.set('a', 1)
  cache.set('b', 1)
  cache.set('c', 1)
  cache.set('a', 2)
  expect(cache.get('a')).toBe(2)
  cache.set('d', 1)
  expect(cache.get('a')).toBe(2)
})

test('args: cost', () => {
  const cache = createBoundedCache<string, number>(10)
  cache.set('light', 1)
  cache.set('heavy', 2, 5)
  expect(cache.get('heavy')).toBe(2)
  cache.set('another', 3, 5)
  expect(cache.get('light')).toBeUndefined()
  expect(cache.get('another')).toBe(3)
})

test('args: cost above half of the capacity is not kept, and removes the old value', () => {
  const cache = createBoundedCache<string, number>(10)
  cache.set('a', 1)
  cache.set('a', 2, 6)
  expect(cache.get('a')).toBeUndefined()
  cache.set('old', 1, 5)
  cache.set('young', 1, 5)
  cache.set('old', 2, 6)
  expect(cache.get('old')).toBeUndefined()
})

it('default: entries stay while there is room', () => {
  const pool = createCachePool(10)
  const [a, b] = [pool.createCache<string, number>(() => 5), pool.createCache<string, number>(() => 5)]
  a.set('x', 1)
  b.set('x', 2)
  expect([a.get('x'), b.get('x'), a.get('y'), pool.bytes]).toEqual([1, 2, undefined, 10])
})

it('behavior: a full pool keeps the entries of the cache in use only', () => {
  const pool = createCachePool(10)
  const [a, b, c] = [1, 2, 3].map(() => pool.createCache<string, number>(() => 4)) as [never, never, never]
  const set = (cache: ReturnType<typeof pool.createCache<string, number>>, key: string) => cache.set(key, 1)
  set(a, 'x')
  set(b, 'x')
  set(b, 'y')
  const held = (cache: ReturnType<typeof pool.createCache<string, number>>) =>
    ['x', 'y'].filter(key => cache.get(key) !== undefined).join('')
  expect([held(a), held(b), held(c), pool.bytes]).toEqual(['', 'xy', '', 8])
  // The emptied cache is a member again.
  set(a, 'y')
  expect([held(a), held(b), pool.bytes]).toEqual(['y', '', 4])
})

it('behavior: one cache alone may hold more', () => {
  const pool = createCachePool(10)
  const cache = pool.createCache<number, number>(() => 4)
  for (let i = 0; i < 5; i++) cache.set(i, i)
  expect([cache.get(0), cache.get(4), pool.bytes]).toEqual([0, 4, 20])
})

it('default: a module loads once', async () => {
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
