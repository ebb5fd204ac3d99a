// Streams the journal of a session as Server-Sent Events, https://html.spec.whatwg.org/multipage/server-sent-events.html.
import type { ServerResponse } from 'node:http'
import { MOCK_HEADER, toDictionary } from '../../outcome.js'
import type { Journal, Numbered } from '../../service/journal.js'

/** Unsent bytes, besides the backlog, at which a slow reader is disconnected. It can reconnect with Last-Event-ID. */
const MAX_UNSENT = 256 * 1024

/**
 * Streams a journal until the reader disconnects or the session is deleted.
 * @param after the id of the last event that the reader has seen; without it only new entries are sent
 */
export function streamJournal(response: ServerResponse, journal: Journal, after: number | undefined): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    [MOCK_HEADER]: toDictionary({ own: true }),
  })
  if (response.req.method === 'HEAD') return void response.end()

  const backlog = after === undefined ? [] : journal.since(after)
  // A comment first, so that the reader knows that it is connected.
  response.write(`: the journal, one event a request\n\n${backlog.map(toEvent).join('')}`)
  const maxUnsent = response.writableLength + MAX_UNSENT
  const unsubscribe = journal.subscribe({
    onEntry(numbered) {
      response.write(toEvent(numbered))
      if (response.writableLength > maxUnsent) response.destroy()
    },
    onClose: () => response.end(),
  })
  response.on('close', unsubscribe)
}

function toEvent({ id, entry }: Numbered): string {
  return `id: ${id}\nevent: request\ndata: ${JSON.stringify(entry)}\n\n`
}
