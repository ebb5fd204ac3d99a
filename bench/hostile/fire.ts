// Sends volleys over sockets of their own, and counts the answers.
import { connect, type Socket } from 'node:net'
import type { Volley } from './volleys.js'

/** Times of the clients. */
export interface Patience {
  /** A connection whose client has sent everything, and gets nothing for so long, counts as silent. */
  readonly silenceMs: number
  /**
   * A client that resets the connection on the first bytes does so without them after this time. It does not end its side, so an
   * unfinished request rightly waits for the timeout of the server, and a request to a silent session for ever.
   */
  readonly abortMs: number
}

const PATIENCE: Patience = { silenceMs: 10_000, abortMs: 2_000 }
/** Pause between the bytes of a slow body. */
const DRIP_MS = 150
/** Held connections: beyond that the oldest is reset. */
const MAX_HELD = 150

/** Answers to the volleys of a kind. */
export interface Answers {
  requests: number
  /** By status, without those of faults that the client asked for. */
  readonly byStatus: Map<number, number>
  /** Answers with a fault of a scenario. */
  planned: number
  /** Connections that neither answered nor closed in time. */
  silent: number
  /** The longest time from the first byte to the end of a connection that was read, in milliseconds. */
  slowestMs: number
}

/** Creates counts of zero. */
export const createAnswers = (): Answers => ({ requests: 0, byStatus: new Map(), planned: 0, silent: 0, slowestMs: 0 })

/** Fires volleys at a port. */
export interface Gun {
  /** Resolves with the received characters once the connection is closed, or at once if it is held. */
  fire(volley: Volley, answers: Answers): Promise<string>
  /** Resets all connections that are still held. */
  release(): void
}

/**
 * Creates a gun.
 * @param onUnplanned called for each status above 499 that no fault of a scenario has caused
 */
export function createGun(
  port: number,
  onUnplanned: (shown: string) => void,
  { silenceMs, abortMs }: Patience = PATIENCE,
): Gun {
  const held = new Map<Socket, () => void>()
  const hold = (socket: Socket, { holdMs = 0, drip = '' }: Volley): void => {
    let at = 0
    const dripping = setInterval(() => {
      if (at < drip.length && socket.writable) socket.write(drip[at++]!, 'latin1')
    }, DRIP_MS)
    const release = (): void => void socket.resetAndDestroy()
    const releasing = setTimeout(release, holdMs)
    held.set(socket, release)
    socket.on('close', () => {
      clearInterval(dripping)
      clearTimeout(releasing)
      held.delete(socket)
    })
    if (held.size > MAX_HELD) held.values().next().value!()
  }

  return {
    fire(volley, answers) {
      answers.requests += volley.requests
      return new Promise(resolve => {
        const started = performance.now()
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        const received: Buffer[] = []
        let size = 0
        // The server may reset a connection, or be gone: only the received bytes count.
        socket.on('error', () => {})
        socket.write(volley.sent, 'latin1')
        if (volley.ending === 'hold') {
          socket.pause()
          hold(socket, volley)
          return resolve('')
        }
        const isAbort = volley.ending === 'abort'
        const silence = setTimeout(
          () => {
            if (!isAbort) answers.silent++
            socket.resetAndDestroy()
          },
          isAbort ? abortMs : silenceMs,
        )
        if (isAbort && volley.sent.length % 2 === 0) socket.on('connect', () => void socket.resetAndDestroy())
        // Broken requests may leave the server waiting: it learns of the end as from any client that leaves.
        if (volley.ending === 'read') socket.end()
        socket.on('data', (chunk: Buffer) => {
          silence.refresh()
          received.push(chunk)
          size += chunk.length
          if (isAbort) socket.resetAndDestroy()
        })
        socket.on('close', () => {
          clearTimeout(silence)
          const text = Buffer.concat(received, size).toString('latin1')
          if (volley.ending === 'read') answers.slowestMs = Math.max(answers.slowestMs, performance.now() - started)
          count(text, answers, shown => onUnplanned(`${shown}\nto the ${volley.kind} ${volley.sent.slice(0, 300)}`))
          resolve(text)
        })
      })
    },
    release() {
      for (const release of [...held.values()]) release()
    },
  }
}

const HEAD = /HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)/g

function count(text: string, answers: Answers, onUnplanned: (shown: string) => void): void {
  for (const { 1: digits, 2: headers, index } of text.matchAll(HEAD)) {
    const status = Number(digits)
    const mark = /^x-price-feed-mock: (.*)$/im.exec(headers!)?.[1] ?? ''
    if (mark.includes('faults=(')) {
      answers.planned++
      continue
    }
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1)
    // The mock refuses with a code of its own where it is full; 500 is never meant.
    if (status > 499 && !(status === 503 && mark.startsWith('own, code=')))
      onUnplanned(text.slice(index, index + 1_000))
  }
}
