// Observes a connection under wire faults, byte by byte and event by event.
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { MockOptions } from '../../src/index.js'
import { LATEST } from './calls.js'
import { AT, httpHost } from './hosts.js'
import { CERT, TLS } from './tls.js'

export { LATEST }

export const HEAD_END = '\r\n\r\n'

/** The protocols that carry HTTP to a server. Every wire fault looks the same over both. */
export const TRANSPORTS = ['TCP', 'TLS'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** The address of a server. */
export type Address = { readonly port: number; readonly transport: Transport }

/** A server with faults, stopped after the test. */
export function serveFaults(transport: Transport) {
  trustAnyCertificate(transport === 'TLS')
  return async (faults: readonly object[], options: MockOptions = {}) => {
    const host = await httpHost({
      clock: { at: AT, frozen: true },
      scenario: { faults: [...faults] } as never,
      ...(transport === 'TLS' ? { tls: TLS } : {}),
      ...options,
    })
    onTestFinished(host.stop)
    const address: Address = { port: Number(new URL(host.server.url).port), transport }
    return { ...host, url: host.server.url, address }
  }
}

/** Lets `fetch` accept the certificate of the test: only its environment can. */
export function trustAnyCertificate(isNeeded: boolean): void {
  if (!isNeeded) return
  const name = 'NODE_TLS_REJECT_UNAUTHORIZED'
  const before = process.env[name]
  beforeAll(() => (process.env[name] = '0'))
  afterAll(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
}

/** A request that leaves its connection open. */
export const requestOf = (target = LATEST, method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: test-api-key\r\n\r\n`

/** A connection and its events. */
export interface Connection {
  readonly socket: Socket
  /** Received chunks so far. */
  readonly chunks: readonly string[]
  /** Resolves once enough was received; rejects when the connection ends before. */
  until(isEnough: (received: string) => boolean): Promise<string>
  /** How it ended: "end", or the code of an error. */
  readonly ended: Promise<string>
}

/** Sends characters over a connection of its own and leaves it open. */
export function open({ port, transport }: Address, sent: string): Connection {
  const at = { port, host: '127.0.0.1' }
  // In TLS 1.3 the server sends tickets after the handshake: a slow client that reads them together with a reset reports a plain end.
  const secure = { ...at, ca: CERT, maxVersion: 'TLSv1.2' } as const
  const socket = transport === 'TLS' ? connectSecurely(secure) : connect(at)
  socket.setEncoding('latin1')
  const chunks: string[] = []
  const ended = new Promise<string>(resolve => {
    socket.on('end', () => resolve('end'))
    socket.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    socket.on('close', () => resolve('close'))
  })
  const until = async (isEnough: (received: string) => boolean): Promise<string> => {
    let how: string | undefined
    while (!isEnough(chunks.join(''))) {
      if (how !== undefined) throw new Error(`It ended (${how}) after ${JSON.stringify(chunks.join(''))}`)
      how = await Promise.race([
        ended,
        new Promise<undefined>(resolve => socket.once('data', () => resolve(undefined))),
      ])
    }
    return chunks.join('')
  }
  socket.on('data', chunk => chunks.push(String(chunk)))
  socket.write(sent)
  return { socket, chunks, until, ended }
}

/** Sends characters and waits for the end; returns the received text and the kind of end. */
export async function exchange(address: Address, sent: string): Promise<{ received: string; how: string }> {
  const { chunks, ended, socket } = open(address, sent)
  const how = await ended
  socket.destroy()
  return { received: chunks.join(''), how }
}

/** The first reply of a received text: its Content-Length, its body, and the rest. */
export function firstOf(received: string): { length: number; body: string; rest: string } {
  const end = received.indexOf(HEAD_END)
  if (end < 0) throw new Error(`No head: ${JSON.stringify(received)}`)
  const at = end + HEAD_END.length
  const length = Number(/content-length: (\d+)/i.exec(received.slice(0, at))?.[1])
  return { length, body: received.slice(at, at + length), rest: received.slice(at + length) }
}
