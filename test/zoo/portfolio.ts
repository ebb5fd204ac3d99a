// The promises of the portfolio in Python: of prices, and of times. Its values are compared as decimals, without a rounding.
import { parseExact } from '../../src/signing/signed-response.js'
import { checkResponse } from '../../src/signing/verify.js'
import { type Kind, manners } from './kinds.js'
import type { Process, toPythonModule } from './python.js'

/** The holdings of the portfolio in thousandths, as consumers/portfolio.py has them. */
const UNITS: Readonly<Record<string, bigint>> = { BTCUSD: 750n, ETHUSD: 12_000n, SOLUSD: 340_500n }
const MAX_AGE = 60
const MAX_AHEAD = 5
const SECOND = 1000

/** A price that reached it, with the value of the holding and the second in which it came. */
type Known = { readonly feed: string; readonly value: string; readonly ts: number; readonly seen: number }

/** An integer times 10^−decimals, in digits. */
function toDecimal(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  return trimmed(`${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`)
}

const trimmed = (value: string): string => (value.includes('.') ? value.replace(/\.?0+$/, '') : value)

/** The good prices of a batch that came in a second. */
function readKnown(body: string, signer: string, seen: number): Known[] {
  try {
    const { prices } = checkResponse(parseExact(body), { signers: [signer], allowHighS: true })
    return prices.flatMap(({ ok, tick }) =>
      ok && tick !== undefined && tick.feedId in UNITS
        ? [
            {
              feed: tick.feedId,
              ts: tick.ts,
              seen,
              value: toDecimal(BigInt(tick.price) * UNITS[tick.feedId]!, 3 - tick.expo),
            },
          ]
        : [],
    )
  } catch {
    return []
  }
}

export const PORTFOLIO: Kind = {
  name: 'portfolio',
  start(module: ReturnType<typeof toPythonModule>, deps, observed) {
    const { endedIn } = observed
    const known: Known[] = []
    const lastTs = new Map<string, number>()
    const { run, shown, end }: Process = module.start({
      ...deps,
      async fetch(path, options) {
        const reply = await deps.fetch(path, options)
        return {
          ...reply,
          async text() {
            const body = await reply.text()
            if (reply.ok) known.push(...readKnown(body, deps.signer, Math.floor(observed.now() / SECOND)))
            return body
          },
        }
      },
    })
    return {
      run,
      end,
      check() {
        const broken = manners(observed)
        const { at = 0, what = {} } = shown() ?? {}
        const { values = {}, alarm = '' } = what as { values?: Record<string, string | null>; alarm?: string }
        // Its clock has whole seconds.
        const second = Math.floor(at / SECOND)
        const batches = endedIn(20 * SECOND, '/batch')
        const isWell = batches.length > 2 && batches.every(({ isGood }) => isGood)
        const isFresh = ({ ts }: Known): boolean => second - ts <= MAX_AGE && ts - second <= MAX_AHEAD
        for (const [feed, value] of Object.entries(values)) {
          const all = known.filter(one => one.feed === feed)
          // A price of the future was refused when it came.
          const isTaken = (one: Known): boolean => isFresh(one) && one.ts - one.seen <= MAX_AHEAD
          const newest = all.filter(isTaken).reduce((last, { ts }) => Math.max(last, ts), 0)
          if (value === null) {
            if (isWell && newest > 0 && batches.at(-1)!.feeds.includes(feed)) broken.push('values a good price')
            continue
          }
          // Prices of several times may be equal: it may have taken any of them.
          const equal = all.filter(one => one.value === trimmed(value))
          const times = equal.map(({ ts }) => ts)
          const before = lastTs.get(feed) ?? 0
          if (equal.length === 0) broken.push('values are exact')
          else if (!equal.some(isFresh)) broken.push('values fresh prices only')
          if (equal.length > 0 && Math.max(...times) < before) broken.push('never goes back')
          if (equal.length > 0) lastTs.set(feed, Math.max(before, Math.min(...times)))
          if (isWell && batches.slice(-2).every(({ feeds }) => !feeds.includes(feed)))
            broken.push('drops a feed that is gone')
        }
        const polls = endedIn(30 * SECOND, '')
        if (polls.length > 3 && polls.every(({ isGood }) => isGood) && alarm !== '') broken.push('the alarm goes')
        return broken
      },
    }
  },
}
