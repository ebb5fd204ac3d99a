// A treasury: it values currencies, gold and coins at all hours, knows when their markets are closed, and raises alarms.
import type { Deps } from '../world.js'

interface Latest {
  feedId: string
  price: number
  expo: number
  ts: number
  signature: string
  recoveryId: number
}
interface Candle {
  time: number
  avg: number
  volume: number
}

const HOLDINGS = { EURUSD: 250_000, XAUUSD: 100, BTCUSD: 5 }
const POLL_MS = 10_000
const CHART_MS = 30_000
const MAX_AGE = 60
const HOUR = 3600
const DAY = 24 * HOUR
/** Currencies and gold are closed from Friday to Sunday, 21:00 UTC. 1970 began on a Thursday. */
const CLOSES = DAY + 21 * HOUR
const OPENS = 3 * DAY + 21 * HOUR

export function createTreasury({ fetch, now, sleep, recover, signer, key }: Deps) {
  const quotes = new Map<string, { value: number; ts: number }>()
  let average: number | undefined
  let waitUntil = 0

  const seconds = () => now() / 1000

  async function ask(path: string): Promise<unknown> {
    const reply = await fetch(path, { key, timeoutMs: 5_000 })
    if (reply.status === 401 || reply.status === 429) {
      const wait = Number(reply.header('retry-after') ?? 60)
      waitUntil = now() + (wait > 0 && wait <= 300 ? wait : 30) * 1000
    }
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    return JSON.parse(await reply.text())
  }

  /** Whether a market is open, as it was so many seconds ago. */
  function isOpen(feed: string, ago = 0): boolean {
    if (feed === 'BTCUSD') return true
    const second = (seconds() - ago) % (7 * DAY)
    return second < CLOSES || second >= OPENS
  }

  function messageOf({ feedId, price, expo, ts }: Latest): Uint8Array {
    const bytes = new Uint8Array(49)
    const view = new DataView(bytes.buffer)
    for (let at = 0; at < feedId.length; at++) bytes[at] = feedId.charCodeAt(at)
    view.setBigInt64(32, BigInt(price), true)
    view.setInt8(40, expo)
    view.setBigUint64(41, BigInt(ts), true)
    return bytes
  }

  async function pollPrice(feed: string): Promise<void> {
    const latest = (await ask(`/prices/${feed}/latest`)) as Latest
    const { feedId, price, expo, ts, signature, recoveryId } = latest
    if (feedId !== feed || ![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no price')
    if (price <= 0 || ts > seconds() + 5) throw new Error('no price of the present')
    if (!/^[0-9a-f]{128}$/.test(signature)) throw new Error('no signature')
    const rs = Uint8Array.from(signature.match(/../g)!, two => Number.parseInt(two, 16))
    if (recover(messageOf(latest), rs, recoveryId) !== signer) throw new Error('wrong signer')
    if (ts < (quotes.get(feed)?.ts ?? 0)) return
    quotes.set(feed, { value: price * 10 ** expo, ts })
  }

  /** An open market has a price of the last minute; a closed one that of its last minute. */
  function isUsable(feed: string): boolean {
    const quote = quotes.get(feed)
    if (quote === undefined) return false
    // The first tick after the weekend may take a moment.
    if (isOpen(feed) && isOpen(feed, MAX_AGE)) return seconds() - quote.ts <= MAX_AGE
    return seconds() - quote.ts <= OPENS - CLOSES + 2 * MAX_AGE
  }

  async function pollPrices(): Promise<void> {
    for (const feed of Object.keys(HOLDINGS)) {
      // The last price of a closed market does not change.
      if (!isOpen(feed) && !isOpen(feed, MAX_AGE) && isUsable(feed)) continue
      await pollPrice(feed).catch(() => {})
    }
  }

  async function pollChart(): Promise<void> {
    const body = (await ask('/charting/feeds-data?feedids=xauusd&feed=xauusd&type=1&interval=1h')) as {
      data: { result: Candle[] }
    }
    const candles = body.data.result.slice(-24).filter(({ avg, volume }) => Number.isFinite(avg) && volume > 0)
    if (candles.length === 0) return void (average = undefined)
    const volume = candles.reduce((sum, candle) => sum + candle.volume, 0)
    average = candles.reduce((sum, candle) => sum + (candle.avg * candle.volume) / volume, 0)
  }

  async function repeat(poll: () => Promise<void>, everyMs: number): Promise<void> {
    for (;;) {
      if (now() >= waitUntil) await poll().catch(() => {})
      await sleep(everyMs)
    }
  }

  return {
    run: () => Promise.all([repeat(pollPrices, POLL_MS), repeat(pollChart, CHART_MS)]),
    /** The feeds without a usable price. */
    alarms: () => Object.keys(HOLDINGS).filter(feed => !isUsable(feed)),
    quote: (feed: string) => (isUsable(feed) ? quotes.get(feed) : undefined),
    /** The average price of gold over a day by volume; undefined on a day without trade. */
    average: () => average,
  }
}
