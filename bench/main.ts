// `npm run bench`: every figure of the README, printed with its goal.
import { cpus } from 'node:os'
import { benchMarket } from './market.js'

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`)
benchMarket()
