// Well-behaved clients in sessions of their own, run in a thread of their own. Each reply is compared with that of a mock in process.
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import seedrandom from 'seedrandom'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'

/** Data of the thread. */
export interface InnocentsOptions {
  readonly url: string
  readonly seed: string
  /** The time of the server's clock at its start. */
  readonly at: string
}

/** The result of a phase. Latencies in milliseconds. */
export interface InnocentsReport {
  readonly replies: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Replies whose status, mark or body differ from those of the mock in process, and requests without a reply. */
  readonly wrong: number
  /** The first of them. */
  readonly firstWrong: string | undefined
}

const CLIENTS = 4
/** Mean pause between the requests of a client. */
const PAUSE_MS = 15
const MAX_REPLY_MS = 60_000

const { url, seed, at } = workerData as InnocentsOptions

let latencies: number[] = []
let wrong = 0
let firstWrong: string | undefined
/** Start times of the requests that wait for their reply. */
const waiting = new Set<number>()
let isStopped = false

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? 0

function report(): InnocentsReport {
  const now = performance.now()
  const sorted = [...latencies, ...[...waiting].map(since => now - since)].sort((a, b) => a - b)
  return {
    replies: latencies.length,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
    wrong,
    firstWrong,
  }
}

interface Ask {
  readonly method: string
  readonly target: string
  readonly body?: string
}

interface Seen {
  readonly status: number
  readonly mark: string | null
  readonly body: string
}

const HEADERS = { 'content-type': 'application/json' }

function askServer({ method, target, body }: Ask, authorization: string, agent: Agent): Promise<Seen> {
  const started = performance.now()
  waiting.add(started)
  return new Promise<Seen>((resolve, reject) => {
    const onReply = (reply: IncomingMessage): void => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.on('error', reject)
      reply.on('end', () => {
        latencies.push(performance.now() - started)
        resolve({ status: reply.statusCode!, mark: reply.headers['x-price-feed-mock'] as string, body: text })
      })
    }
    request(url + target, { method, agent, timeout: MAX_REPLY_MS, headers: { ...HEADERS, authorization } }, onReply)
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error('no reply in time'))
      })
      .on('error', reject)
      .end(body)
  }).finally(() => waiting.delete(started))
}

/** Addresses in the reply that shows a session depend on the host that serves it. */
const withoutAddresses = ({ status, mark, body }: Seen): string =>
  `${status} ${mark}\n${body.replace(/"(base|history)Url":"[^"]*"/g, '"$1Url":""')}`

async function runClient(number: number): Promise<void> {
  const id = `innocent-${number}`
  const random = seedrandom(`${seed} ${id}`)
  const below = (n: number): number => Math.floor(random() * n)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const inProcess = createFetch(createMock({ clock: { at, frozen: true } }))
  const key = `session.${id}`

  const choose = (): Ask => {
    const kind = below(60)
    const feed = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'EURUSD', 'USDCUSD'][below(5)]!
    const get = (target: string): Ask => ({ method: 'GET', target })
    if (kind === 0) {
      const body = JSON.stringify(
        below(2) === 0 ? { clock: { advance: `${1 + below(600)}s` } } : { prices: { [feed]: 1 + below(1e5) } },
      )
      return { method: 'PATCH', target: `/_mock/sessions/${id}`, body }
    }
    if (kind < 15) return get(`/prices/batch?feedIds=BTCUSD,${feed}X,${feed}`)
    if (kind < 25) return get(`/prices/evm/crypto?feedIds=${feed},ETHUSD`)
    if (kind < 30) return get(`/prices/queryHistory?feedIds=${feed}&minutes=${1 + below(600)}`)
    if (kind < 35)
      return get(`/session/${id}/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${1 + below(60)}m`)
    return get(`/prices/${feed}/latest`)
  }
  const exchange = async (ask: Ask): Promise<void> => {
    const { method, target, body } = ask
    let seen: string
    try {
      seen = withoutAddresses(await askServer(ask, key, agent))
    } catch (error) {
      seen = String(error)
    }
    const reply = await inProcess(`http://mock${target}`, {
      method,
      headers: { ...HEADERS, authorization: key },
      ...(body === undefined ? {} : { body }),
    })
    const wanted = withoutAddresses({
      status: reply.status,
      mark: reply.headers.get('x-price-feed-mock'),
      body: await reply.text(),
    })
    if (seen === wanted || isStopped) return
    wrong++
    firstWrong ??= `${method} ${target}\ngot  ${seen.slice(0, 600)}\nwant ${wanted.slice(0, 600)}`
  }

  await exchange({
    method: 'POST',
    target: '/_mock/sessions',
    body: JSON.stringify({ id, seed: `${seed} ${id}`, clock: { at, frozen: true } }),
  })
  parentPort!.postMessage('ready')
  while (!isStopped) {
    await exchange(choose())
    await wait(random() * 2 * PAUSE_MS)
  }
  agent.destroy()
}

parentPort!.on('message', (message: 'phase' | 'stop') => {
  parentPort!.postMessage(report())
  latencies = []
  wrong = 0
  firstWrong = undefined
  if (message === 'stop') isStopped = true
})
parentPort!.unref()
await Promise.all(Array.from({ length: CLIENTS }, (_, i) => runClient(i)))
