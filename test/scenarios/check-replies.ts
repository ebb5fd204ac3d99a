// Checks of the reply and wire scenarios, by effects that a consumer notices.
import type { Outcome } from '../../src/outcome.js'
import type { HostReply } from '../support/hosts.js'
import {
  type Consumer,
  EACH,
  eachWindow,
  isNear,
  promise,
  read,
  readSigned,
  SIGNED,
  target,
  toNextLoop,
  value,
} from './consumer.js'

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

/** The key is rejected for two minutes, and accepted again. */
export async function keyRotated(consumer: Consumer): Promise<void> {
  const isRejected = async () => {
    for (const asked of SIGNED) await readError(consumer, asked, 401)
    await read(consumer, CHART)
  }
  const well = () => expectWell(consumer)
  await eachWindow(consumer, 360, [
    [0, 20, well],
    [20, 120, isRejected],
    [140, 220, well],
  ])
}

/** Charting answers 404. */
export async function chartingNotFound(consumer: Consumer): Promise<void> {
  for (const interval of ['1m', '1h', '1d']) await readError(consumer, target.chart('BTCUSD', interval), 404)
  for (const asked of SIGNED) await readSigned(consumer, asked)
}

/** Ten requests a minute, then 429. */
export async function rateLimited(consumer: Consumer): Promise<void> {
  consumer.toPhase(0, 60)
  // Earlier requests have used a part of this minute.
  consumer.advance(60)
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 10; i++) await read(consumer, EACH[i % 5]!)
    const { headers } = await readError(consumer, EACH[0], 429)
    promise(headers['retry-after'] === '60', 'Retry-After leads to the next window')
    consumer.advance(45)
    promise((await readError(consumer, CHART, 429)).headers['retry-after'] === '15', 'a quarter of a minute is left')
    consumer.advance(15)
  }
}

/** A gateway answers with HTML pages without CORS headers: 502, 200 and 503. */
export async function proxyErrorPage(consumer: Consumer): Promise<void> {
  for (const [i, want] of [502, 200, 503].entries()) {
    const expectPages = async () => {
      for (const asked of EACH) {
        const { status, headers, body } = await consumer.ask(asked)
        promise(status === want && headers['content-type']!.startsWith('text/html'), 'a page of a gateway')
        promise(/^\s*</.test(body), 'Unexpected token <')
        promise(!('access-control-allow-origin' in headers), 'no CORS')
      }
    }
    await eachWindow(consumer, 180, [
      [60 * i, 50, expectPages],
      [60 * i + 50, 10, () => expectWell(consumer)],
    ])
  }
}

/** Answers take from half a second to six and a half; candles arrive in pieces. */
export async function slowNetwork(consumer: Consumer): Promise<void> {
  const delays = Array.from({ length: 60 }, (_, i) => consumer.outcome(EACH[i % 5]!).delayMs)
  promise(
    delays.every(ms => ms >= 500 && ms <= 6500),
    'between half a second and six and a half',
  )
  promise(Math.min(...delays) < 1200 && Math.max(...delays) > 5500, 'answers overtake each other')
  promise(isOutcome(consumer.outcome(CHART), 'dribble'), 'candles dribble')
  promise(isOutcome(consumer.outcome(EACH[0]), 'reply'), 'prices do not')
}

/** Everything is answered at once. */
async function expectWell(consumer: Consumer): Promise<void> {
  for (const asked of EACH) {
    const outcome = consumer.outcome(asked)
    promise(isOutcome(outcome, 'reply') && outcome.delayMs === 0, `an answer to ${asked} at once`)
    await read(consumer, asked)
  }
}

/** Bodies that take half a minute, then a minute and a half. */
export async function slowBody(consumer: Consumer): Promise<void> {
  const takes = (least: number, most: number) => () => {
    for (const asked of EACH) {
      const outcome = consumer.outcome(asked)
      promise(isOutcome(outcome, 'dribble') && outcome.delayMs === 0, 'the head comes at once')
      const seconds = ((outcome.pieces - 1) * outcome.everyMs) / 1000
      promise(seconds >= least && seconds <= most, `the body takes ${seconds} s`)
    }
  }
  const well = () => expectWell(consumer)
  await eachWindow(consumer, 360, [
    [0, 100, takes(28, 32)],
    [100, 80, well],
    [180, 100, takes(85, 95)],
    [280, 80, well],
  ])
}

/** 429 and 503 with an unusual Retry-After. */
export async function oddRetryAfter(consumer: Consumer): Promise<void> {
  const WANTED: readonly (readonly [status: number, is: RegExp])[] = [
    [429, / GMT$/],
    [429, /^0$/],
    [503, /^-\d+$/],
    [429, /^[a-z ]+$/i],
    [429, /^3600$/],
    [503, /^3600$/],
  ]
  for (const [i, [status, is]] of WANTED.entries()) {
    const isRefused = async () => {
      for (const asked of EACH) {
        const { headers } = await readError(consumer, asked, status)
        promise(is.test(headers['retry-after']!), `Retry-After is ${headers['retry-after']}`)
      }
    }
    await eachWindow(consumer, 360, [
      [60 * i, 30, isRefused],
      [60 * i + 30, 30, () => expectWell(consumer)],
    ])
  }
}

