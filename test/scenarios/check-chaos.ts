// Check of chaos: one loop of five minutes shows everything that the other scenarios show one by one.
import type { Outcome } from '../../src/outcome.js'
import { parseExact, testSigners } from '../../src/signing/verify.js'
import type { Price } from '../support/ask.js'
import { type Consumer, isNear, promise, type Row, recoverAll, TRUSTED, target } from './consumer.js'

const LOOP = 300
const KNOWN = testSigners().map(({ address }) => address)

/** The kind of signer of a price: `trusted`, `other` test key, `unknown` key, or `incomplete` signature. */
function signedBy(price: Price): 'trusted' | 'other' | 'unknown' | 'incomplete' {
  if (price.signature.length !== 128) return 'incomplete'
  const [signer] = recoverAll(price)
  if (signer!.address === TRUSTED) return 'trusted'
  return KNOWN.includes(signer!.address) ? 'other' : 'unknown'
}

/** A seeded mix of all kinds of faults. */
export async function chaos(consumer: Consumer): Promise<void> {
  consumer.toPhase(0, LOOP)
  const seen = new Map<string, number>()
  const note = (what: string, is: boolean): void => {
    if (is) seen.set(what, (seen.get(what) ?? 0) + 1)
  }
  /** The first trusted price of some attempts. */
  const retry = (feed: string, attempts = 6): Price | undefined => {
    for (let i = 0; i < attempts; i++) {
      const outcome = consumer.outcome(target.latest(feed))
      const price = goodJson(outcome) as Price | undefined
      if (price !== undefined && signedBy(price) === 'trusted') return price
    }
    return undefined
  }
  const values = { BTCUSD: [] as number[], USDTUSD: [] as number[] }
  let newest = 0
  for (let second = 0; second < LOOP; second++) {
    const outcome = consumer.outcome(target.latest('BTCUSD'))
    const charted = consumer.outcome(target.chart('XRPUSD'))
    const [parsed, chart] = [outcome, charted].map(one => (one.kind === 'reply' ? json(one.body) : undefined))
    noteOutcome(outcome, parsed, note)
    noteOutcome(charted, chart, note)
    note('401', 'status' in outcome && outcome.status === 401)
    promise(!('status' in charted) || charted.status !== 401, 'charting wants no key')
    const price = goodJson(outcome, parsed) as Price | undefined
    if (price !== undefined) {
      const signer = signedBy(price)
      note(signer, true)
      note('backwards', signer === 'trusted' && price.ts < newest - 20)
      if (signer === 'trusted') newest = Math.max(newest, price.ts)
    }
    const rows = (goodJson(charted, chart) as { data: { result: readonly Row[] } } | undefined)?.data.result
    note('null', rows?.some(({ close }) => close === null) ?? false)
    note('missing', rows?.some(({ time }, i) => i > 0 && time !== rows[i - 1]!.time + 60_000) ?? false)

    const phase = consumer.elapsed() % LOOP
    if (phase === 89) promise(ageOf(consumer, retry('ETHUSD')) >= 45, 'ETH is stale')
    if (phase === 130) promise(ageOf(consumer, retry('ETHUSD')) < 40, 'ETH is back')
    if (phase === 105) promise(retry('SOLUSD', 20) === undefined, 'SOL has no price')
    if (phase === 130) promise(retry('SOLUSD', 20) !== undefined, 'SOL is back')
    if ([100, 170, 230].includes(phase)) values.BTCUSD.push(retry('BTCUSD')?.price ?? Number.NaN)
    if ([10, 230, 280].includes(phase)) values.USDTUSD.push(retry('USDTUSD')?.price ?? Number.NaN)
    consumer.advance(1)
  }
  const [before, during, after] = values.BTCUSD as [number, number, number]
  promise(isNear(during, 0.75 * before, 0.03) && isNear(after, before, 0.03), 'BTC is a quarter down for a minute')
  const [dollar, off, back] = values.USDTUSD as [number, number, number]
  promise(isNear(off, 0.95 * dollar, 0.01) && isNear(back, dollar, 0.01), 'USDT loses its peg')
  for (const what of WANTED) promise(seen.has(what), `${what} in ${JSON.stringify([...seen])}`)
}

const WANTED = [
  'trusted',
  'other',
  'unknown',
  'incomplete',
  'backwards',
  'null',
  'missing',
  '401',
  '503',
  'html',
  'malformed',
  'late',
  'reset',
  'truncate',
]

function noteOutcome(outcome: Outcome, parsed: unknown, note: (what: string, is: boolean) => void): void {
  note('late', outcome.delayMs >= 100 && outcome.delayMs <= 1000)
  note('reset', outcome.kind === 'reset')
  note('truncate', outcome.kind === 'truncate')
  if (outcome.kind !== 'reply') return
  const isHtml = outcome.headers.some(text => text.startsWith('text/html'))
  note('503', outcome.status === 503)
  note('html', isHtml && outcome.status === 502)
  note('malformed', !isHtml && parsed === undefined)
}

const ageOf = (consumer: Consumer, price: Price | undefined): number => consumer.now() - (price?.ts ?? Number.NaN)

/** The body of a 200, parsed. */
function goodJson(outcome: Outcome, parsed = outcome.kind === 'reply' ? json(outcome.body) : undefined): unknown {
  return outcome.kind === 'reply' && outcome.status === 200 ? parsed : undefined
}

function json(body: string): unknown {
  try {
    return parseExact(body)
  } catch {
    return undefined
  }
}
