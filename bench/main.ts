// `npm run bench`: every figure of the README, printed with its goal.
import { cpus } from 'node:os'
import { benchHttp } from './http.js'
import { benchMarket } from './market.js'

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`)
const only = process.argv[2]
if (only !== 'http') benchMarket()
if (only !== 'market') await benchHttp()
