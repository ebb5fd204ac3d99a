// Streams the journal of a session as Server-Sent Events, https://html.spec.whatwg.org/multipage/server-sent-events.html.
import type { ServerResponse } from 'node:http'
import { PriceFeedMockError } from '../../errors.js'
import { MOCK_HEADER, type Outcome, toDictionary, toPairs } from '../../outcome.js'
import type { Journal, Numbered } from '../../service/journal.js'
import { after } from '../real-time.js'
import { markEndless, onClientEnd } from './write.js'

/** The part of a journal that is streamed. */
export type StreamedJournal = Pick<Journal, 'since' | 'subscribe'>

/** Entries that the reader has seen are gone; those that stay follow. */
const CLEARED = 'event: cleared\ndata: {}\n\n'

/** Longer bodies are truncated in an event. */
const MAX_BODY_CHARACTERS = 100_000

const LIMITS = {
  /** Whether new events contain the replies. Those of a resumed stream cannot: the journal does not keep replies. */
  withReplies: false,
  /** Unsent bytes at which a stream waits for its reader. */
  queuedBytes: 64 * 1024,
  /** Bytes of events that a reader may lag behind. */
  behindBytes: 1024 * 1024,
  /** Time between heartbeats. A reader that takes nothing for that long is disconnected. */
  heartbeatMs: 15_000,
  /** Time for the last event to be sent. */
  closingMs: 5_000,
}

/** Maximum numbers of open streams. Each of them is written for every request of its session. */
export const MAX_STREAMS = { ofSession: 100, inAll: 500 } as const

/** Creates the streams of one server: `streamJournal`, which throws PriceFeedMockError STREAMS_FULL beyond their maximum. */
export function createStreams(): typeof streamJournal {
  const all = new Map<ServerResponse, StreamedJournal>()
  return (response, journal, last, limits) => {
    // Removed here instead of by an event: a response that waits for its socket gets none when the connection closes.
    for (const one of all.keys()) if (hasClosed(one)) all.delete(one)
    const ofSession = [...all.values()].filter(one => one === journal).length
    if (all.size >= MAX_STREAMS.inAll || ofSession >= MAX_STREAMS.ofSession)
      throw new PriceFeedMockError('STREAMS_FULL', 'Too many streams of events are open.', {
        want: `at most ${MAX_STREAMS.ofSession} of a session, and ${MAX_STREAMS.inAll} in all`,
        fix: 'close some of them, or poll GET /_mock/sessions/{id}/requests',
      })
    all.set(response, journal)
    streamJournal(response, journal, last, limits)
  }
}

const hasClosed = ({ destroyed, writableFinished, req }: ServerResponse): boolean =>
  destroyed || writableFinished || req.socket.destroyed

/**
 * Streams a journal until the reader disconnects, falls behind, or the session is deleted.
 * @param last the id of the last event that the reader has seen; without it only new entries are sent
 */
export function streamJournal(
  response: ServerResponse,
  journal: StreamedJournal,
  last: number | undefined,
  limits: Partial<typeof LIMITS> = {},
): void {
  if (!begin(response)) return
  const { withReplies, queuedBytes, behindBytes, heartbeatMs, closingMs } = { ...LIMITS, ...limits }
  /** The id of the last event written. Undefined until there is one. */
  let sent = last
  /** Bytes of the events that wait for the reader, besides those of a resumed stream. */
  let behind = 0
  /** Whether so much is unsent that the reader has to catch up first. */
  let isBlocked = false
  /** Whether it has been so since the last heartbeat. */
  let wasBlocked = false
  /** Whether the reader has seen entries that are gone, also before it came back. */
  let isCut = last !== undefined && last > 0 && journal.since(last - 1)[0]?.id !== last
  let hasEnded = false
  const stops: (() => void)[] = []
  const leave = (): void => {
    hasEnded = true
    for (const stop of stops) stop()
  }
  const end = (text?: string): void => {
    if (hasEnded) return
    leave()
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
    response.write(toEvent(numbered, withReplies))
    isBlocked = response.writableLength > queuedBytes
  }
  const resume = (): void => {
    isBlocked = wasBlocked = false
    behind = 0
    if (isCut) {
      isCut = false
      sent = 0
      response.write(CLEARED)
    }
    if (sent === undefined) return
    for (const numbered of journal.since(sent)) {
      if (isBlocked) return
      write(numbered)
    }
  }
  const beat = (): void => {
    // A response that waits for its socket gets no event when the connection closes.
    if (hasClosed(response)) leave()
    if (isBlocked && wasBlocked) drop('The reader takes no data.')
    if (hasEnded) return
    wasBlocked = isBlocked
    if (!isBlocked) response.write(': heartbeat\n\n')
    stops[0] = after(heartbeatMs, beat)
  }

  stops.push(
    after(heartbeatMs, beat),
    journal.subscribe({
      onEntry(numbered) {
        if (!isBlocked) return write(numbered)
        sent ??= numbered.id - 1
        behind += toEvent(numbered, withReplies).length
        if (behind > behindBytes) drop('The reader is too slow.')
      },
      onCut() {
        isCut = true
        if (!isBlocked) resume()
      },
      onClose: () => end(),
    }),
  )
  response.on('drain', () => {
    if (isBlocked && !hasEnded) resume()
  })
  response.once('close', leave)
  // A reader of events has nothing more to send: its end means that it has left.
  onClientEnd(response, () => response.destroy())
  resume()
}

/** Begins a stream. Returns whether events follow: a HEAD request has none. */
function begin(response: ServerResponse): boolean {
  const isHead = response.req.method === 'HEAD'
  // The connection ends with its stream: a reader that was disconnected must not keep it open until the idle limit.
  if (!isHead) response.shouldKeepAlive = false
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    // The middleware `compression` of an app would hold back each event, and even the head.
    'cache-control': 'no-store, no-transform',
    [MOCK_HEADER]: toDictionary({ own: true }),
  })
  if (isHead) response.end()
  else {
    markEndless(response)
    // A comment first, so that the reader knows that it is connected.
    response.write(': the journal, one event a request\n\n')
  }
  return !isHead
}

function toEvent({ id, entry, outcome }: Numbered, withReplies: boolean): string {
  const data = withReplies && outcome !== undefined ? { ...entry, reply: toPlain(outcome) } : entry
  return `id: ${id}\nevent: request\ndata: ${JSON.stringify(data)}\n\n`
}

/** A reply as JSON; without status, headers and body where none was sent. */
function toPlain(outcome: Outcome): object {
  const { kind, delayMs } = outcome
  if (!('status' in outcome)) return { kind, delayMs }
  const { headers, body } = outcome
  const bodyLength = body.length > MAX_BODY_CHARACTERS ? { bodyLength: body.length } : {}
  return {
    kind,
    delayMs,
    headers: Object.fromEntries(toPairs(headers)),
    body: body.slice(0, MAX_BODY_CHARACTERS),
    ...bodyLength,
  }
}
