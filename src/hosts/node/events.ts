// The journal of a session as Server-Sent Events, https://html.spec.whatwg.org/multipage/server-sent-events.html: the one
// route that is not an outcome.
import type { ServerResponse } from 'node:http'
import { MOCK_HEADER, toDictionary } from '../../outcome.js'
import type { Journal, Numbered } from '../../service/journal.js'

/** Bytes that may wait for a slow reader, beside the backlog that it asked for: then it is dropped, and comes back with Last-Event-ID. */
const MAX_WAITING = 256 * 1024

/**
 * Streams a journal until the reader leaves or the session goes.
 * @param after the id of the last event that the reader has seen; without one, only what comes from now on is sent
 */
export function streamJournal(response: ServerResponse, journal: Journal, after: number | undefined): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    [MOCK_HEADER]: toDictionary({ own: true }),
  })
  if (response.req.method === 'HEAD') return void response.end()

  const backlog = after === undefined ? [] : journal.since(after)
  // The first bytes tell the reader that it is connected.
  response.write(`: the journal, one event a request\n\n${backlog.map(toEvent).join('')}`)
  const most = response.writableLength + MAX_WAITING
  const leave = journal.subscribe({
    onEntry(numbered) {
      response.write(toEvent(numbered))
      if (response.writableLength > most) response.destroy()
    },
    onClose: () => response.end(),
  })
  response.on('close', leave)
}

function toEvent({ id, entry }: Numbered): string {
  return `id: ${id}\nevent: request\ndata: ${JSON.stringify(entry)}\n\n`
}
