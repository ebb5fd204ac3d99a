// `npm run bench:peers -- FOLDER`: compares this program with other mock servers that are installed under the folder with npm.
// @stoplight/prism-cli and @mockoon/cli serve our OpenAPI document, wiremock (with Java) serves one mapping. Linux only.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { listAdminRoutes } from '../src/admin/index.js'
import { print, type Row } from './measure.js'

const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const TARGET = '/prices/BTCUSD/latest'
const KEY = 'test-api-key'
const PORT = 4790
/** Requests before and during the measurement. */
const WARM_UP = 2_000
const AMOUNT = 10_000

interface Peer {
  readonly name: string
  /** Path of the program, relative to the folder. */
  readonly needs: string
  command(folder: string, work: string): readonly [string, ...string[]]
}

const PEERS: readonly Peer[] = [
  {
    name: 'price-feed-mock',
    needs: '.',
    command: () => [process.execPath, PROGRAM, '--port', String(PORT), '--log', 'off'],
  },
  {
    name: 'Prism',
    needs: 'node_modules/.bin/prism',
    command: (folder, work) => [
      join(folder, 'node_modules/.bin/prism'),
      'mock',
      join(work, 'openapi.json'),
      '-p',
      String(PORT),
      '-v',
      'error',
    ],
  },
  {
    name: 'Mockoon',
    needs: 'node_modules/.bin/mockoon-cli',
    command: (folder, work) => [
      join(folder, 'node_modules/.bin/mockoon-cli'),
      'start',
      '-d',
      join(work, 'openapi.json'),
      '-p',
      String(PORT),
      '-X',
    ],
  },
  {
    name: 'WireMock',
    needs: 'node_modules/.bin/wiremock',
    command: (folder, work) => [
      join(folder, 'node_modules/.bin/wiremock'),
      '--port',
      String(PORT),
      '--root-dir',
      work,
      '--no-request-journal',
    ],
  },
]

/** Creates a folder with the document and the mapping for the other servers. */
function prepare(): string {
  const work = mkdtempSync(join(tmpdir(), 'price-feed-peers-'))
  const document = listAdminRoutes()
    .find(({ name }) => name === 'openapi')!
    .answer(undefined as never, undefined as never)
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(document))
  const mapping = { request: { urlPath: TARGET }, response: { status: 200, jsonBody: exampleOf(document) } }
  mkdirSync(join(work, 'mappings'))
  writeFileSync(join(work, 'mappings', 'latest.json'), JSON.stringify(mapping))
  return work
}

/** The example body of the measured endpoint in the document. */
function exampleOf(document: unknown): unknown {
  const path = [
    'paths',
    '/prices/{feedId}/latest',
    'get',
    'responses',
    '200',
    'content',
    'application/json',
    'examples',
    'answer',
    'value',
  ]
  return path.reduce((value, key) => (value as Record<string, unknown>)[key], document)
}

/** CPU seconds of a process and its descendants: fields 14 and 15 of /proc/PID/stat, in ticks of 10 ms. */
function cpuSeconds(pid: number): number {
  const stats = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))
    .map(name => {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return { pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
    })
  const family = new Set([pid])
  for (let grown = true; grown; ) {
    grown = false
    for (const one of stats) if (family.has(one.parent) && !family.has(one.pid)) grown = Boolean(family.add(one.pid))
  }
  return stats.filter(one => family.has(one.pid)).reduce((sum, one) => sum + one.ticks, 0) / 100
}

async function untilReady(url: string, child: ChildProcess): Promise<number> {
  const start = performance.now()
  while (performance.now() - start < 60_000 && child.exitCode === null) {
    const response = await fetch(url, { headers: { authorization: KEY } }).catch(() => undefined)
    if (response?.status === 200) return performance.now() - start
    await new Promise(resume => setTimeout(resume, 20))
  }
  throw new Error(`nothing answers ${url} with 200`)
}

async function measure(peer: Peer, folder: string, work: string): Promise<Row> {
  const [file, ...args] = peer.command(folder, work)
  const child = spawn(file, args, { stdio: 'ignore', detached: true })
  try {
    const url = `http://127.0.0.1:${PORT}${TARGET}`
    const ready = await untilReady(url, child)
    const load = (amount: number) => autocannon({ url, amount, connections: 16, headers: { authorization: KEY } })
    await load(WARM_UP)
    const before = cpuSeconds(child.pid!)
    const { requests, latency, non2xx } = await load(AMOUNT)
    const micros = ((cpuSeconds(child.pid!) - before) / AMOUNT) * 1e6
    const note = `${Math.round(requests.average)}/s, p99 ${latency.p99} ms, ready after ${Math.round(ready)} ms${non2xx > 0 ? `, ${non2xx} refused` : ''}`
    return { name: peer.name, value: micros, unit: 'µs', note }
  } finally {
    process.kill(-child.pid!, 'SIGKILL')
  }
}

const folder = resolve(process.argv[2] ?? '.')
const work = prepare()
const rows: Row[] = []
for (const peer of PEERS) {
  if (!existsSync(join(folder, peer.needs))) {
    console.log(`${peer.name} is not installed under ${folder}: skipped.`)
    continue
  }
  try {
    rows.push(await measure(peer, folder, work))
  } catch (error) {
    console.log(`${peer.name} was not measured: ${(error as Error).message}.`)
  }
}
print(`CPU time of the server for one request to ${TARGET}`, rows)
