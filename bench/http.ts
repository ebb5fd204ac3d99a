// The server over HTTP, as CPU time per request beside a bare server that writes the same bytes in the same run.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import type { Report, Start } from './child.js'
import { print, type Row } from './measure.js'

const KEY = 'test-api-key'
const FIFTY = [
  'BTC ETH SOL BNB XRP ADA TRX AVAX LINK DOT LTC BCH NEAR ATOM XLM SUI APT ARB OP INJ TIA SEI TON HYPE HBAR FIL',
  'UNI AAVE LDO CRV DOGE SHIB PEPE WIF BONK FLOKI USDT USDC DAI USDE FDUSD PYUSD STETH WSTETH WEETH RETH CBETH JITOSOL WBTC LBTC',
]
  .join(' ')
  .split(' ')
  .map(symbol => `${symbol}USD`)
  .join(',')

/** What is asked. */
export interface Case {
  readonly what: string
  readonly target: string
  readonly goal: number
  /** A query that differs each time keeps bodies from being remembered. */
  readonly vary?: boolean
}
const CASES: readonly Case[] = [
  { what: 'latest', target: '/prices/BTCUSD/latest', goal: 0.75 },
  { what: 'batch of 50', target: `/prices/batch?feedIds=${FIFTY}`, goal: 0.65 },
  { what: '300 candles', target: '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h', goal: 0.7 },
  { what: 'latest, never remembered', target: '/prices/BTCUSD/latest', goal: 0.5, vary: true },
]

/** A server in a process of its own. */
interface Child {
  readonly url: string
  report(): Promise<Usage>
  stop(): Promise<void>
}
type Usage = Extract<Report, { rss: number }>

/** Starts a server in a process of its own. */
export async function startChild(what: Start): Promise<Child> {
  const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)))
  child.send(what)
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async report() {
      child.send('report')
      const [usage] = (await once(child, 'message')) as [Usage]
      return usage
    },
    async stop() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

interface Load {
  readonly cpuMicros: number
  readonly perSecond: number
  readonly p99: number
}

/** Loads one server with 16 kept connections. */
export async function load(child: Child, { target, vary }: Case, amount: number, key = KEY): Promise<Load> {
  let i = 0
  const before = await child.report()
  const result = await autocannon({
    url: child.url,
    connections: 16,
    amount,
    headers: { authorization: key },
    requests: [
      vary ? { path: target, setupRequest: request => ({ ...request, path: `${target}?n=${i++}` }) } : { path: target },
    ],
  })
  const after = await child.report()
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target}: ${result.non2xx} refused, ${result.errors} failed`)
  return {
    cpuMicros: (after.cpuMicros - before.cpuMicros) / amount,
    perSecond: result.requests.average,
    p99: result.latency.p99,
  }
}

async function measure(mock: Child, one: Case): Promise<Row> {
  const response = await fetch(mock.url + one.target, { headers: { authorization: KEY } })
  const body = await response.text()
  const headers = [...response.headers].filter(([name]) => !/^(connection|keep-alive)$/.test(name)).flat()
  const bare = await startChild({ kind: 'bare', headers, body })
  const amount = body.length > 10_000 ? 6_000 : 15_000
  await load(mock, one, amount)
  await load(bare, one, amount)
  let best = { ratio: 0, mock: 0, bare: 0, perSecond: 0, p99: 0 }
  for (let round = 0; round < 3; round++) {
    const reference = await load(bare, one, amount)
    const measured = await load(mock, one, amount)
    const ratio = reference.cpuMicros / measured.cpuMicros
    if (ratio > best.ratio)
      best = {
        ratio,
        mock: measured.cpuMicros,
        bare: reference.cpuMicros,
        perSecond: measured.perSecond,
        p99: measured.p99,
      }
  }
  await bare.stop()
  return {
    what: one.what,
    value: best.ratio,
    unit: '×',
    goal: one.goal,
    atLeast: true,
    note: `${best.mock.toFixed(1)} µs CPU a request, bare ${best.bare.toFixed(1)}; ${Math.round(best.perSecond)}/s, p99 ${best.p99} ms`,
  }
}

/** Prints the figures of the server. */
export async function benchHttp(): Promise<void> {
  const mock = await startChild({ kind: 'mock' })
  const rows: Row[] = []
  for (const one of CASES) rows.push(await measure(mock, one))
  await mock.stop()
  print('HTTP, CPU time as a share of a bare server with the same bytes', rows)
}
