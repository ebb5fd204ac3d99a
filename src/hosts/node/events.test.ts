// The journal as Server-Sent Events: what a reader is sent that begins, that resumes, and that reads nothing.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createJournal, type JournalEntry } from '../../service/journal.js'
import { streamJournal } from './events.js'

const entry = (n: number): JournalEntry => ({
  n,
  ordinal: n,
  endpoint: 'latest',
  method: 'GET',
  target: '/'.repeat(1000),
  apiKey: undefined,
  status: 200,
  faults: [],
  now: 0,
  receivedAt: 0,
})

/** A response whose reader has read everything, or nothing. */
function createReader(isReading: boolean) {
  const reader = Object.assign(new EventEmitter(), {
    req: { method: 'GET' },
    text: '',
    writableLength: 0,
    isDestroyed: false,
    isEnded: false,
    writeHead() {},
    write(text: string) {
      reader.text += text
      if (!isReading) reader.writableLength += text.length
    },
    destroy() {
      reader.isDestroyed = true
      reader.emit('close')
    },
    end() {
      reader.isEnded = true
    },
  })
  return reader
}
const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

it('default: what happens from now on; with an id, what came after it as well', () => {
  const journal = createJournal()
  for (const n of [1, 2, 3]) journal.add(entry(n))
  const [fresh, resumed] = [createReader(true), createReader(true)]
  streamJournal(fresh as unknown as ServerResponse, journal, undefined)
  streamJournal(resumed as unknown as ServerResponse, journal, 1)
  journal.add(entry(4))
  expect([idsIn(fresh.text), idsIn(resumed.text)]).toEqual([[4], [2, 3, 4]])
  journal.close()
  expect([fresh.isEnded, resumed.isEnded]).toEqual([true, true])
})

it('behavior: a reader that reads nothing is cut off, before it fills the memory', () => {
  const journal = createJournal()
  const reader = createReader(false)
  streamJournal(reader as unknown as ServerResponse, journal, undefined)
  for (let n = 1; n <= 500; n++) journal.add(entry(n))
  expect(reader.isDestroyed).toBe(true)
  expect(reader.text.length).toBeLessThan(400_000)
})
