// The cache of the reducer: its bound over all sessions.
import { expect, it } from 'vitest'
import { type CachedSecond, createMemory } from './drafts.js'

const secondOf = () => ({ replies: new Map(), size: 0 }) as unknown as CachedSecond

it('behavior: it holds four million characters, and forgets all when one more reply does not fit', () => {
  const memory = createMemory()
  const second = secondOf()
  const reply = { status: 200, value: undefined, text: 'x'.repeat(999_999), applied: [] }
  for (const key of ['1', '2', '3', '4']) memory.remember(second, key, reply)
  expect([second.replies.size, second.size]).toEqual([4, 4_000_000])
  memory.remember(second, '5', reply)
  expect(second.replies.has('5')).toBe(false)
  const next = secondOf()
  memory.remember(next, '6', reply)
  expect(next.replies.has('6')).toBe(true)
})
