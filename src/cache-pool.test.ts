// Several caches hold no more than their pool.
import { expect, it } from 'vitest'
import { createCachePool } from './cache-pool.js'

it('default: entries stay while there is room', () => {
  const pool = createCachePool(10)
  const [a, b] = [pool.createCache<string, number>(), pool.createCache<string, number>()]
  a.set('x', 1, 5)
  b.set('x', 2, 5)
  expect([a.get('x'), b.get('x'), a.get('y'), pool.bytes]).toEqual([1, 2, undefined, 10])
})

it('behavior: a full pool keeps the entries of the cache in use only', () => {
  const pool = createCachePool(10)
  const [a, b, c] = [1, 2, 3].map(() => pool.createCache<string, number>()) as [never, never, never]
  const set = (cache: ReturnType<typeof pool.createCache<string, number>>, key: string) => cache.set(key, 1, 4)
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
  const cache = pool.createCache<number, number>()
  for (let i = 0; i < 5; i++) cache.set(i, i, 4)
  expect([cache.get(0), cache.get(4), pool.bytes]).toEqual([0, 4, 20])
})
