// Checks of the reply and wire scenarios, by effects that a consumer notices.
import type { Outcome } from '../../src/outcome.js'
import type { HostReply } from '../support/hosts.js'
import { type Consumer, EACH, promise, read, readSigned, SIGNED, target } from './consumer.js'

const CHART = EACH[4]
const isOutcome = <K extends Outcome['kind']>(outcome: Outcome, kind: K): outcome is Extract<Outcome, { kind: K }> =>
  outcome.kind === kind

/** An error in the form of the service. */
async function readError(consumer: Consumer, asked: string, status: number): Promise<HostReply> {
  const reply = await consumer.ask(asked)
  promise(reply.status === status, `${status} for ${asked}, not ${reply.status}`)
  const { error, message } = JSON.parse(reply.body) as Record<string, unknown>
  promise(typeof error === 'string' && typeof message === 'string', 'an error with a message')
  return reply
}

/** Every key is rejected. */
export async function unauthorized(consumer: Consumer): Promise<void> {
  for (const asked of SIGNED) await readError(consumer, asked, 401)
  await read(consumer, CHART)
}

/** The key works for twenty seconds, then it is rejected: for ever. */
export async function keyRevoked(consumer: Consumer): Promise<void> {
  if (consumer.elapsed() < 20) {
    for (const asked of SIGNED) await readSigned(consumer, asked)
    consumer.advance(19 - consumer.elapsed())
    for (const asked of SIGNED) await readSigned(consumer, asked)
    consumer.advance(1)
  }
  for (let i = 0; i < 3; i++) {
    for (const asked of SIGNED) {
      const { body } = await readError(consumer, asked, 401)
      promise(body.includes('revoked'), 'the message names the revocation')
    }
    await read(consumer, CHART)
    consumer.advance(300)
  }
}

/** Charting answers 404. */
export async function chartingNotFound(consumer: Consumer): Promise<void> {
  for (const interval of ['1m', '1h', '1d']) await readError(consumer, target.chart('BTCUSD', interval), 404)
  for (const asked of SIGNED) await readSigned(consumer, asked)
}

/** Thirty requests a minute, then 429. */
export async function rateLimited(consumer: Consumer): Promise<void> {
  consumer.toPhase(0, 60)
  // Earlier requests have used a part of this minute.
  consumer.advance(60)
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 30; i++) await read(consumer, EACH[i % 5]!)
    const { headers } = await readError(consumer, EACH[0], 429)
    promise(headers['retry-after'] === '60', 'Retry-After leads to the next window')
    consumer.advance(45)
    promise((await readError(consumer, CHART, 429)).headers['retry-after'] === '15', 'a quarter of a minute is left')
    consumer.advance(15)
  }
}

/** A gateway answers with an HTML page without CORS headers. */
export async function proxyErrorPage(consumer: Consumer): Promise<void> {
  for (const asked of EACH) {
    const { status, headers, body } = await consumer.ask(asked)
    promise(status === 502 && headers['content-type']!.startsWith('text/html'), 'a page of a gateway')
    promise(/^\s*</.test(body), 'Unexpected token <')
    promise(!('access-control-allow-origin' in headers), 'no CORS')
  }
}

/** Answers take a second and a half, up to three; candles arrive in pieces. */
export async function slowNetwork(consumer: Consumer): Promise<void> {
  const delays = Array.from({ length: 40 }, (_, i) => consumer.outcome(EACH[i % 5]!).delayMs)
  promise(
    delays.every(ms => ms >= 1500 && ms <= 3000),
    'between one and a half and three seconds',
  )
  promise(Math.min(...delays) < 1700 && Math.max(...delays) > 2800, 'answers overtake each other')
  promise(isOutcome(consumer.outcome(CHART), 'dribble'), 'candles dribble')
  promise(isOutcome(consumer.outcome(EACH[0]), 'reply'), 'prices do not')
}

/** No request is ever answered. */
export async function silence(consumer: Consumer): Promise<void> {
  for (const asked of EACH) {
    const outcome = consumer.outcome(asked)
    promise(isOutcome(outcome, 'timeout') && outcome.closeAfterMs === undefined, `no answer to ${asked}`)
  }
}

