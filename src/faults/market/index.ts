// The market faults. To add one, write its file and test beside this file and add a line here.
import { badTick } from './bad-tick.js'
import { closed } from './closed.js'
import { crash } from './crash.js'
import { depeg } from './depeg.js'
import { drift } from './drift.js'
import { flatline } from './flatline.js'
import { gap } from './gap.js'
import { path } from './path.js'
import { price } from './price.js'
import { shock } from './shock.js'
import { stale } from './stale.js'

/** Every market fault. */
export const MARKET_FAULTS = [stale, gap, flatline, shock, drift, depeg, crash, badTick, price, path, closed] as const
