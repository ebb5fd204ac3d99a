// Time until ready, the largest valid request, and memory over a million requests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { catalogueFeeds } from '../src/market/feeds-file.js'
import { startProgram } from './child.js'
import { load } from './load.js'
import { print } from './measure.js'

const KEY = 'test-api-key'
const HEADERS = { authorization: KEY }
/** Requests a second of the long load. */
const RATE = 5_000
const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const IDS = catalogueFeeds().map(feed => feed.id)

/** Median of the milliseconds from the start of the program to its line on stdout. */
async function millisecondsToReady(starts = 7): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < starts; i++) {
    const start = performance.now()
    const program = spawn(process.execPath, [PROGRAM, '--port', '0', '--log', 'off'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(program.stdout, 'data')
    times.push(performance.now() - start)
    program.kill()
    await once(program, 'exit')
  }
  return times.sort((a, b) => a - b)[Math.floor(starts / 2)]!
}

/** Prints time until ready and the largest valid request. */
export async function benchStart(): Promise<void> {
  const ready = await millisecondsToReady()
  const mock = await startProgram('--synthetic-feeds', '100')
  const feeds = Array.from({ length: 100 - IDS.length }, (_, i) => i)
  const { feeds: all } = (await (await fetch(`${mock.url}/_mock/feeds`)).json()) as { feeds: { id: string }[] }
  const ids = [...IDS, ...feeds.map(i => all[IDS.length + i]!.id)].join(',')
  const start = performance.now()
  const response = await fetch(`${mock.url}/prices/queryHistory?feedIds=${ids}&minutes=525600`, { headers: HEADERS })
  const bytes = (await response.arrayBuffer()).byteLength
  const took = performance.now() - start
  await mock.stop()
  print('Start and the largest request', [
    { name: 'node dist/program/main.js until ready', value: ready, unit: 'ms', goal: 160 },
    {
      name: 'history of 100 feeds over a year',
      value: took,
      unit: 'ms',
      note: `status ${response.status}, ${bytes} bytes, 200 signatures`,
    },
  ])
}

/** The target of request `i`: one of a few, and every hundredth with a random window, interval or batch. */
function target(i: number): string {
  if (i % 100 !== 0) return i % 2 === 0 ? '/prices/BTCUSD/latest' : '/prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD'
  const random = (n: number) => (Math.imul(i + n, 2_654_435_761) >>> 0) % n
  const id = IDS[random(IDS.length)]
  if (i % 300 === 0) return `/prices/queryHistory?feedIds=${id}&minutes=${1 + random(100_000)}`
  if (i % 200 === 0) return `/charting/feeds-data?feedids=${id}&feed=${id}&type=1&interval=${1 + random(2000)}m`
  return `/prices/batch?feedIds=${id},${IDS[random(61)]},${IDS[random(59)]}&n=${i}`
}

/** Prints the memory of the server over a million requests. */
export async function benchMemory(requests = 1_000_000, step = 100_000): Promise<void> {
  const mock = await startProgram()
  const marks: { at: number; rss: number }[] = []
  let i = 0
  for (let at = step; at <= requests; at += step) {
    const loaded = load({ url: mock.url, key: KEY, target: () => target(i++), rate: RATE, requests: step })
    // A single sample varies with each garbage collection, the median of many does not.
    const samples: number[] = []
    let isLoaded = false
    loaded.finally(() => {
      isLoaded = true
    })
    while (!isLoaded) {
      samples.push((await mock.usage()).rss / 1e6)
      await setTimeout(100)
    }
    await loaded
    marks.push({ at, rss: samples.sort((a, b) => a - b)[Math.floor(samples.length / 2)]! })
  }
  await mock.stop()
  const late = marks.filter(({ at }) => at >= requests * 0.4).map(({ rss }) => rss)
  print('Memory of the server', [
    ...marks.map(({ at, rss }) => ({ name: `after ${at / 1000}k requests`, value: rss, unit: 'MB', goal: 150 })),
    {
      name: `largest over smallest from ${(requests * 0.4) / 1000}k on`,
      value: Math.max(...late) / Math.min(...late),
      unit: '×',
      goal: 1.1,
    },
  ])
}
