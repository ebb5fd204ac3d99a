// Sends seeded hostile volleys to servers, and checks every answer.
import { expect } from 'vitest'
import { connectTo, expectMarked, LIMIT_MS, parseReplies } from '../support/raw.js'
import { createGenerator, type Volley } from './generator.js'

const UNPARSED = /REQUEST_(MALFORMED|TOO_LARGE|TIMEOUT)/
/** Connections at a time. */
const LANES = 24

/** The answers to hostile requests. */
export interface Tally {
  requests: number
  /** Answers by status, without connections that the client aborted. */
  readonly byStatus: Map<number, number>
  answers: number
  parsed: number
  hangUps: number
}

/** Sends a volley and resolves with the received bytes when the server has closed the connection. */
function fire(port: number, { sent, ending, splitAt, wellFormed }: Volley): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(port)
    const limit = setTimeout(() => {
      socket.destroy()
      reject(new Error(`No end within ${LIMIT_MS} ms of ${JSON.stringify(sent.slice(0, 2000))}, so far ${received}`))
    }, LIMIT_MS)
    let received = ''
    socket.on('data', chunk => {
      received += chunk
      if (ending === 'hang-up') socket.destroy()
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(limit)
      resolve(received)
    })
    socket.write(sent.slice(0, splitAt), 'latin1')
    setImmediate(() => {
      if (splitAt < sent.length) socket.write(sent.slice(splitAt), 'latin1')
      if (ending === 'half') socket.end()
      // Half of the hang-ups wait for the first bytes of an answer if there must be one.
      if (ending === 'hang-up' && (!wellFormed || sent.length % 2 === 0)) socket.resetAndDestroy()
    })
  })
}

function check({ sent, count, wellFormed }: Volley, received: string, tally: Tally): void {
  const shown = received.slice(0, 5000)
  const replies = parseReplies(received).filter(({ status }) => status !== 100)
  for (const reply of replies) {
    expectMarked(reply)
    tally.byStatus.set(reply.status, (tally.byStatus.get(reply.status) ?? 0) + 1)
    tally.answers++
    if (!UNPARSED.test(reply.headers['x-price-feed-mock']!)) tally.parsed++
  }
  // Only the answer to HEAD ends before its length.
  const bodiless = replies.filter(({ headers, body }) => Number(headers['content-length'] ?? 0) > 0 && body === '')
  if (!sent.includes('HEAD')) expect(bodiless, shown).toEqual([])
  if (wellFormed) expect(replies, shown).toHaveLength(count)
  else expect(replies.length, shown).toBeGreaterThanOrEqual(count)
}

/**
 * Sends hostile requests to the servers at some ports by turns.
 * @throws Error with the first volley whose answers are not as documented
 */
export async function bombard(seed: string, requests: number, ports: readonly number[]): Promise<Tally> {
  const next = createGenerator(seed)
  let volleys = 0
  const tally: Tally = { requests: 0, byStatus: new Map(), answers: 0, parsed: 0, hangUps: 0 }
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    while (tally.requests < requests && failures.length === 0) {
      const volley = next()
      tally.requests += volley.count
      try {
        const received = await fire(ports[volleys++ % ports.length]!, volley)
        if (volley.ending === 'hang-up') tally.hangUps++
        else check(volley, received, tally)
      } catch (error) {
        failures.push(new Error(`${volley.ending}: ${JSON.stringify(volley.sent.slice(0, 5000))}`, { cause: error }))
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  if (failures.length > 0) throw failures[0]
  return tally
}

/** The number of answers by status, as text. */
export const histogram = ({ byStatus }: Tally): string =>
  [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
