import { expect, it } from 'vitest'
import { createTurns } from './turns.js'

/** Calls back in each of the next `count` turns of the event loop. */
async function eachTurn(count: number, look: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise(resolve => setImmediate(resolve))
    look()
  }
}

it('default: everything is answered at once while there is time', () => {
  const turns = createTurns(60_000)
  turns.begin()
  const answered: number[] = []
  for (const n of [1, 2, 3]) turns.run(() => void answered.push(n))
  expect(answered).toEqual([1, 2, 3])
})

it('behavior: one answer a turn without time, in order, and those of another client in between', async () => {
  const turns = createTurns(0)
  const answered: string[] = []
  turns.begin()
  for (const n of [1, 2, 3]) turns.run(() => void answered.push(`a${n}`))
  expect(answered).toEqual([])
  const counts: number[] = []
  await eachTurn(5, () => {
    if (counts.length === 1) turns.run(() => void answered.push('b1'))
    counts.push(answered.length)
  })
  expect(counts).toEqual([1, 2, 3, 4, 4])
  expect(answered).toEqual(['a1', 'a2', 'a3', 'b1'])
})
