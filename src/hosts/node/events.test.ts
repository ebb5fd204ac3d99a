// The journal as Server-Sent Events: a new reader, a reader that resumes, and a slow one.
import { EventEmitter, once } from 'node:events'
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
    socket: new EventEmitter(),
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
    end(text = '') {
      reader.text += text
      reader.isEnded = true
    },
    /** Reads everything that was written. */
    drain() {
      reader.writableLength = 0
      reader.emit('drain')
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

it('behavior: a reader that lags is sent what it missed', () => {
  const journal = createJournal()
  for (let n = 1; n <= 300; n++) journal.add(entry(n))
  const reader = createReader(false)
  streamJournal(reader as unknown as ServerResponse, journal, 0)
  expect(reader.text.length).toBeLessThan(70_000)
  for (let n = 301; n <= 400; n++) journal.add(entry(n))
  for (let i = 0; i < 10; i++) reader.drain()
  expect(idsIn(reader.text)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  journal.close()
  reader.destroy()
})

it('behavior: a reader that reads nothing is dropped with a last event before it fills the memory', async () => {
  const journal = createJournal()
  const reader = createReader(false)
  streamJournal(reader as unknown as ServerResponse, journal, undefined, { closingMs: 1 })
  for (let n = 1; n <= 5000; n++) journal.add(entry(n))
  expect(reader.isEnded).toBe(true)
  expect(reader.text.length).toBeLessThan(70_000)
  const last = idsIn(reader.text).at(-1)
  expect(reader.text).toMatch(
    new RegExp(`event: dropped\ndata: {"reason":"The reader is too slow.","lastEventId":${last}}\n\n$`),
  )
  await once(reader, 'close')
  expect(reader.isDestroyed).toBe(true)
})

it('behavior: heartbeats; a reader that takes nothing between two of them is dropped', async () => {
  const journal = createJournal()
  const [reading, stuck] = [createReader(true), createReader(false)]
  const limits = { heartbeatMs: 5, closingMs: 5 }
  streamJournal(reading as unknown as ServerResponse, journal, undefined, limits)
  streamJournal(stuck as unknown as ServerResponse, journal, undefined, limits)
  for (let n = 1; n <= 100; n++) journal.add(entry(n))
  await once(stuck, 'close')
  expect(stuck.text).toContain('event: dropped\ndata: {"reason":"The reader takes no data."')
  expect(reading.text).toContain(': heartbeat\n\n')
  expect([reading.isEnded, idsIn(reading.text).length]).toEqual([false, 100])
  // The end of the reader's side.
  reading.socket.emit('end')
  expect(reading.isDestroyed).toBe(true)
})
