// Streams the journal of a session as Server-Sent Events, https://html.spec.whatwg.org/multipage/server-sent-events.html.
import type { ServerResponse } from 'node:http'
import { MOCK_HEADER, toDictionary } from '../../outcome.js'
import type { Journal, Numbered } from '../../service/journal.js'
import { after } from '../timers.js'
import { withSocket } from './write.js'

/** Limits of each stream. */
export interface StreamLimits {
  /** Unsent bytes at which a stream waits for its reader. */
  readonly queuedBytes: number
  /** Bytes of events that a reader may lag behind. */
  readonly behindBytes: number
  /** Time between heartbeats. A reader that takes nothing for that long is disconnected. */
  readonly heartbeatMs: number
  /** Time for the last event to be sent. */
  readonly closingMs: number
}

const LIMITS: StreamLimits = { queuedBytes: 64 * 1024, behindBytes: 1024 * 1024, heartbeatMs: 15_000, closingMs: 5_000 }

/**
 * Streams a journal until the reader disconnects, falls behind, or the session is deleted.
 * @param last the id of the last event that the reader has seen; without it only new entries are sent
 */
export function streamJournal(
  response: ServerResponse,
  journal: Journal,
  last: number | undefined,
  limits: Partial<StreamLimits> = {},
): void {
  const isHead = response.req.method === 'HEAD'
  // The connection ends with its stream: a reader that was disconnected must not keep it open until the idle limit.
  if (!isHead) response.shouldKeepAlive = false
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    [MOCK_HEADER]: toDictionary({ own: true }),
  })
  if (isHead) return void response.end()

  const { queuedBytes, behindBytes, heartbeatMs, closingMs } = { ...LIMITS, ...limits }
  /** The id of the last event written. Undefined until there is one. */
  let sent = last
  /** Bytes of the events that wait for the reader, besides those of a resumed stream. */
  let behind = 0
  let isBlocked = false
  let wasBlocked = false
  let hasEnded = false
  const stops: (() => void)[] = []
  const end = (text?: string): void => {
    if (hasEnded) return
    hasEnded = true
    for (const stop of stops) stop()
    response.end(text)
    response.once(
      'close',
      after(closingMs, () => response.destroy()),
    )
  }
  const drop = (reason: string): void =>
    end(`event: dropped\ndata: ${JSON.stringify({ reason, lastEventId: sent })}\n\n`)
  const write = (numbered: Numbered): void => {
    sent = numbered.id
    response.write(toEvent(numbered))
    isBlocked = response.writableLength > queuedBytes
  }
  const resume = (): void => {
    isBlocked = false
    wasBlocked = false
    behind = 0
    for (const numbered of sent === undefined ? [] : journal.since(sent)) {
      if (isBlocked) return
      write(numbered)
    }
  }
  const beat = (): void => {
    if (isBlocked && wasBlocked) drop('The reader takes no data.')
    if (hasEnded) return
    wasBlocked = isBlocked
    if (!isBlocked) response.write(': heartbeat\n\n')
    stops[0] = after(heartbeatMs, beat)
  }

  // A comment first, so that the reader knows that it is connected.
  response.write(': the journal, one event a request\n\n')
  stops.push(
    after(heartbeatMs, beat),
    journal.subscribe({
      onEntry(numbered) {
        if (!isBlocked) {
          write(numbered)
          return
        }
        sent ??= numbered.id - 1
        behind += toEvent(numbered).length
        if (behind > behindBytes) drop('The reader is too slow.')
      },
      onClose: () => end(),
    }),
  )
  response.on('drain', () => {
    if (isBlocked && !hasEnded) resume()
  })
  response.once('close', () => {
    hasEnded = true
    for (const stop of stops) stop()
  })
  // A reader of events has nothing more to send: its end means that it has left.
  withSocket(response, socket => {
    if (socket.readableEnded) response.destroy()
    else {
      const leave = (): void => void response.destroy()
      socket.once('end', leave)
      response.once('close', () => socket.off('end', leave))
    }
  })
  resume()
}

function toEvent({ id, entry }: Numbered): string {
  return `id: ${id}\nevent: request\ndata: ${JSON.stringify(entry)}\n\n`
}
