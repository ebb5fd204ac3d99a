// `npm run soak`: a seeded attack on the program. Prints a table with the goals; exits with 1 if one is missed.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PROGRAM } from '../child.js'
import { print, type Row } from '../measure.js'
import { climb, confirm } from './climb.js'
import { type Asked, REFERENCE } from './expensive.js'
import { runSoak, type SoakResult } from './soak.js'
import { KIND_NAMES, type Kind } from './volleys.js'

const MB = 1_000_000
const GOALS = { rssMb: 256, blockMs: 250 }
/** The most expensive requests that are measured again, each in programs of its own. */
const CONFIRMED = 3

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '42' },
    seconds: { type: 'string', default: '170' },
    /** Limits the attack to some kinds, separated by commas. */
    kinds: { type: 'string', default: KIND_NAMES.join(',') },
    /** The program to attack. */
    program: { type: 'string', default: PROGRAM },
    /** Seconds of the search for the most expensive request. */
    climb: { type: 'string', default: '30' },
    /** Measures the requests of a file that the search has written, and ends. */
    repeat: { type: 'string' },
    /** Prints one line of JSON instead of the table. */
    json: { type: 'boolean', default: false },
  },
})
const kinds = values.kinds.split(',') as Kind[]
const unknown = kinds.filter(kind => !KIND_NAMES.includes(kind))
const [requests, seconds] = [Number(values.requests), Number(values.seconds)]
if (unknown.length > 0 || !(requests > 0) || !(seconds > 0)) {
  console.error(`Usage: npm run soak -- --requests 1000000 --seed 42 --seconds 170 --kinds ${KIND_NAMES.join(',')}`)
  process.exit(2)
}

if (values.repeat !== undefined) {
  const requests = JSON.parse(readFileSync(values.repeat, 'utf8')) as Asked[]
  print(values.repeat, [await toCpuRow(requests, await confirm(requests), 'new program')])
  process.exit()
}

const load = loadavg()[0]!
const climbed = Number(values.climb) > 0 ? [await findExpensive(Number(values.climb))] : []
const result = await runSoak({ requests, seed: values.seed, seconds, kinds, program: values.program })
const rows = [...toRows(result), ...climbed]
const missed = rows.filter(({ value, goal }) => goal !== undefined && value > goal).map(({ name }) => name)
if (values.json) console.log(JSON.stringify({ ...result, byKind: Object.fromEntries(result.byKind), missed }))
else show()
process.exit(missed.length > 0 ? 1 : 0)

/** Searches, and writes the most expensive request to a file that reproduces it. */
async function findExpensive(seconds: number): Promise<Row> {
  const found = (await climb(values.seed, seconds)).slice(0, CONFIRMED)
  const confirmed: { readonly requests: readonly Asked[]; readonly ms: number }[] = []
  for (const { requests } of found) confirmed.push({ requests, ms: await confirm(requests) })
  const [worst] = confirmed.sort((a, b) => b.ms - a.ms)
  const file = join('.build', `expensive-${values.seed}.json`)
  writeFileSync(file, JSON.stringify(worst!.requests))
  return toCpuRow(worst!.requests, worst!.ms, file)
}

async function toCpuRow(requests: readonly Asked[], ms: number, note: string): Promise<Row> {
  const { method, target } = requests.at(-1)!
  const ratio = ms / (await confirm(REFERENCE))
  return {
    name: 'most expensive request, CPU time',
    value: ms,
    unit: 'ms',
    goal: GOALS.blockMs,
    note: `${note}: ${method} ${target.slice(0, 80)}, ${ratio.toFixed(2)} of a history of all feeds over a year`,
  }
}