/** Statuses that a consumer rarely meets. */
export async function oddStatuses(consumer: Consumer): Promise<void> {
  for (const [i, want] of [304, 302, 500, 403, 404, 204].entries()) {
    const isOdd = () => {
      for (const asked of EACH) {
        const outcome = consumer.outcome(asked)
        promise(isOutcome(outcome, 'reply') && outcome.status === want, `${want} for ${asked}`)
        promise((want === 302) === outcome.headers.includes('location'), 'a redirect says where to')
      }
    }
    await eachWindow(consumer, 360, [
      [60 * i, 40, isOdd],
      [60 * i + 40, 20, () => expectWell(consumer)],
    ])
  }
}

/** Only the history answers, then all but the history. */
export async function historyOnly(consumer: Consumer): Promise<void> {
  const down = (isDown: (asked: string) => boolean) => async () => {
    for (const asked of SIGNED)
      if (isDown(asked)) await readError(consumer, asked, 503)
      else await readSigned(consumer, asked)
    await read(consumer, CHART)
  }
  const isHistory = (asked: string) => asked.includes('queryHistory')
  await eachWindow(consumer, 360, [
    [0, 150, down(asked => !isHistory(asked))],
    [150, 30, () => expectWell(consumer)],
    [180, 150, down(isHistory)],
    [330, 30, () => expectWell(consumer)],
  ])
}

/** 503, refused and broken connections, no answers, then normal replies with lower prices. */
export async function longOutage(consumer: Consumer): Promise<void> {
  const kind = (want: Outcome['kind'], status?: number) => () => {
    for (const asked of EACH) {
      const outcome = consumer.outcome(asked)
      promise(isOutcome(outcome, want), `${want} for ${asked}, not ${outcome.kind}`)
      promise(status === undefined || ('status' in outcome && outcome.status === status), `${status} for ${asked}`)
    }
  }
  await eachWindow(consumer, 360, [
    [0, 20, () => expectWell(consumer)],
    [20, 45, kind('reply', 503)],
    [65, 45, kind('reset')],
    [110, 45, kind('reset')],
    [155, 45, kind('timeout')],
    [200, 160, () => expectWell(consumer)],
  ])
  for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD']) {
    consumer.toPhase(10, 360)
    const before = await value(consumer, feed)
    consumer.toPhase(210, 360)
    promise(isNear(await value(consumer, feed), 0.7 * before, 0.05), `${feed} is 30 % lower afterwards`)
  }
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
  const isWell = () => expectWell(consumer)
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

/** Two replies in three are malformed, each in another way; the third is sound, and has a field more. At the end all are like it. */
export async function oddBodies(consumer: Consumer): Promise<void> {
  const isJson = ({ headers }: HostReply) => headers['content-type'] === 'application/json; charset=utf-8'
  const has = (reply: HostReply, ...names: string[]) => names.every(name => hasField(parsed(reply), name))
  const isSound = (reply: HostReply) =>
    isJson(reply) && has(reply, 'ts', 'price', 'confidence') && /"ts": ?\d+/.test(reply.body)
  const WANTED: readonly (readonly [what: string, look: (reply: HostReply) => boolean])[] = [
    ['JSON that breaks off', reply => isJson(reply) && reply.body !== '' && parsed(reply) === undefined],
    ['an empty body', reply => isJson(reply) && reply.body === ''],
    ['a field more', isSound],
    ['no ts', reply => isJson(reply) && has(reply, 'price', 'confidence') && !has(reply, 'ts')],
    ['no price', reply => isJson(reply) && has(reply, 'ts', 'confidence') && !has(reply, 'price')],
    ['a field more', isSound],
    ['numbers in quotes', ({ body }) => /"ts": ?"\d+"/.test(body) && /"price": ?"\d+"/.test(body)],
    ['JSON by another name', reply => !isJson(reply) && has(reply, 'ts', 'price', 'confidence')],
    ['a field more', isSound],
    ['a ts of null', ({ body }) => /"ts": ?null/.test(body) && /"price": ?\d+/.test(body)],
    ['a price of null', ({ body }) => /"price": ?null/.test(body) && /"ts": ?\d+/.test(body)],
    ['a field more', isSound],
  ]
  toNextLoop(consumer, 360)
  for (const asked of SIGNED)
    for (let n = 0; n < 24; n++) {
      const [what, look] = WANTED[n % 12]!
      const reply = await consumer.ask(asked)
      promise(reply.status === 200 && look(reply), `${what} from ${asked}: ${reply.body.slice(0, 100)}`)
    }
  const expectSound = async () => {
    for (const asked of SIGNED) promise(isSound(await consumer.ask(asked)), `a field more from ${asked}`)
  }
  await eachWindow(consumer, 360, [[270, 90, expectSound]])
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
