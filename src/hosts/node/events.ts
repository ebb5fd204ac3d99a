// The journal of a session as Server-Sent Events, https://html.spec.whatwg.org/multipage/server-sent-events.html: the one
// route that is not an outcome.
import type { ServerResponse } from 'node:http'
import { MOCK_HEADER, toDictionary } from '../../outcome.js'
import type { Journal, JournalEntry } from '../../service/journal.js'

/** Bytes that may wait for a slow reader before it is dropped: it comes back with Last-Event-ID. */
const MOST_WAITING = 256 * 1024

/**
 * Streams a journal until the reader leaves.
 * @param after the id of the last event that the reader has seen; without one, only what comes from now on is sent
 */
export function streamJournal(response: ServerResponse, journal: Journal, after: number | undefined): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    [MOCK_HEADER]: toDictionary({ own: true }),
  })
  const send = (entry: JournalEntry, id: number): void => {
    response.write(`id: ${id}\nevent: request\ndata: ${JSON.stringify(entry)}\n\n`)
    if (response.writableLength > MOST_WAITING) response.destroy()
  }
  // The first bytes tell the reader that it is connected.
  response.write(': the journal, one event a request\n\n')
  if (after !== undefined) {
    const kept = journal.entries()
    for (const [i, entry] of kept.entries()) {
      const id = journal.added - kept.length + 1 + i
      if (id > after) send(entry, id)
    }
  }
  const leave = journal.subscribe(send)
  response.on('close', leave)
}