/** One request in three fails, each in a different way. */
export async function flakyNetwork(consumer: Consumer): Promise<void> {
  const outcomes = Array.from({ length: 600 }, (_, i) => {
    if (i % 5 === 0) consumer.advance(1)
    return consumer.outcome(EACH[i % 5]!)
  })
  const part = (is: (outcome: Outcome) => boolean): number => outcomes.filter(is).length / outcomes.length
  const isUnavailable = (one: Outcome): boolean => 'status' in one && one.status === 503
  const shares = {
    failed: part(one => one.kind !== 'reply' || one.status !== 200),
    reset: part(one => one.kind === 'reset'),
    truncate: part(one => one.kind === 'truncate'),
    unavailable: part(isUnavailable),
    late: part(one => one.delayMs >= 50 && one.delayMs <= 350),
  }
  const within = (got: number, least: number, most: number) => got >= least && got <= most
  promise(within(shares.failed, 0.27, 0.38), `one in three fails, not ${shares.failed}`)
  promise(within(shares.reset, 0.06, 0.14), `resets: ${shares.reset}`)
  promise(within(shares.truncate, 0.06, 0.14), `truncated bodies: ${shares.truncate}`)
  promise(within(shares.unavailable, 0.09, 0.18), `503: ${shares.unavailable}`)
  promise(within(shares.late, 0.24, 0.36), `late ones: ${shares.late}`)
}

/** 503, then no connection at all, then slow, then well again. */
export async function outageAndRecovery(consumer: Consumer): Promise<void> {
  const isWell = async (): Promise<void> => {
    for (const asked of EACH) {
      const outcome = consumer.outcome(asked)
      promise(isOutcome(outcome, 'reply') && outcome.delayMs === 0, 'at once')
      await read(consumer, asked)
    }
  }
  for (let round = 0; round < 2; round++) {
    for (const phase of [0, 29]) {
      consumer.toPhase(phase, 120)
      await isWell()
    }
    for (const phase of [30, 59]) {
      consumer.toPhase(phase, 120)
      for (const asked of EACH)
        promise((await readError(consumer, asked, 503)).headers['retry-after'] === '30', '503 says when to come back')
    }
    for (const phase of [60, 74]) {
      consumer.toPhase(phase, 120)
      for (const asked of EACH) promise(isOutcome(consumer.outcome(asked), 'reset'), 'no connection')
      const failure = await consumer.ask(EACH[0]).then(() => undefined, String)
      promise(failure === 'TypeError: fetch failed', 'fetch fails')
    }
    for (const phase of [75, 89]) {
      consumer.toPhase(phase, 120)
      for (const asked of EACH) {
        const outcome = consumer.outcome(asked)
        promise(isOutcome(outcome, 'reply') && outcome.status === 200 && outcome.delayMs === 1200, 'slow, but sound')
      }
    }
    for (const phase of [90, 119]) {
      consumer.toPhase(phase, 120)
      await isWell()
    }
  }
}

/** Every kind of malformed body, ten seconds each. */
export async function oddBodies(consumer: Consumer): Promise<void> {
  const at = async (phase: number, look: (reply: HostReply) => boolean, what: string): Promise<void> => {
    for (const second of [phase, phase + 9]) {
      consumer.toPhase(second, 60)
      for (const asked of SIGNED) {
        const reply = await consumer.ask(asked)
        promise(reply.status === 200 && look(reply), `${what}: ${reply.body.slice(0, 100)}`)
      }
    }
  }
  const isJson = ({ headers }: HostReply) => headers['content-type'] === 'application/json; charset=utf-8'
  await at(0, reply => isJson(reply) && reply.body !== '' && parsed(reply) === undefined, 'JSON that breaks off')
  await at(10, reply => isJson(reply) && reply.body === '', 'an empty body')
  await at(20, reply => !isJson(reply) && hasField(parsed(reply), 'ts'), 'JSON by another name')
  await at(30, reply => isJson(reply) && parsed(reply) !== undefined && !hasField(parsed(reply), 'ts'), 'no ts')
  await at(40, reply => hasField(parsed(reply), 'ts') && hasField(parsed(reply), 'confidence'), 'an unknown field')
  await at(50, reply => /"ts": ?"\d+"/.test(reply.body) && /"price": ?"\d+"/.test(reply.body), 'numbers in quotes')
}

function parsed({ body }: HostReply): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Whether a value has a field of this name at any depth. */
function hasField(value: unknown, name: string): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.hasOwn(value, name) || Object.values(value).some(inner => hasField(inner, name))
}
