// The kinds of consumers, and what each of them must never do, or must do in time.
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Post } from './consumers/keeper.js'
import { type Genuine, type Observed, type Row, since } from './observe.js'
import type { Deps } from './world.js'

/** A consumer with its invariants. */
export interface Kind {
  /** Its file in `consumers/`, without the ending. */
  readonly name: string
  /**
   * Starts a consumer.
   * @param module the exports of its file
   * @returns a promise that rejects when it breaks, and a check that is made once a second: the invariants that do not hold. `end` ends what the
   * run cannot: a process
   */
  start(
    module: any,
    deps: Deps,
    observed: Observed,
  ): { run: Promise<unknown>; check(): readonly string[]; end?(): void }
}

const SECOND = 1000
const isSame = (a: number, b: number): boolean => Math.abs(a / b - 1) < 1e-12

/** How every consumer has to treat the service. */
export function manners({ seen, now }: Observed): string[] {
  const broken: string[] = []
  const last = seen.at(-1)
  if (last === undefined) return now() % 60_000 > 30_000 ? ['asks again'] : []
  const refusals = seen.slice(-40).filter(({ status }) => status === 429)
  for (const { at, retryAfter = 0 } of refusals.slice(-3)) {
    const wait = waitFor(retryAfter) * SECOND
    // Requests that were on their way when the refusal came may still arrive.
    if (seen.filter(other => other.at > at + 2 * SECOND && other.at < at + wait - SECOND).length > 1)
      broken.push('waits after 429')
  }
  const rejected = since(seen, now() - 60 * SECOND).filter(({ status }) => status === 401)
  if (rejected.length > 8) broken.push('stops with a rejected key')
  if (since(seen, now() - 10 * SECOND).length > 40) broken.push('asks calmly')
  const waits = seen
    .slice(-10)
    .map(({ at, status, retryAfter }) => at + (status === 429 ? Math.max(62, waitFor(retryAfter ?? 62)) : 62) * SECOND)
  if (now() > Math.max(...waits) + 20 * SECOND) broken.push('asks again')
  return broken
}

/** The seconds that a client should wait: an hour is no answer for one that needs fresh prices. */
const waitFor = (retryAfter: number): number => (retryAfter >= 0 && retryAfter <= 300 ? retryAfter : 20)

