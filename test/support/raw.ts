// Raw bytes to a server and its replies, for requests that no HTTP client sends.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/hosts/node/server.js'
import { AT, type HostReply } from './hosts.js'

export { LATEST } from './calls.js'

/** An exchange that takes longer hangs. */
export const LIMIT_MS = 10_000

export interface TalkOptions {
  /** 127.0.0.1 when left out. */
  readonly address?: string
  /** Half-closes the connection after the last byte. */
  readonly half?: boolean
}

/** Sends characters, one byte each, and resolves with all received ones when the server has closed the connection. */
export function talk(port: number, sent: string, { address = '127.0.0.1', half }: TalkOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(port, address)
    const limit = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The connection was still open after ${LIMIT_MS} ms; so far:\n${received}`))
    }, LIMIT_MS)
    let received = ''
    socket.on('data', chunk => (received += chunk))
    socket.on('end', () => socket.end())
    // A rejected request may still be on its way out: only the received bytes count.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(limit)
      resolve(received)
    })
    socket.write(sent, 'latin1')
    if (half) socket.end()
  })
}

/** A socket that stays open until the client ends it. */
export function connectTo(port: number, address = '127.0.0.1'): Socket {
  return connect({ port, host: address, allowHalfOpen: true }).setEncoding('latin1')
}

/**
 * Parses received bytes into replies.
 * @throws Error for anything but complete replies of the announced length
 */
export function parseReplies(text: string): HostReply[] {
  const replies: HostReply[] = []
  let at = 0
  while (at < text.length) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end < 0 || !text.startsWith('HTTP/1.1 ', at)) throw new Error(`No reply: ${JSON.stringify(text.slice(at))}`)
    const [first, ...lines] = text.slice(at, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    at = end + 4
    const length = Number(headers['content-length'] ?? 0)
    // The reply to HEAD announces a body that it does not have.
    const isHead = at === text.length || text.startsWith('HTTP/1.1 ', at)
    const body = isHead ? '' : text.slice(at, at + length)
    if (!isHead && body.length < length) throw new Error(`A body of ${length} ends after ${body.length}.`)
    at += body.length
    replies.push({ status: Number(first!.slice(9, 12)), headers, body })
  }
  return replies
}

/** Checks the properties of every reply to any request. `100 Continue` precedes a reply. */
export function expectMarked({ status, headers, body }: HostReply): void {
  if (status === 100) return
  const shown = `${status} ${JSON.stringify(headers)} ${body.slice(0, 200)}`
  expect(headers['x-price-feed-mock'], shown).toMatch(
    /^(session="default", now=\d+, n=[1-9]\d*|own(, code="[A-Z_]+")?)$/,
  )
  expect(headers['transfer-encoding'], shown).toBeUndefined()
  expect(headers['content-length'], shown).toEqual(status === 204 ? undefined : expect.stringMatching(/^\d+$/))
  expect(status, shown).toBeLessThan(500)
}

/** A well-formed request with the given parts changed. It closes the connection. */
export function requestTo(
  target: string,
  { method = 'GET', host = 'localhost', head = '', key = 'test-api-key' } = {},
) {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${key}\r\n${head}Connection: close\r\n\r\n`
}

/** The same, but it leaves the connection open. */
export const keepAlive = (target: string): string => requestTo(target).replace('Connection: close\r\n', '')

/** A server for the tests of a file. After each test it must still answer. */
export function serveHostiles(options: ServerOptions = {}) {
  let server: RunningServer
  const port = () => Number(new URL(server.url).port)
  const ask = async (sent: string, talkOptions?: TalkOptions): Promise<HostReply[]> => {
    const replies = parseReplies(await talk(port(), sent, talkOptions))
    for (const reply of replies) expectMarked(reply)
    return replies
  }

  beforeAll(async () => (server = await startServer({ port: 0, clock: { at: AT, frozen: true }, ...options })))
  afterEach(async () => expect((await ask(requestTo('/prices/BTCUSD/latest')))[0]!.status).toBe(200))
  afterAll(() => server.stop())
  return {
    port,
    /** Sends characters and parses the replies; each must be marked. */
    ask,
    /** `ask` for exactly one reply. */
    async askOne(sent: string, talkOptions?: TalkOptions): Promise<HostReply> {
      const replies = await ask(sent, talkOptions)
      expect(replies).toHaveLength(1)
      return replies[0]!
    },
  }
}

/** Waits until no connection is left in this process, on either side; false when some stay. */
export const untilNoSockets = (): Promise<boolean> => untilGone(name => name === 'TCPSocketWrap')

/** Waits until neither a connection nor a server is left in this process; false when some stay. */
export const untilNoTcp = (): Promise<boolean> => untilGone(name => name.startsWith('TCP'))

/** A closed handle disappears after some turns of the event loop, so this counts turns and not time. */
async function untilGone(isMeant: (name: string) => boolean): Promise<boolean> {
  const since = performance.now()
  while (process.getActiveResourcesInfo().some(isMeant)) {
    if (performance.now() - since > LIMIT_MS) return false
    await new Promise(resolve => setImmediate(resolve))
  }
  return true
}

/** Runs a function and returns the errors that would have ended the process meanwhile. */
export async function uncaughtDuring(run: () => Promise<void>): Promise<Error[]> {
  const uncaught: Error[] = []
  process.setUncaughtExceptionCaptureCallback(error => uncaught.push(error))
  try {
    await run()
  } finally {
    process.setUncaughtExceptionCaptureCallback(null)
  }
  return uncaught
}

/** All that a socket receives until it has closed. */
export async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', chunk => (text += chunk))
  await closeOf(socket)
  return text
}

/** Waits until a socket has closed, also by an error: the other side may reset it. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise(resolve => void socket.once('close', () => resolve()))
