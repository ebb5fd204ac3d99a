// From an outcome to a Response of the Fetch standard, for every host without a socket: what cannot be sent breaks as fetch breaks.
import { bodyToSend, type Dribble, type Outcome, type Reply, type Truncate, toPairs, toPieces } from '../outcome.js'
import { wait } from './timers.js'

/** What was asked, as far as an answer depends on it. */
type Asked = Pick<Request, 'method' | 'signal'>

/**
 * Carries an outcome out. A reset rejects as `fetch` does, a timeout waits until the signal of the request aborts.
 * @throws TypeError for what `fetch` calls a network error, or the reason of the signal
 */
export async function toResponse(outcome: Outcome, asked: Asked): Promise<Response> {
  const { signal } = asked
  signal.throwIfAborted()
  if (outcome.delayMs > 0) await wait(outcome.delayMs, signal)
  if (outcome.kind === 'timeout') await waitOrForever(outcome.closeAfterMs, signal)
  if (outcome.kind === 'timeout' || outcome.kind === 'reset') throw networkError(outcome.kind)
  const { status, headers } = outcome
  const body = bodyToSend(asked.method, outcome)
  return new Response(body === null ? null : bodyOf(outcome, body, signal), { status, headers: toPairs(headers) })
}

/** What `fetch` rejects with where there is no answer. */
function networkError(kind: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(`the connection was closed: wire/${kind}`) })
}

function bodyOf(
  outcome: Reply | Truncate | Dribble,
  body: string,
  signal: AbortSignal,
): string | ReadableStream<Uint8Array> {
  if (outcome.kind === 'reply') return body
  const pieces = outcome.kind === 'dribble' ? toPieces(body, outcome.pieces) : [body.slice(0, outcome.sentLength)]
  const everyMs = outcome.kind === 'dribble' ? outcome.everyMs : 0
  let sent = 0
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      if (sent > 0 && sent < pieces.length) await wait(everyMs, signal)
      if (sent < pieces.length) controller.enqueue(Uint8Array.from(pieces[sent]!, one => one.charCodeAt(0)))
      else if (outcome.kind === 'dribble') controller.close()
      else
        controller.error(new TypeError('terminated', { cause: new Error('the connection was closed: wire/truncate') }))
      sent++
    },
  }
  // Nothing ahead of its reader: an error would throw away what nobody has read yet.
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** The longest that a timer waits. */
const MAX_MS = 2_147_483_647

function waitOrForever(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) return wait(ms, signal)
  return new Promise((_, reject) => {
    signal.throwIfAborted()
    // As a socket would, it keeps the process alive: the timer of a signal does not.
    const hold = setInterval(() => {}, MAX_MS)
    const giveUp = (): void => {
      clearInterval(hold)
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