export const KINDS: readonly Kind[] = [
  {
    name: 'price-store',
    start(module, deps, observed) {
      const store = module.createPriceStore(deps)
      const lastTs = new Map<string, number>()
      const { now, genuine, endedIn } = observed
      const start = now()
      return {
        run: store.run(),
        check() {
          const broken = manners(observed)
          for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'INJUSD']) {
            const quote = store.quote(feed)
            const batches = endedIn(20 * SECOND, '/batch')
            const good = batches.filter(({ isSound, feeds }) => isSound && feeds.includes(feed))
            const isWell = batches.length > 2 && good.length === batches.length
            if (quote === undefined) {
              lastTs.delete(feed)
              if (isWell && isFresh(observed.newest(feed), now(), 55)) broken.push('shows a good price')
              continue
            }
            const age = now() / SECOND - quote.ts
            const isTrue = genuine.findLast(
              ({ feed: id, value, ts }) => id === feed && ts === quote.ts && isSame(value, quote.value),
            )
            if (isTrue === undefined) broken.push('shows only signed prices')
            if (quote.isLive && (age > 60 || age < -6)) broken.push('marks old prices')
            if (!quote.isLive && age <= 60) broken.push('a price of 60 s is live')
            if (quote.ts < (lastTs.get(feed) ?? 0)) broken.push('never goes back')
            lastTs.set(feed, quote.ts)
            const newest = observed.newest(feed)
            if (isWell && isFresh(newest, now(), 55) && quote.ts < newest!.ts) broken.push('shows a good price')
            if (batches.length > 1 && batches.slice(-2).every(({ isGood, feeds }) => isGood && !feeds.includes(feed)))
              if (quote.isLive) broken.push('drops a feed that is gone')
          }
          const chart: Record<keyof Row, number>[] = store.chart()
          chart.forEach(({ time, open, high, low, close, volume }, i) => {
            if (!(time > (chart[i - 1]?.time ?? 0))) broken.push('candles ascend')
            if (![open, high, low, close].every(Number.isFinite) || high < low || !(volume >= 0))
              broken.push('candles are numbers')
          })
          const charts = endedIn(60 * SECOND, '/charting')
          if (charts.some(({ isGood, at }) => isGood && at > now() - 55 * SECOND) && chart.length === 0)
            broken.push('shows a chart')
          const rows = new Map(observed.candles().map(row => [row.time, row]))
          const isKnown = ({ time, close }: Row) => rows.get(time)?.close === close
          if (charts.at(-1)?.isSound && !chart.every(isKnown)) broken.push('shows the candles of the service')
          if (
            now() - start > 90 * SECOND &&
            since(observed.seen, now() - 300 * SECOND).every(({ status }) => status !== 429 && status !== 401) &&
            endedIn(90 * SECOND, '/batch').length === 0
          )
            broken.push('asks for prices')
          const recent = since(observed.seen, now() - 40 * SECOND)
          const answered = recent.filter(({ path }) => !path.startsWith('/charting'))
          if (
            answered.length > 0 &&
            answered.every(({ status }) => status === 401) &&
            store.notice() !== 'key rejected'
          )
            if (answered[0]!.at < now() - 10 * SECOND) broken.push('says that the key is rejected')
          const all = endedIn(30 * SECOND, '')
          if (all.length > 5 && all.every(({ isGood }) => isGood) && store.notice() !== '')
            broken.push('the notice goes')
          return broken
        },
      }
    },
  },
  {
    name: 'risk-engine',
    start(module, deps, observed) {
      const { now, genuine, endedIn } = observed
      const accounts = [
        { id: 'btc', collateral: { feed: 'BTCUSD', amount: 1 }, debt: { feed: 'USDCUSD', amount: 97_000 } },
        { id: 'eth', collateral: { feed: 'ETHUSD', amount: 10 }, debt: { feed: 'USDCUSD', amount: 30_000 } },
        { id: 'stable', collateral: { feed: 'USDCUSD', amount: 100_000 }, debt: { feed: 'SOLUSD', amount: 465 } },
        { id: 'short', collateral: { feed: 'USDCUSD', amount: 100_000 }, debt: { feed: 'ETHUSD', amount: 23.2 } },
      ]
      const engine = module.createRiskEngine(deps, accounts)
      const underSince = new Map<string, number>()
      const lastTs = new Map<string, number>()
      let judged = 0
      const byFeed = new Map<string, Genuine[]>()
      let grouped = 0
      /** The genuine prices of a feed, which is looked at every second. */
      const pricesOf = (feed: string): readonly Genuine[] => {
        for (; grouped < genuine.length; grouped++) {
          const one = genuine[grouped]!
          byFeed.set(one.feed, byFeed.get(one.feed) ?? [])
          byFeed.get(one.feed)!.push(one)
        }
        return byFeed.get(feed) ?? []
      }
      return {
        run: engine.run(),
        check() {
          const broken = manners(observed)
          const recentOf = (feed: string): Genuine[] =>
            since(pricesOf(feed), now() - 400 * SECOND).filter(one => !one.isPast && one.ts <= one.at / SECOND + 6)
          const isSinglePrint = (feed: string, value: number): boolean => {
            const all = since(pricesOf(feed), now() - 400 * SECOND)
            const others = new Map(all.map(one => [one.ts, one.value]))
            return [...others.values()].filter(other => Math.abs(other / value - 1) < 0.2).length < 2
          }
          const isFlat = (feed: string, seconds = 150): boolean => {
            const all = recentOf(feed)
            const newest = all.at(-1)
            const first = all[all.findLastIndex(({ value }) => value !== newest?.value) + 1]
            return newest !== undefined && newest.ts - first!.ts > seconds
          }
          for (; judged < engine.liquidated.length; judged++) {
            const { id, collateral, debt } = engine.liquidated[judged]
            const account = accounts.find(one => one.id === id)!
            for (const [feed, value] of [
              [account.collateral.feed, collateral],
              [account.debt.feed, debt],
            ] as const) {
              const used = pricesOf(feed).findLast(one => isSame(one.value, value))
              if (used === undefined) broken.push('acts on signed prices')
              else if (!recentOf(feed).some(one => isSame(one.value, value) && now() / SECOND - one.ts <= 62))
                broken.push('acts on fresh prices')
              if (isSinglePrint(feed, value)) broken.push('a single price is confirmed')
              if (!feed.startsWith('USD') && isFlat(feed)) broken.push('a flat price is not trusted')
            }
            if ((collateral * account.collateral.amount) / (debt * account.debt.amount) >= 1.1)
              broken.push('liquidates below the floor only')
          }
          for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']) {
            const value: number | undefined = engine.usable(feed)
            const used = value === undefined ? undefined : pricesOf(feed).findLast(one => isSame(one.value, value))
            if (value !== undefined && used === undefined) broken.push('acts on signed prices')
            // Several ticks may have one price: any of them may be the one in use.
            const times = pricesOf(feed)
              .filter(one => one.value === used?.value)
              .map(({ ts }) => ts)
            if (used !== undefined && times.every(ts => Math.abs(now() / SECOND - ts) > 61))
              broken.push('acts on fresh prices')
            if (Math.max(...times) < (lastTs.get(feed) ?? 0) && used !== undefined) broken.push('never goes back')
            if (used !== undefined) lastTs.set(feed, Math.max(lastTs.get(feed) ?? 0, Math.min(...times)))
            if (used !== undefined && !feed.startsWith('USD') && isFlat(feed))
              broken.push('a flat price is not trusted')
            const polls = endedIn(45 * SECOND, '/evm')
            const isWell = polls.length > 5 && polls.every(({ isGood, feeds }) => isGood && feeds.includes(feed))
            const recent = recentOf(feed).filter(({ at }) => at > now() - 45 * SECOND)
            const isSteady =
              new Set(recent.map(({ ts }) => ts)).size > 2 &&
              recent.every(one => Math.abs(one.value / recent[0]!.value - 1) < 0.01)
            if (
              isWell &&
              isSteady &&
              isFresh(observed.newest(feed), now(), 30) &&
              !isFlat(feed, 110) &&
              used === undefined
            )
              broken.push('uses a good price')
          }
          for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']) {
            const range = engine.range(feed)
            const isSigned = (value: number) => pricesOf(feed).some(one => one.isPast && isSame(one.value, value))
            if (range !== undefined && !(isSigned(range.high) && isSigned(range.low)))
              broken.push('takes signed ranges')
          }
          for (const account of accounts) {
            const polls = endedIn(60 * SECOND, '/evm')
            const parts = [account.collateral.feed, account.debt.feed].map(feed => observed.newest(feed))
            const isWell =
              polls.length > 5 &&
              polls.every(
                ({ isGood, feeds }) =>
                  isGood && [account.collateral.feed, account.debt.feed].every(feed => feeds.includes(feed)),
              ) &&
              parts.every(part => isFresh(part, now(), 30)) &&
              ![account.collateral.feed, account.debt.feed].some(feed => !feed.startsWith('USD') && isFlat(feed))
            const [collateral, debt] = parts.map(part => part?.value ?? Number.NaN) as [number, number]
            const isUnder = (collateral * account.collateral.amount) / (debt * account.debt.amount) < 1.09
            if (!isWell || !isUnder) underSince.delete(account.id)
            else if (!underSince.has(account.id)) underSince.set(account.id, now())
            const isDone = engine.liquidated.some(({ id }: { id: string }) => id === account.id)
            if (!isDone && now() - (underSince.get(account.id) ?? now()) > 75 * SECOND)
              broken.push('liquidates in time')
          }
          return broken
        },
      }
    },
  },
  {
    name: 'keeper',
    start(module, deps, observed) {
      const { now, genuine, endedIn } = observed
      const broken = new Set<string>()
      let last: { price: bigint; ts: number } | undefined
      let postedAt = now()
      const contract = {
        get last() {
          return last
        },
        post(post: Post) {
          const { feedId, price, expo, ts, signature, recoveryId } = post
          const refuse = (reason: string): never => {
            broken.add('no post is refused')
            throw new Error(`reverted: ${reason}`)
          }
          if (feedId !== 'ETHUSD' || expo !== -8 || price <= 0n || price >= 2n ** 63n) refuse('price')
          if (last !== undefined && ts <= last.ts) refuse('not newer')
          if (ts > now() / SECOND || ts < now() / SECOND - 60) refuse('time')
          if (signature.length !== 64 || signature[32]! >= 0x80) refuse('signature')
          const message = new Uint8Array(49)
          const view = new DataView(message.buffer)
          for (let i = 0; i < feedId.length; i++) message[i] = feedId.charCodeAt(i)
          view.setBigInt64(32, price, true)
          view.setInt8(40, expo)
          view.setBigUint64(41, BigInt(ts), true)
          let address = ''
          try {
            address = deps.recover(message, signature, recoveryId)
          } catch {
            refuse(`no key, ${bytesToHex(signature).slice(0, 8)}`)
          }
          if (address !== deps.signer) refuse('signer')
          const value = Number(price) / 1e8
          const others = new Map(
            since(genuine, now() - 120 * SECOND)
              .filter(one => one.ts !== ts)
              .map(one => [one.ts, one.value]),
          )
          const isAlone = [...others.values()].every(other => Math.abs(value / other - 1) > 0.25)
          if (others.size > 3 && isAlone) broken.add('a single price is confirmed')
          if (last !== undefined && ts - last.ts < 44 && Math.abs(value / (Number(last.price) / 1e8) - 1) < 0.0049)
            broken.add('posts only what is due')
          last = { price, ts }
          postedAt = now()
        },
      }
      const keeper = module.createKeeper(deps, contract)
      return {
        run: keeper.run(),
        check() {
          const found = [...broken, ...manners(observed)]
          broken.clear()
          const asked = endedIn(60 * SECOND, '/latest')
          const isUsual = since(genuine, now() - 60 * SECOND).every(({ expo }) => expo === -8)
          const isWell = isUsual && asked.length > 3 && asked.every(({ isGood }) => isGood)
          const newest = observed.newest('ETHUSD')
          if (isWell && isFresh(newest, now(), 20) && now() - postedAt > 85 * SECOND) found.push('posts in time')
          const recent = since(observed.seen, now() - 60 * SECOND)
          const isRefused = recent.length > 0 && recent.every(({ status }) => status === 401)
          if (isRefused && recent[0]!.at < now() - 10 * SECOND && !keeper.alarms.includes('key rejected'))
            found.push('says that the key is rejected')
          return found
        },
      }
    },
  },
  {
    name: 'treasury',
    start(module, deps, observed) {
      const treasury = module.createTreasury(deps)
      const { now, genuine, endedIn, seen } = observed
      const start = now()
      return {
        run: treasury.run(),
        check() {
          const broken = manners(observed)
          const second = now() / SECOND
          const isPaused = since(seen, now() - 300 * SECOND).some(({ status }) => status === 429 || status === 401)
          const alarms: readonly string[] = treasury.alarms()
          for (const feed of ['EURUSD', 'XAUUSD', 'BTCUSD']) {
            const asked = endedIn(45 * SECOND, `/${feed}/`)
            const isWell = asked.length > 2 && asked.every(({ isGood, feeds }) => isGood && feeds.includes(feed))
            const newest = observed.newest(feed)
            const isClosed = (ago: number) => feed !== 'BTCUSD' && isWeekend(second - ago)
            const isOpen = !isClosed(0) && !isClosed(100) && now() - start > 100 * SECOND
            const quote = treasury.quote(feed)
            if (isClosed(0) && newest !== undefined && (alarms.includes(feed) || quote === undefined))
              broken.push('no alarm at the weekend')
            if (isWell && isFresh(newest, now(), 45) && (alarms.includes(feed) || (quote?.ts ?? 0) < newest!.ts - 25))
              broken.push('uses a good price')
            if (isOpen && (newest === undefined || second - newest.ts > 75) && !alarms.includes(feed))
              broken.push('alarms an old price')
            if (isOpen && !isPaused && endedIn(90 * SECOND, `/${feed}/`).length === 0)
              broken.push('asks while a market is open')
            if (
              quote !== undefined &&
              !genuine.some(one => one.feed === feed && one.ts === quote.ts && isSame(one.value, quote.value))
            )
              broken.push('values by signed prices')
          }
          const average: number | undefined = treasury.average()
          if (average !== undefined && !(average > 0 && average < 1e6)) broken.push('the average is a number')
          return broken
        },
      }
    },
  },
]

/** Whether currencies and gold are closed: from Friday to Sunday, 21:00 UTC. */
const isWeekend = (second: number): boolean => {
  const hour = Math.floor(second / 3600) % 168
  return hour >= 45 && hour < 93
}

const isFresh = (one: Genuine | undefined, now: number, seconds: number): boolean =>
  one !== undefined && now / SECOND - one.ts <= seconds && now / SECOND - one.ts >= 0
