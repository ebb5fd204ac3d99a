// The server over HTTP: CPU time per request beside a plain server of Node that sends the same bytes at the same rate.
import { type Child, startBare, startProgram } from './child.js'
import { load } from './load.js'
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
const LATEST = '/prices/BTCUSD/latest'
const SCENARIO = { faults: [{ fault: 'market/shock', options: { change: -0.3 } }, { fault: 'signature/wrong-signer' }] }

/** Requests a second, well below saturation. */
const RATE = 4_000
/** Rounds. The best one counts, because the speed of a shared machine varies. */
const ROUNDS = 4
const REQUESTS = 12_000
/** Rounds before, of both servers, until the engine has compiled what it is going to compile. */
const WARM_UPS = 3

/** A kind of request. */
interface Case {
  readonly name: string
  readonly target: string
  readonly goal: number
  /** Whether each request gets a query of its own, so that no reply is reused. */
  readonly vary?: boolean
  readonly key?: string
}
const CASES: readonly Case[] = [
  { name: 'latest', target: LATEST, goal: 0.85 },
  { name: 'batch of 50', target: `/prices/batch?feedIds=${FIFTY}`, goal: 0.8 },
  { name: '300 candles', target: '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h', goal: 0.9 },
  { name: 'latest, never remembered', target: LATEST, goal: 0.6, vary: true },
  { name: 'latest, a market and a signature fault', target: LATEST, goal: 0.55, key: 'session.faulty' },
]

/** CPU time per request in microseconds, and the 99th percentile of the latency. */
async function measureLoad(child: Child, { target, vary, key = KEY }: Case): Promise<{ cpu: number; p99: number }> {
  let i = 0
  const before = await child.usage()
  const { p99 } = await load({
    url: child.url,
    key,
    target: vary ? () => `${target}?n=${i++}` : () => target,
    rate: RATE,
    requests: REQUESTS,
  })
  const after = await child.usage()
  return { cpu: (after.cpuMicros - before.cpuMicros) / REQUESTS, p99 }
}

async function measure(mock: Child, one: Case): Promise<Row> {
  const response = await fetch(mock.url + one.target, { headers: { authorization: one.key ?? KEY } })
  const body = await response.text()
  const headers = [...response.headers].filter(([name]) => !/^(connection|keep-alive)$/.test(name)).flat()
  const bare = await startBare(headers, body)
  for (let i = 0; i < WARM_UPS; i++) {
    await measureLoad(bare, one)
    await measureLoad(mock, one)
  }
  const rounds: { ratio: number; ours: number; reference: number; p99: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const reference = await measureLoad(bare, one)
    const ours = await measureLoad(mock, one)
    rounds.push({ ratio: reference.cpu / ours.cpu, ours: ours.cpu, reference: reference.cpu, p99: ours.p99 })
  }
  await bare.stop()
  const best = rounds.reduce((a, b) => (b.ratio > a.ratio ? b : a))
  return {
    name: one.name,
    value: best.ratio,
    unit: '×',
    goal: one.goal,
    atLeast: true,
    note: `${best.ours.toFixed(1)} µs CPU a request, bare ${best.reference.toFixed(1)}; p99 ${best.p99.toFixed(1)} ms`,
  }
}

/** Prints the figures of the server. */
export async function benchHttp(): Promise<void> {
  const mock = await startProgram()
  await fetch(`${mock.url}/_mock/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'faulty', scenario: SCENARIO }),
  })
  const rows: Row[] = []
  for (const one of CASES) rows.push(await measure(mock, one))
  await mock.stop()
  print(`HTTP at ${RATE} requests a second: CPU time of a plain server with the same reply, as a share of ours`, rows)
}
