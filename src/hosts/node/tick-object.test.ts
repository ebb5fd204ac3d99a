// The object of Node's tick queue that is kept.
import { expect, it } from 'vitest'
import { keepTickObject, kept } from './listen.js'

it('behavior: it keeps one object, which Node has created for a tick', async () => {
  keepTickObject()
  keepTickObject()
  await new Promise<void>(resolve => process.nextTick(resolve))
  expect(kept).toEqual([expect.objectContaining({ callback: expect.any(Function) })])
})
