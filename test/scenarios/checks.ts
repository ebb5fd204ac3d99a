// The checks of the built-in scenarios, by name. A scenario that is missing here has no test.
import { chaos } from './check-chaos.js'
import { candleGap, candlePathologies } from './check-charts.js'
import {
  blackThursday,
  crashThenStuck,
  depegUsdc,
  flashCrash,
  liquidationCascade,
  lunaCollapse,
  newsSpike,
  quietSunday,
  usdcBankRun,
} from './check-crashes.js'
import {
  badTick,
  calm,
  priceGap,
  staleBtc,
  staleEverything,
  stalenessLadder,
  stuckPublisher,
  weekendClose,
} from './check-market.js'
import {
  chartingNotFound,
  flakyNetwork,
  keyRevoked,
  oddBodies,
  outageAndRecovery,
  proxyErrorPage,
  rateLimited,
  silence,
  slowNetwork,
  unauthorized,
} from './check-replies.js'
import { batchPartial, clockSkew, laggingReplica, oddNumbers, signatureMatrix, wrongSigner } from './check-signed.js'
import type { Consumer } from './consumer.js'

/** Throws when a scenario does not keep its promise. Starts at the current time of the clock. */
export type Check = (consumer: Consumer) => Promise<void>

/** Checks by the name of their scenario. */
export const CHECKS: Readonly<Record<string, Check>> = {
  calm,
  'bad-tick': badTick,
  'batch-partial': batchPartial,
  'black-thursday': blackThursday,
  'candle-gap': candleGap,
  'candle-pathologies': candlePathologies,
  chaos,
  'charting-not-found': chartingNotFound,
  'clock-skew': clockSkew,
  'crash-then-stuck': crashThenStuck,
  'depeg-usdc': depegUsdc,
  'flaky-network': flakyNetwork,
  'flash-crash': flashCrash,
  'key-revoked': keyRevoked,
  'lagging-replica': laggingReplica,
  'liquidation-cascade': liquidationCascade,
  'luna-collapse': lunaCollapse,
  'news-spike': newsSpike,
  'odd-bodies': oddBodies,
  'odd-numbers': oddNumbers,
  'outage-and-recovery': outageAndRecovery,
  'price-gap': priceGap,
  'proxy-error-page': proxyErrorPage,
  'quiet-sunday': quietSunday,
  'rate-limited': rateLimited,
  'signature-matrix': signatureMatrix,
  silence,
  'slow-network': slowNetwork,
  'stale-btc': staleBtc,
  'stale-everything': staleEverything,
  'staleness-ladder': stalenessLadder,
  'stuck-publisher': stuckPublisher,
  unauthorized,
  'usdc-bank-run': usdcBankRun,
  'weekend-close': weekendClose,
  'wrong-signer': wrongSigner,
}
