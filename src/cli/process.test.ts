import { expect, it } from 'vitest'
import { createLook, MAX_FAST_HEAP_BYTES } from './run-context.js'

it('default: saves memory while the heap is large, and sets a flag only when that changes', () => {
  const flags: string[] = []
  let bytes = 0
  const look = createLook(
    () => bytes,
    flag => void flags.push(flag),
  )
  const above = MAX_FAST_HEAP_BYTES + 1
  for (bytes of [0, MAX_FAST_HEAP_BYTES, above, above, MAX_FAST_HEAP_BYTES, 0, above]) look()
  expect(flags).toEqual(['--optimize-for-size', '--no-optimize-for-size', '--optimize-for-size'])
})
