// The promise of every scenario that comes with the mock, by its name. One that is not listed here has no test.
import { chaos } from './check-chaos.js'
import { candleGap, candlePathologies } from './check-charts.js'
import {
  badTick,
  calm,
  depegUsdc,
  flashCrash,
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

/** Throws when the promise of a scenario is not kept; begins wherever the clock stands. */
export type Check = (consumer: Consumer) => Promise<void>

/** The checks, by the name of the scenario. */
export const CHECKS: Readonly<Record<string, Check>> = {
  calm,
  'bad-tick': badTick,
  'batch-partial': batchPartial,
  'candle-gap': candleGap,
  'candle-pathologies': candlePathologies,
  chaos,
  'charting-not-found': chartingNotFound,
  'clock-skew': clockSkew,
  'depeg-usdc': depegUsdc,
  'flaky-network': flakyNetwork,
  'flash-crash': flashCrash,
  'key-revoked': keyRevoked,
  'lagging-replica': laggingReplica,
  'odd-bodies': oddBodies,
  'odd-numbers': oddNumbers,
  'outage-and-recovery': outageAndRecovery,
  'price-gap': priceGap,
  'proxy-error-page': proxyErrorPage,
  'rate-limited': rateLimited,
  'signature-matrix': signatureMatrix,
  silence,
  'slow-network': slowNetwork,
  'stale-btc': staleBtc,
  'stale-everything': staleEverything,
  'staleness-ladder': stalenessLadder,
  'stuck-publisher': stuckPublisher,
  unauthorized,
  'weekend-close': weekendClose,
  'wrong-signer': wrongSigner,
}