function toRows(result: SoakResult): Row[] {
  const { rss, handles, block, innocents, stopMs } = result
  const { alone, among } = innocents
  const during = block.cpu.during.length > 0 ? `during ${block.cpu.during.join(', ')}` : ''
  const isShort = result.requests < requests
  return [
    { name: 'hostile requests', value: result.requests, unit: '', note: `${result.volleys} volleys, ${result.digest}` },
    { name: 'time', value: result.seconds, unit: 's', note: isShort ? 'ended by the time limit or a crash' : '' },
    { name: 'crashes', value: result.crash === undefined ? 0 : 1, unit: '', goal: 0 },
    { name: 'unplanned 5xx', value: result.unplanned, unit: '', goal: 0 },
    { name: 'silent connections', value: sum(result, ({ silent }) => silent), unit: '', goal: 0 },
    { name: 'memory before', value: rss.before / MB, unit: 'MB' },
    { name: 'memory at most', value: rss.max / MB, unit: 'MB', goal: GOALS.rssMb },
    { name: 'memory after', value: rss.after / MB, unit: 'MB' },
    { name: 'handles before', value: handles.before.count, unit: '', note: files(handles.before.files) },
    {
      name: 'handles after',
      value: handles.after.count,
      unit: '',
      goal: handles.before.count,
      note: [files(handles.after.files), ...moreOf(handles)].join(', '),
    },
    { name: 'longest callback, CPU time', value: block.cpu.cpuMs, unit: 'ms', goal: GOALS.blockMs, note: during },
    {
      name: 'longest block, wall time',
      value: block.wall.ms,
      unit: 'ms',
      note: `innocents alone ${block.alone.ms.toFixed(1)} ms`,
    },
    { name: 'innocents: replies', value: among.replies, unit: '', note: `alone ${alone.replies}` },
    { name: 'innocents: wrong replies', value: among.wrong + alone.wrong, unit: '', goal: 0 },
    { name: 'innocents: p50', value: among.p50, unit: 'ms', note: `alone ${alone.p50.toFixed(2)} ms` },
    { name: 'innocents: p99', value: among.p99, unit: 'ms', note: `alone ${alone.p99.toFixed(2)} ms` },
    { name: 'innocents: slowest', value: among.max, unit: 'ms', note: `alone ${alone.max.toFixed(2)} ms` },
    { name: 'SIGTERM to end', value: stopMs ?? Number.POSITIVE_INFINITY, unit: 'ms', goal: 5_000 },
  ]
}

function show(): void {
  const { crash, firstUnplanned, innocents, rssOverTime } = result
  const processors = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`
  console.log(`Node ${process.version}, ${processors}, load ${load.toFixed(1)} before`)
  print(`Soak, seed ${values.seed}`, rows)
  console.log(
    `\nMemory after each tenth of the requests, in MB: ${rssOverTime.map(n => (n / MB).toFixed(0)).join(' ')}`,
  )
  showKinds()
  if (crash !== undefined) console.log(`\nThe server ended by itself: ${crash}`)
  if (firstUnplanned !== undefined) console.log(`\nFirst unplanned 5xx:\n${firstUnplanned}`)
  const firstWrong = innocents.alone.firstWrong ?? innocents.among.firstWrong
  if (firstWrong !== undefined) console.log(`\nFirst wrong reply:\n${firstWrong}`)
  if (missed.length > 0) console.log(`\nMissed: ${missed.join(', ')}.`)
}

function showKinds(): void {
  console.log('\nkind            requests   2xx     3xx     4xx     503   planned  silent  slowest')
  for (const [kind, { requests: asked, byStatus, planned, silent, slowestMs }] of result.byKind) {
    const within = (from: number): string =>
      String([...byStatus].filter(([status]) => Math.floor(status / 100) === from).reduce((all, [, n]) => all + n, 0))
    const cells = [asked, within(2), within(3), within(4), within(5), planned, silent].map(cell =>
      String(cell).padStart(8),
    )
    console.log(`${kind.padEnd(15)} ${cells.join('')}  ${slowestMs.toFixed(0).padStart(6)} ms`)
  }
}

/** The types of handles of which there are more than before, and the connections that are new. */
function moreOf({ before, after }: SoakResult['handles']): string[] {
  const types = Object.entries(after.resources).flatMap(([name, count]) => {
    const more = count - (before.resources[name] ?? 0)
    return more > 0 ? [`${more} more ${name}`] : []
  })
  return types.length === 0 ? [] : [...types, ...after.connections.filter(shown => !before.connections.includes(shown))]
}

function sum({ byKind }: SoakResult, count: (answers: NonNullable<ReturnType<typeof byKind.get>>) => number): number {
  return [...byKind.values()].reduce((all, answers) => all + count(answers), 0)
}

function files(count: number | undefined): string {
  return count === undefined ? '' : `${count} file descriptors`
}
