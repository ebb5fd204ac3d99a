// The memory of a real server with a small heap, under requests that ended one before: long targets, full journals, large sessions.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, inject, it, onTestFinished } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const SESSIONS = '/_mock/sessions'
/** Starts the program with a heap of 192 MB. The process ends itself if it needs more. */
async function start() {
  expect(inject('buildProblem')).toBe('')
  const child: ChildProcess = fork(PROGRAM, ['--port', '0', '--log', 'off'], {
    execArgv: ['--max-old-space-size=192'],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const url = new URL(String(line).trim())
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  onTestFinished(async () => {
    agent.destroy()
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill()
    await exit
  })
  const ask = (method: string, path: string, body?: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request({ host: url.hostname, port: url.port, method, path, headers, agent }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, text }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  /** Peak of the resident memory so far, in MB. Known on Linux only. */
  const peak = (): number | undefined => {
    if (process.platform !== 'linux') return undefined
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024
  }
  return { ask, peak }
}

/** Runs `count` tasks, eight at a time. */
async function each(count: number, task: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

function expectSmall(megabytes: number | undefined): void {
  if (megabytes !== undefined) expect(megabytes).toBeLessThan(256)
}

it('behavior: 6,000 targets of 12 kB in 1,000 sessions, and their journals read', async () => {
  const { ask, peak } = await start()
  const long = 'x'.repeat(12_000)
  await each(6000, async i => {
    const { status } = await ask('GET', `/session/s${i % 1000}/prices/BTCUSD/latest?${i}${long}`)
    expect(status).toBe(401)
  })
  await each(1000, async () => {
    await ask('GET', `/prices/BTCUSD/latest?${long}`)
  })
  const { status, text } = await ask('GET', `${SESSIONS}/default/requests`)
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(1_000_000)
  expectSmall(peak())
}, 120_000)

it('behavior: 20 sessions with a hundred market faults on all feeds, and a seed each', async () => {
  const { ask, peak } = await start()
  const faults = Array.from({ length: 100 }, (_, i) => ({ fault: 'market/gap', from: `${60 * (i + 1)}s`, for: '30s' }))
  const { feeds } = JSON.parse((await ask('GET', '/_mock/feeds')).text) as { feeds: readonly { id: string }[] }
  const all = feeds.map(({ id }) => id).join(',')
  await each(20, async i => {
    const { status } = await ask('POST', SESSIONS, JSON.stringify({ id: `f${i}`, seed: `f${i}`, scenario: { faults } }))
    expect(status).toBe(201)
    expect((await ask('GET', `/session/f${i}/prices/evm/crypto?feedIds=${all}`)).status).toBe(401)
    const explained = await ask('GET', `/_mock/explain?url=/session/f${i}/prices/evm/crypto?feedIds=${all}`)
    expect(JSON.parse(explained.text)).toMatchObject({ outcome: { status: 200 } })
  })
  expectSmall(peak())
}, 120_000)

it('behavior: 100 sessions of 780 kB are refused before the heap is full, and each snapshot can be restored', async () => {
  const { ask, peak } = await start()
  const feeds = Array.from({ length: 1000 }, () => 'BTCUSD')
  const scenario = { faults: Array.from({ length: 86 }, () => ({ fault: 'market/stale', feeds })) }
  const body = JSON.stringify({ scenario })
  expect(body.length).toBeGreaterThan(700_000)
  const statuses: number[] = []
  await each(100, async i => {
    statuses[i] = (await ask('POST', SESSIONS, body.replace('{', `{"id":"big${i}",`))).status
  })
  expect(new Set(statuses)).toEqual(new Set([201, 503]))
  // The requests are concurrent: any of them can be the first.
  const created = `${SESSIONS}/big${statuses.indexOf(201)}`
  const taken = await ask('POST', `${created}/snapshot`)
  expect(taken.status).toBe(201)
  expect((await ask('POST', `${created}/restore`, taken.text)).status).toBe(200)
  // Others are served as before.
  expect((await ask('GET', '/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1h')).status).toBe(200)
  expect(
    (await ask('GET', '/session/new/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1h')).status,
  ).toBe(200)
  expectSmall(peak())
}, 120_000)
