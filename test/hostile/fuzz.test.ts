// Seeded hostile requests over raw sockets: the server answers all as documented and keeps running.
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/hosts/node/server.js'
import { AT } from '../support/hosts.js'
import {
  connectTo,
  expectMarked,
  LIMIT_MS,
  parseReplies,
  requestTo,
  talk,
  uncaughtDuring,
  untilNoSockets,
} from '../support/raw.js'
import { PROPERTY_SEED } from '../support/seed.js'
import { createGenerator, type Volley } from './generator.js'

/** The declared statuses of the service, and those of the mock itself: 302, 403, 415 and 431. */
const STATUSES = [200, 204, 302, 400, 401, 403, 404, 405, 415, 431]
const UNPARSED = /REQUEST_(MALFORMED|TOO_LARGE|TIMEOUT)/
/** The full run sends ten times as many. */
const REQUESTS = inject('isFull') ? 20_000 : 2000
/** Connections at a time. */
const LANES = 24

interface Tally {
  requests: number
  /** Answers by status, without connections that the client aborted. */
  readonly byStatus: Map<number, number>
  answers: number
  parsed: number
  hangUps: number
}

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, clock: { at: AT, frozen: true } })
})
afterAll(() => server.stop())

/** Sends a volley and resolves with the received bytes when the server has closed the connection. */
function fire({ url }: RunningServer, { sent, ending, splitAt, wellFormed }: Volley): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(Number(new URL(url).port))
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

async function bombard(seed: string, requests: number, target = server): Promise<Tally> {
  const next = createGenerator(seed)
  const tally: Tally = { requests: 0, byStatus: new Map(), answers: 0, parsed: 0, hangUps: 0 }
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    while (tally.requests < requests && failures.length === 0) {
      const volley = next()
      tally.requests += volley.count
      try {
        const received = await fire(target, volley)
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

const histogram = ({ byStatus }: Tally): string =>
  [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')

it(`default: ${REQUESTS} hostile requests get documented answers and leave no socket behind`, async () => {
  let tally: Tally | undefined
  const uncaught = await uncaughtDuring(async () => {
    tally = await bombard(`fuzz ${PROPERTY_SEED}`, REQUESTS)
    expect(await untilNoSockets()).toBe(true)
  })
  expect(uncaught).toEqual([])
  const { requests, answers, parsed, hangUps, byStatus } = tally!
  console.log(
    `seed ${PROPERTY_SEED}: ${requests} requests, ${answers} answers, ${parsed} past the parser, ${hangUps} hang-ups`,
  )
  console.log(histogram(tally!))
  expect(parsed).toBeGreaterThan(requests / 2)
  expect([...byStatus.keys()].sort()).toEqual(STATUSES)
  const [reply] = parseReplies(await talk(Number(new URL(server.url).port), requestTo('/prices/BTCUSD/latest')))
  expect(reply!.status).toBe(200)
})

it('behavior: the same seed gives the same answers', async () => {
  const seed = `again ${PROPERTY_SEED}`
  const first = histogram(await bombard(seed, REQUESTS / 10))
  expect(histogram(await bombard(seed, REQUESTS / 10))).toBe(first)
})

it('behavior: a stopped server leaves no socket behind', async () => {
  const stopped = await startServer({ port: 0, clock: { at: AT, frozen: true } })
  await bombard(`stopped ${PROPERTY_SEED}`, REQUESTS / 10, stopped)
  await stopped.stop()
  expect(await untilNoSockets()).toBe(true)
})
