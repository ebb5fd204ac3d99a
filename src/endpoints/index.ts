// The list of endpoints. To add one, add a file beside this one and a line here.
import { batch } from './batch.js'
import { candles } from './candles.js'
import { evm } from './evm.js'
import { history } from './history.js'
import { latest } from './latest.js'

/** The five endpoints of the interface, in its order. */
export const ENDPOINTS = [candles, batch, history, evm, latest] as const
