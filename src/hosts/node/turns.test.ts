import { expect, it } from 'vitest'
import { createTurns } from './turns.js'

/** Calls back in each of the next `count` turns of the event loop. */
async function eachTurn(count: number, look: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise(resolve => setImmediate(resolve))
    look()
  }
}

it('default: everything is made at once while there is time', () => {
  const turns = createTurns(60_000)
  expect([turns.hasTime(), turns.hasTime(), turns.isOver()]).toEqual([true, true, false])
})

it('behavior: one step a turn without time, in order, and those of another client in between', async () => {
  const turns = createTurns(0)
  const made: string[] = []
  const queue = (name: string): void => turns.queue(() => made.push(name) > 0)
  expect(turns.hasTime()).toBe(false)
  for (const n of [1, 2, 3]) queue(`a${n}`)
  const counts: number[] = []
  await eachTurn(5, () => {
    if (counts.length === 1) queue('b1')
    counts.push(made.length)
  })
  expect(counts).toEqual([1, 2, 3, 4, 4])
  expect(made).toEqual(['a1', 'a2', 'a3', 'b1'])
})

it('behavior: a step that is not done goes on in the next turn, and one that throws is not made again', async () => {
  const turns = createTurns(60_000)
  const made: string[] = []
  turns.queue(() => made.push('long') === 3)
  turns.queue(() => {
    made.push('broken')
    throw new Error('broken')
  })
  turns.queue(() => made.push('last') > 0)
  const broken = new Promise(resolve => process.once('uncaughtException', resolve))
  await eachTurn(3, () => {})
  expect(made).toEqual(['long', 'long', 'long', 'broken'])
  expect(await broken).toMatchObject({ message: 'broken' })
  await eachTurn(1, () => {})
  expect(made.slice(4)).toEqual(['last'])
})
