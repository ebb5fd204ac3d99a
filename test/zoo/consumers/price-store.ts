// The price store of a front end: it polls a batch and a chart, and says what the page may show.
import type { Deps, Reply } from '../world.js'

interface Price {
  feedId: string
  price: number
  expo: number
  ts: number
}
interface Candle {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}
interface Quote {
  value: number
  ts: number
}

const FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'INJUSD']
const MAX_AGE = 60
const MAX_AHEAD = 5
const POLL_MS = 2_000
const CHART_MS = 10_000

export function createPriceStore({ fetch, now, sleep, recover, signer, key }: Deps) {
  const quotes = new Map<string, Quote>()
  let chart: Candle[] = []
  let notice = ''
  let pauseUntil = 0
  let failures = 0

  const seconds = () => now() / 1000

  async function ask(path: string): Promise<unknown> {
    const reply = await fetch(path, { key, timeoutMs: 4_000 })
    if (reply.status === 401) {
      notice = 'key rejected'
      pauseUntil = now() + 30_000
    }
    if (reply.status === 429) pauseUntil = now() + waitOf(reply)
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const type = reply.header('content-type') ?? ''
    if (!type.startsWith('application/json')) throw new Error('no JSON')
    return JSON.parse(await reply.text())
  }

  const waitOf = (reply: Reply): number => {
    const wait = Number(reply.header('retry-after'))
    return wait >= 0 && wait <= 300 ? wait * 1000 : 30_000
  }

  function messageOf(prices: readonly Price[]): Uint8Array {
    const bytes = new Uint8Array(49 * prices.length)
    const view = new DataView(bytes.buffer)
    for (const [i, { feedId, price, expo, ts }] of prices.entries()) {
      for (let at = 0; at < feedId.length; at++) bytes[49 * i + at] = feedId.charCodeAt(at)
      view.setBigInt64(49 * i + 32, BigInt(price), true)
      view.setInt8(49 * i + 40, expo)
      view.setBigUint64(49 * i + 41, BigInt(ts), true)
    }
    return bytes
  }

  function bytesOf(hex: string): Uint8Array {
    if (!/^[0-9a-f]{128}$/.test(hex)) throw new Error('no signature')
    return Uint8Array.from(hex.match(/../g)!, two => Number.parseInt(two, 16))
  }

  async function pollPrices(): Promise<void> {
    const body = (await ask(`/prices/batch?feedIds=${FEEDS.join(',')}`)) as {
      prices: Price[]
      signature: string
      recoveryId: number
    }
    for (const { price, expo, ts } of body.prices)
      if (![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no integer')
    const address = recover(messageOf(body.prices), bytesOf(body.signature), body.recoveryId)
    if (address !== signer) throw new Error('wrong signer')
    for (const { feedId, price, expo, ts } of body.prices) {
      if (!FEEDS.includes(feedId)) continue
      if (price <= 0) continue
      if (ts > seconds() + MAX_AHEAD) continue
      const known = quotes.get(feedId)
      if (known !== undefined && ts < known.ts) continue
      quotes.set(feedId, { value: price * 10 ** expo, ts })
    }
    for (const id of FEEDS) if (!body.prices.some(({ feedId }) => feedId === id)) quotes.delete(id)
    notice = ''
    failures = 0
  }

  async function pollChart(): Promise<void> {
    const body = (await ask('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m')) as {
      data: { interval: string; result: Candle[] }
    }
    if (body.data.interval !== '1m') return
    const byTime = new Map<number, Candle>()
    for (const candle of body.data.result) {
      const { time, open, high, low, close, volume } = candle
      if (![time, open, high, low, close].every(Number.isFinite) || high < low) continue
      byTime.set(time, { ...candle, volume: Math.max(0, volume || 0) })
    }
    if (byTime.size === 0) return
    chart = [...byTime.values()].sort((a, b) => a.time - b.time)
  }

  async function repeat(poll: () => Promise<void>, everyMs: number): Promise<void> {
    for (;;) {
      if (now() >= pauseUntil) {
        try {
          await poll()
        } catch (error) {
          failures++
          if (notice === '') notice = `no prices: ${(error as Error).message}`
        }
      }
      const slower = Math.min(4, 1 + failures / 4)
      await sleep(everyMs * slower)
    }
  }

  return {
    run: () => Promise.all([repeat(pollPrices, POLL_MS), repeat(pollChart, CHART_MS)]),
    /** The price on the page, and whether it is old; undefined for none. */
    quote(id: string) {
      const quote = quotes.get(id)
      if (quote === undefined) return undefined
      const age = seconds() - quote.ts
      return { ...quote, isLive: age <= MAX_AGE }
    },
    chart: () => chart,
    notice: () => notice,
  }
}
