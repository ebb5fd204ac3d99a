// Reads the journal as Server-Sent Events over fetch: an EventSource cannot send the token.
import { adminHeaders, type Explanation, type JournalEntry, ROOT, routeOf } from '../api'

/** A request in the journal. `reply` is there only for requests that came while the page was open. */
export interface LiveEntry extends JournalEntry {
  readonly id: number
  readonly reply?: Pick<Explanation['outcome'], 'kind' | 'delayMs' | 'headers' | 'body'> & {
    readonly bodyLength?: number
  }
}

const RETRY_MS = 2000

/** Receives the journal. */
interface Reader {
  /** The journal begins anew, after a connection or because it was cleared: all of its entries follow. */
  onCut(isCleared: boolean): void
  onEntries(entries: readonly LiveEntry[]): void
  onState(isConnected: boolean): void
}

/**
 * Follows the journal of a session and connects again when the stream ends.
 * @returns a function that ends it
 */
export function followJournal(id: string, { onCut, onEntries, onState }: Reader): () => void {
  const controller = new AbortController()
  const { signal } = controller
  let waiting: LiveEntry[] = []
  let frame = 0
  /** Whether a cut that waits was a clearing; undefined without one. */
  let isCleared: boolean | undefined
  // Entries of one frame are passed on together, however many there are, and with a cut before them: an open request stays in sight.
  const flush = (): void => {
    frame = 0
    // The next journal may be that of another session.
    if (signal.aborted) return
    const entries = waiting
    if (isCleared !== undefined) onCut(isCleared)
    waiting = []
    isCleared = undefined
    onEntries(entries)
  }
  const schedule = (): void => {
    // Frames stop in a hidden tab.
    if (frame === 0) frame = document.hidden ? window.setTimeout(flush, 1000) : requestAnimationFrame(flush)
  }
  const cut = (byClearing: boolean): void => {
    waiting = []
    isCleared = isCleared === true || byClearing
    schedule()
  }
  const read = async (): Promise<void> => {
    const response = await fetch(`${ROOT}${routeOf(id)}/events?replies=1`, {
      signal,
      credentials: 'omit',
      cache: 'no-store',
      // All of it: another server may answer, whose ids are others.
      headers: { accept: 'text/event-stream', 'last-event-id': '0', ...adminHeaders() },
    })
    if (!response.ok || response.body === null) return
    onState(true)
    let isFirst = true
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      if (isFirst) cut(false)
      isFirst = false
      text += value
      const events = text.split('\n\n')
      text = events.pop()!
      for (const event of events) {
        const { type, entry } = parseEvent(event)
        if (type === 'cleared') cut(true)
        if (entry === undefined) continue
        waiting.push(entry)
        schedule()
      }
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await read().catch(() => {})
      if (signal.aborted) return
      onState(false)
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }
  void run()
  return () => controller.abort()
}

function parseEvent(text: string): { readonly type: string | undefined; readonly entry?: LiveEntry } {
  const fields = new Map(
    text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const type = fields.get('event')
  if (type !== 'request') return { type }
  return { type, entry: { ...JSON.parse(fields.get('data')!), id: Number(fields.get('id')) } }
}
