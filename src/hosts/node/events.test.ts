// The journal as Server-Sent Events: a new reader, a reader that resumes, and a slow one.
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it, vi } from 'vitest'
import { entryOf } from '../../../test/support/calls.js'
import { createJournal } from '../../service/journal.js'
import { createStreams, MAX_STREAMS, streamJournal } from './events.js'

const entry = (n: number) => entryOf(n, { target: '/'.repeat(1000) })

/** A response whose reader has read everything, or nothing. */
function createReader(isReading: boolean) {
  const reader = Object.assign(new EventEmitter(), {
    req: { method: 'GET', socket: { destroyed: false } },
    destroyed: false,
    writableFinished: false,
    socket: new EventEmitter(),
    text: '',
    writableLength: 0,
    isEnded: false,
    writeHead() {},
    write(text: string) {
      reader.text += text
      if (!isReading) reader.writableLength += text.length
    },
    destroy() {
      reader.destroyed = true
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

it('behavior: a reader is told that entries are gone, and gets those that stay', () => {
  const linesOf = (text: string): string[] =>
    [...text.matchAll(/^(?:id: (\d+)|event: (cleared))$/gm)].map(m => m[1] ?? m[2]!)
  const journal = createJournal()
  for (const n of [1, 2, 3]) journal.add(entry(n))
  const [reader, fresh, slow] = [createReader(true), createReader(true), createReader(false)]
  streamJournal(reader as unknown as ServerResponse, journal, 0)
  streamJournal(fresh as unknown as ServerResponse, journal, undefined)
  journal.rewind(2)
  expect(linesOf(reader.text)).toEqual(['1', '2', '3', 'cleared', '1', '2'])
  expect(linesOf(fresh.text)).toEqual(['cleared', '1', '2'])
  journal.clear()
  journal.add(entry(1))
  expect(linesOf(reader.text).slice(6)).toEqual(['cleared', '4'])
  for (let n = 2; n <= 100; n++) journal.add(entry(n))
  streamJournal(slow as unknown as ServerResponse, journal, 0)
  journal.clear()
  journal.add(entry(1))
  // It reads what was sent before, then learns that all is gone.
  expect(linesOf(slow.text)).not.toContain('cleared')
  slow.drain()
  expect(linesOf(slow.text).slice(-2)).toEqual(['cleared', '104'])
  journal.close()
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
  // However often it lags: each time counts alone.
  for (let n = 401; n <= 2000; n++) {
    journal.add(entry(n))
    if (n % 400 === 0) for (let i = 0; i < 10; i++) reader.drain()
  }
  expect([idsIn(reader.text).at(-1), reader.isEnded]).toEqual([2000, false])
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
  expect(reader.destroyed).toBe(true)
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
  expect(reading.destroyed).toBe(true)
})

it('behavior: a reader that leaves is no subscriber, and leaves no timer and no listener', () => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const unsubscribe = vi.fn()
  const journal = { ...createJournal(), subscribe: () => unsubscribe }
  const reader = createReader(true)
  streamJournal(reader as unknown as ServerResponse, journal, undefined)
  expect([timers() - before, reader.socket.listenerCount('end')]).toEqual([1, 1])
  reader.destroy()
  expect([timers() - before, reader.socket.listenerCount('end')]).toEqual([0, 0])
  expect(unsubscribe).toHaveBeenCalledOnce()
})

it('error: STREAMS_FULL beyond the limit of a session and that of all, until one of them ends', () => {
  const openStream = createStreams()
  const opened: ReturnType<typeof createReader>[] = []
  const open = (journal: ReturnType<typeof createJournal>) => {
    const reader = createReader(true)
    openStream(reader as unknown as ServerResponse, journal, undefined)
    opened.push(reader)
  }
  const { ofSession, inAll } = MAX_STREAMS
  const journals = Array.from({ length: inAll / ofSession }, () => createJournal())
  const full = expect.objectContaining({ code: 'STREAMS_FULL' })
  for (const journal of journals) {
    for (let i = 0; i < ofSession; i++) open(journal)
    expect(() => open(journal)).toThrow(full)
  }
  expect(opened).toHaveLength(inAll)
  expect(() => open(createJournal())).toThrow(full)
  // Written, destroyed, or behind another response of a connection that has closed.
  opened[0]!.writableFinished = true
  opened[1]!.destroyed = true
  opened[2]!.req.socket.destroyed = true
  for (let i = 0; i < 3; i++) open(journals[0]!)
  expect(() => open(journals[0]!)).toThrow(full)
  for (const journal of journals) journal.close()
})

it('behavior: a reader whose connection closes before its turn is forgotten', async () => {
  const journal = createJournal()
  const [gone, reading] = [createReader(true), createReader(true)]
  streamJournal(gone as unknown as ServerResponse, journal, undefined, { heartbeatMs: 1 })
  streamJournal(reading as unknown as ServerResponse, journal, undefined, { heartbeatMs: 1 })
  gone.req.socket.destroyed = true
  const before = gone.text
  await vi.waitFor(() => expect(reading.text).toContain(': heartbeat'))
  journal.add(entry(1))
  expect([gone.text, idsIn(reading.text)]).toEqual([before, [1]])
  reading.destroy()
})

it('behavior: with replies, new events contain them', () => {
  const journal = createJournal()
  const [plain, full] = [createReader(true), createReader(true)]
  streamJournal(plain as unknown as ServerResponse, journal, undefined)
  streamJournal(full as unknown as ServerResponse, journal, undefined, { withReplies: true })
  const headers = ['content-type', 'text/plain']
  journal.add(entry(1), 1, { kind: 'reply', status: 200, headers, body: 'x'.repeat(100_001), delayMs: 2 })
  journal.add(entry(2), 1, { kind: 'reset', delayMs: 0 })
  // An entry that was added before the reader came has no reply.
  journal.add(entry(3))
  const replies = [...full.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!).reply)
  expect(replies).toEqual([
    {
      kind: 'reply',
      delayMs: 2,
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(100_000),
      bodyLength: 100_001,
    },
    { kind: 'reset', delayMs: 0 },
    undefined,
  ])
  expect(plain.text).not.toContain('"reply"')
  journal.close()
})
