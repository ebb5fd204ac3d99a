// `npm run bench` prints all figures with their goals, `npm run bench -- market|series|sessions|http|faults|worst|start|memory|console|store` a part of them.
import { cpus } from 'node:os'
import { benchConsole } from './console.js'
import { benchFaults, benchWorstCases } from './faults.js'
import { benchHttp } from './http.js'
import { benchMarket } from './market.js'
import { benchSeries } from './series.js'
import { benchSessions } from './sessions.js'
import { benchMemory, benchStart } from './soak.js'
import { benchStore } from './store.js'

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  market: benchMarket,
  series: benchSeries,
  sessions: benchSessions,
  http: benchHttp,
  faults: benchFaults,
  worst: benchWorstCases,
  start: benchStart,
  memory: benchMemory,
  console: benchConsole,
  store: benchStore,
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter(name => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}: choose from ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`)
for (const name of chosen.length > 0 ? chosen : Object.keys(PARTS)) await PARTS[name]!()
