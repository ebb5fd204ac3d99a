// The risk engine of a lending market: it values accounts, warns, and liquidates those whose collateral is worth too little.
import type { Deps } from '../world.js'

interface EvmPrice {
  feedId: string
  price: number
  expo: number
  ts: number
  signature: string
}
interface HistoryPrice extends EvmPrice {
  recoveryId: number
}
interface Account {
  id: string
  collateral: { feed: string; amount: number }
  debt: { feed: string; amount: number }
}
interface Value {
  value: number
  ts: number
}

const MAX_AGE = 60
const MAX_AHEAD = 5
const POLL_MS = 5_000
const HISTORY_MS = 60_000
const HISTORY_MAX_MS = 180_000
/** Collateral below this part of the debt is liquidated. */
const FLOOR = 1.1
/** A price this far outside of the last hour needs a second one to be believed. */
const OUTLIER = 0.05
/** A price that does not move at all for so long is not believed. */
const FLAT_SECONDS = 120

export function createRiskEngine({ fetch, now, sleep, recover, signer, key }: Deps, accounts: readonly Account[]) {
  const feeds = [...new Set(accounts.flatMap(({ collateral, debt }) => [collateral.feed, debt.feed]))]
  const values = new Map<string, Value>()
  const suspects = new Map<string, Value>()
  const moved = new Map<string, Value>()
  const ranges = new Map<string, { high: number; low: number; at: number }>()
  const liquidated: { id: string; at: number; collateral: number; debt: number }[] = []
  const open = new Set(accounts)
  let waitUntil = 0

  const seconds = () => now() / 1000

  async function ask(path: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await fetch(path, { key, timeoutMs: 3_000 })
        if (reply.status === 429) {
          const wait = Number(reply.header('retry-after'))
          waitUntil = now() + (wait > 0 && wait <= 600 ? wait : 60) * 1000
        }
        if (reply.status === 401) waitUntil = now() + 60_000
        if (reply.ok) return JSON.parse(await reply.text())
        if (reply.status < 500 || attempt === 3) throw new Error(`status ${reply.status}`)
      } catch (error) {
        if (attempt === 3 || now() < waitUntil) throw error
      }
      await sleep(500 * 2 ** attempt)
    }
  }

  function evmMessage({ feedId, price, expo, ts }: EvmPrice): Uint8Array {
    const bytes = new Uint8Array(64)
    const view = new DataView(bytes.buffer)
    const start = 32 - feedId.length
    for (let i = 0; i < feedId.length; i++) bytes[start + i] = feedId.charCodeAt(i)
    if (price < 0) bytes.fill(255, 32, 48)
    view.setBigInt64(48, BigInt(price))
    view.setUint32(56, ts)
    view.setInt32(60, expo)
    return bytes
  }

  function svmMessage({ feedId, price, expo, ts }: EvmPrice): Uint8Array {
    const bytes = new Uint8Array(49)
    const view = new DataView(bytes.buffer)
    for (let i = 0; i < feedId.length; i++) bytes[i] = feedId.charCodeAt(i)
    view.setBigInt64(32, BigInt(price), true)
    view.setInt8(40, expo)
    view.setBigUint64(41, BigInt(ts), true)
    return bytes
  }

  function isGenuine(feed: string, past: HistoryPrice): boolean {
    const { feedId, price, expo, ts, signature, recoveryId } = past
    if (feedId !== feed || ![price, expo, ts].every(Number.isSafeInteger)) return false
    if (!/^[0-9a-f]{128}$/.test(signature)) return false
    const rs = Uint8Array.from(signature.match(/../g)!, two => Number.parseInt(two, 16))
    return recover(svmMessage(past), rs, recoveryId) === signer
  }

  function check(quote: EvmPrice): void {
    const { feedId, price, expo, ts, signature } = quote
    if (!feeds.includes(feedId)) throw new Error(`nobody asked for ${feedId}`)
    if (![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no integer')
    if (!/^[0-9a-f]{130}$/.test(signature)) throw new Error('no signature')
    const bytes = Uint8Array.from(signature.match(/../g)!, two => Number.parseInt(two, 16))
    const v = bytes[64]!
    if (v !== 27 && v !== 28) throw new Error('no v')
    if (recover(evmMessage(quote), bytes.slice(0, 64), v - 27) !== signer) throw new Error('wrong signer')
    if (price <= 0) throw new Error('no price')
    if (ts > seconds() + MAX_AHEAD) throw new Error('from the future')
    if (ts < seconds() - MAX_AGE) throw new Error('stale')
  }

  /** Whether a value may be used. One far outside of its range is believed when a later one confirms it. */
  function isBelieved(feed: string, next: Value): boolean {
    const range = ranges.get(feed)
    const known = values.get(feed)
    const isFar = (a: number, b: number) => Math.abs(a / b - 1) > OUTLIER
    const isOutside =
      range !== undefined
        ? next.value > range.high * (1 + OUTLIER) || next.value < range.low * (1 - OUTLIER)
        : known === undefined || isFar(next.value, known.value)
    if (!isOutside) {
      suspects.delete(feed)
      return true
    }
    const suspect = suspects.get(feed)
    if (suspect !== undefined && suspect.ts < next.ts && !isFar(suspect.value, next.value)) return true
    if (suspect === undefined || suspect.ts < next.ts) suspects.set(feed, next)
    return false
  }

  async function pollPrices(): Promise<void> {
    const body = (await ask(`/prices/evm/crypto?feedIds=${feeds.join(',')}`)) as { prices: EvmPrice[] }
    for (const quote of body.prices) {
      try {
        check(quote)
      } catch {
        continue
      }
      const { feedId, price, expo, ts } = quote
      const known = values.get(feedId)
      if (known !== undefined && ts < known.ts) continue
      const next = { value: price / 10 ** -expo, ts }
      const last = moved.get(feedId)
      if (last === undefined || last.value !== next.value) moved.set(feedId, next)
      if (isBelieved(feedId, next)) values.set(feedId, next)
    }
    liquidate()
  }

  async function pollHistory(): Promise<void> {
    const body = (await ask(`/prices/queryHistory?feedIds=${feeds.join(',')}&minutes=60`)) as Record<
      string,
      { high: HistoryPrice; low: HistoryPrice }
    >
    for (const feed of feeds) {
      const entry = body[feed]
      if (entry === undefined) continue
      if (!isGenuine(feed, entry.high) || !isGenuine(feed, entry.low)) continue
      const [high, low] = [entry.high, entry.low].map(({ price, expo }) => price * 10 ** expo) as [number, number]
      if (!(low > 0 && high >= low)) continue
      if (!values.has(feed) && high > low * 1.25) continue
      // A wick inside of the hour must not widen the range: it is only used as far as prices were believed.
      const believed = values.get(feed)?.value
      if (believed !== undefined && (high > believed * 1.25 || low < believed / 1.25)) continue
      ranges.set(feed, { high, low, at: now() })
    }
  }

  /** The value to act on. None while it is old, flat or unknown. */
  function usable(feed: string): number | undefined {
    const known = values.get(feed)
    if (known === undefined || seconds() - known.ts > MAX_AGE) return undefined
    if (suspects.has(feed) && suspects.get(feed)!.ts > known.ts) return undefined
    const last = moved.get(feed)
    const isPegged = feed.startsWith('USD')
    if (!isPegged && last !== undefined && known.ts - last.ts > FLAT_SECONDS) return undefined
    return known.value
  }

  function liquidate(): void {
    for (const account of open) {
      const collateral = usable(account.collateral.feed)
      const debt = usable(account.debt.feed)
      if (collateral === undefined || debt === undefined) continue
      const health = (collateral * account.collateral.amount) / (debt * account.debt.amount)
      if (health >= FLOOR) continue
      open.delete(account)
      liquidated.push({ id: account.id, at: now(), collateral, debt })
    }
  }

  async function repeat(poll: () => Promise<void>, everyMs: number): Promise<void> {
    for (;;) {
      if (now() >= waitUntil) await poll().catch(() => {})
      for (const [feed, range] of ranges) if (now() - range.at > HISTORY_MAX_MS) ranges.delete(feed)
      await sleep(everyMs)
    }
  }

  return {
    run: () => Promise.all([repeat(pollPrices, POLL_MS), repeat(pollHistory, HISTORY_MS)]),
    liquidated,
    /** The range of the last hour that prices are compared with. */
    range: (feed: string) => ranges.get(feed),
    /** Values that the dashboard shows, if they may be acted on. */
    usable,
  }
}
