// The scenarios that come with the mock: what the files in scenarios/ hold. Written by `npm run docs`, not by hand.

/** Scenarios by name, as they are written. */
export const BUILT_IN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "calm": {"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},
  "bad-tick": {"title":"One tick of BTC is ten times too high, twice a minute","why":"A consumer that acts on a single price: a stop-loss, a liquidation, an all-time high.","faults":[{"fault":"market/bad-tick","feeds":["BTCUSD"],"for":"1s","repeat":"30s","options":{"factor":10}}]},
  "batch-partial": {"title":"A batch misses its last feed","why":"A consumer that matches the prices of a batch to its request by position.","faults":[{"fault":"tick/missing-feed","endpoints":["batch"]},{"fault":"tick/missing-feed","endpoints":["evm"]}]},
  "candle-gap": {"title":"Every seventh candle is missing","why":"A chart that counts candles, or draws a straight line across the gap.","faults":[{"fault":"series/missing","options":{"every":7}}]},
  "candle-pathologies": {"title":"All candle faults at once","why":"A chart library that throws on unexpected candles and leaves the page empty.","loop":"1m","faults":[{"fault":"series/missing","options":{"every":7}},{"fault":"series/null-values","options":{"every":11,"fields":["open","close"]}},{"fault":"series/negative-volume","options":{"every":13}},{"fault":"series/late-revision","options":{"after":"30s","by":0.01}},{"fault":"series/duplicate","options":{"every":17}},{"fault":"series/out-of-order","options":{"every":19}},{"fault":"series/empty","from":"50s","for":"10s"}]},
  "chaos": {"title":"A seeded mix of all kinds of faults","why":"The combination of faults that the other scenarios test one by one. The seed decides which request meets which fault.","loop":"5m","faults":[{"fault":"market/stale","feeds":["ETHUSD"],"from":"40s","for":"50s"},{"fault":"market/shock","feeds":["BTCUSD"],"from":"2m","for":"1m","options":{"change":-0.25,"over":"10s"}},{"fault":"market/gap","feeds":["SOLUSD"],"from":"90s","for":"20s"},{"fault":"market/depeg","feeds":["USDTUSD"],"from":"1m","for":"3m","options":{"to":0.95,"over":"1m"}},{"fault":"tick/ts-backwards","chance":0.05},{"fault":"signature/wrong-signer","chance":0.04},{"fault":"signature/tampered-price","chance":0.04},{"fault":"signature/truncated","chance":0.03},{"fault":"series/null-values","chance":0.1},{"fault":"series/missing","chance":0.1},{"fault":"reply/status","chance":0.05,"options":{"status":503}},{"fault":"reply/status","endpoints":["batch","history","evm","latest"],"chance":0.02,"options":{"status":401}},{"fault":"reply/malformed-json","chance":0.03},{"fault":"reply/html-error-page","chance":0.03},{"fault":"reply/latency","chance":0.2,"options":{"ms":100,"jitterMs":900}},{"fault":"wire/reset","chance":0.03},{"fault":"wire/truncate","chance":0.03}]},
  "charting-not-found": {"title":"Charting answers 404","why":"A chart that breaks, or shows a spinner forever, when there is no data for its feed or interval.","faults":[{"fault":"reply/status","endpoints":["candles"],"options":{"status":404}}]},
  "clock-skew": {"title":"BTC is from the future, ETH from a slow publisher","why":"A negative age that passes every check, and a maximum age that is too short for real clocks.","faults":[{"fault":"tick/ts-skew","feeds":["BTCUSD"],"options":{"seconds":30}},{"fault":"tick/ts-skew","feeds":["ETHUSD"],"options":{"seconds":-90}}]},
  "depeg-usdc": {"title":"USDC falls to 0.88 in two minutes and stays there","why":"A consumer that treats a stablecoin as a dollar.","faults":[{"fault":"market/depeg","feeds":["USDCUSD"],"options":{"to":0.88,"over":"2m"}}]},
  "flaky-network": {"title":"One request in three fails, each in a different way","why":"A retry without back-off, a retry that gives up at once, a retry of requests that can never succeed.","faults":[{"fault":"wire/reset","chance":0.1},{"fault":"wire/truncate","chance":0.1},{"fault":"reply/status","chance":0.15,"options":{"status":503,"retryAfter":"1s"}},{"fault":"reply/latency","chance":0.3,"options":{"ms":50,"jitterMs":300}}]},
  "flash-crash": {"title":"BTC and ETH lose 40 % for half a minute, every two minutes","why":"Liquidations on a wick, alerts that fire twice, an axis that never scales back.","loop":"2m","faults":[{"fault":"market/shock","feeds":["BTCUSD"],"from":"10s","for":"30s","options":{"change":-0.4}},{"fault":"market/shock","feeds":["ETHUSD"],"from":"10s","for":"30s","options":{"change":-0.4,"over":"10s"}}]},
  "key-revoked": {"title":"The key works for twenty seconds, then it is rejected","why":"A consumer that checks its key only at the start and then retries forever.","faults":[{"fault":"reply/status","endpoints":["batch","history","evm","latest"],"from":"20s","options":{"status":401,"message":"The API key has been revoked."}}]},
  "lagging-replica": {"title":"Every third answer is half a minute behind","why":"A consumer that overwrites a newer price with an older one.","faults":[{"fault":"tick/ts-backwards","requests":{"every":3},"options":{"by":"30s"}}]},
  "odd-bodies": {"title":"Every kind of malformed body, ten seconds each","why":"A parser outside of try/catch, a schema that is too strict or not strict enough.","loop":"1m","faults":[{"fault":"reply/malformed-json","for":"10s"},{"fault":"reply/empty-body","from":"10s","for":"10s"},{"fault":"reply/wrong-content-type","from":"20s","for":"10s"},{"fault":"reply/missing-field","from":"30s","for":"10s","options":{"field":"ts"}},{"fault":"reply/extra-field","from":"40s","for":"10s"},{"fault":"reply/numbers-as-strings","from":"50s","for":"10s"}]},
  "odd-numbers": {"title":"BTC is zero, ETH negative, SOL too large for a double, USDC has another exponent; all validly signed","why":"A consumer that divides by a price, casts it to unsigned, parses it with JSON.parse, or assumes that expo is -8.","faults":[{"fault":"tick/zero","feeds":["BTCUSD"]},{"fault":"tick/negative","feeds":["ETHUSD"]},{"fault":"tick/unsafe-integer","feeds":["SOLUSD"]},{"fault":"tick/wrong-expo","feeds":["USDCUSD"]}]},
  "outage-and-recovery": {"title":"Every two minutes: 503, then no connection, then slow replies, then normal ones","why":"A circuit breaker that never closes again, a page that needs a reload after an outage.","loop":"2m","faults":[{"fault":"reply/status","from":"30s","for":"30s","options":{"status":503,"retryAfter":"30s"}},{"fault":"wire/reset","from":"1m","for":"15s"},{"fault":"reply/latency","from":"75s","for":"15s","options":{"ms":1200}}]},
  "price-gap": {"title":"BTC has no price in the first half of every minute","why":"A consumer that expects a feed to exist forever: it throws, or keeps showing the last price, while the feed is gone.","loop":"1m","faults":[{"fault":"market/gap","feeds":["BTCUSD"],"for":"30s"}]},
  "proxy-error-page": {"title":"A gateway answers with an HTML page without CORS headers","why":"A consumer that parses the body before it checks the status: \"Unexpected token <\".","faults":[{"fault":"reply/html-error-page","options":{"status":502}},{"fault":"reply/no-cors"}]},
  "rate-limited": {"title":"Thirty requests a minute, then 429","why":"A poller that does not slow down and ignores Retry-After.","faults":[{"fault":"reply/rate-limit","options":{"limit":30,"window":"1m"}}]},
  "signature-matrix": {"title":"Every kind of invalid signature, ten seconds each","why":"A verifier that rejects only the forgery that its author thought of.","loop":"130s","faults":[{"fault":"signature/wrong-signer","for":"10s"},{"fault":"signature/tampered-price","from":"10s","for":"10s"},{"fault":"signature/tampered-ts","from":"20s","for":"10s"},{"fault":"signature/bit-flip","from":"30s","for":"10s"},{"fault":"signature/wrong-recovery-id","from":"40s","for":"10s"},{"fault":"signature/high-s","from":"50s","for":"10s"},{"fault":"signature/all-zero","from":"60s","for":"10s"},{"fault":"signature/truncated","from":"70s","for":"10s"},{"fault":"signature/0x-prefix","from":"80s","for":"10s"},{"fault":"signature/evm-v-parity","from":"90s","for":"10s"},{"fault":"signature/replay","from":"100s","for":"10s"},{"fault":"signature/batch-reordered","from":"110s","for":"10s"},{"fault":"signature/batch-swapped","from":"120s","for":"10s"}]},
  "silence": {"title":"No request is ever answered","why":"A request without a timeout.","faults":[{"fault":"wire/timeout"}]},
  "slow-network": {"title":"Replies take 1.5 to 3 seconds, and candles arrive in pieces","why":"A missing timeout, a spinner that never shows, replies that overtake each other.","faults":[{"fault":"reply/latency","options":{"ms":1500,"jitterMs":1500}},{"fault":"wire/dribble","endpoints":["candles"],"options":{"pieces":8,"everyMs":150}}]},
  "stale-btc": {"title":"BTC is five minutes old","why":"A consumer that never checks ts keeps trading on an old price.","faults":[{"fault":"market/stale","feeds":["BTCUSD"],"options":{"age":"5m"}}]},
  "stale-everything": {"title":"All prices are ten minutes old","why":"A consumer that compares feeds with each other, but not with the clock, finds nothing wrong.","faults":[{"fault":"market/stale","options":{"age":"10m"}}]},
  "staleness-ladder": {"title":"Prices that are 59, 60 and 61 seconds old","why":"A staleness check that is off by one at its limit.","faults":[{"fault":"market/stale","feeds":["BTCUSD"],"options":{"age":"58s"}},{"fault":"market/stale","feeds":["ETHUSD"],"options":{"age":"59s"}},{"fault":"market/stale","feeds":["SOLUSD"],"options":{"age":"60s"}}]},
  "stuck-publisher": {"title":"BTC keeps ticking, but its price does not move","why":"A staleness check that looks at ts alone.","faults":[{"fault":"market/flatline","feeds":["BTCUSD"]}]},
  "unauthorized": {"title":"Every key is rejected","why":"A consumer that shows nothing, or yesterday's price, without saying that its key is invalid.","faults":[{"fault":"reply/status","endpoints":["batch","history","evm","latest"],"options":{"status":401}}]},
  "weekend-close": {"title":"One minute before FX and metals close for the weekend","why":"A consumer that expects every feed to tick at all hours and raises an alarm every Friday night.","clock":{"at":"2025-07-25T20:59:00Z"},"faults":[{"fault":"market/closed","feeds":["EURUSD","GBPUSD","USDJPY","AUDUSD","NZDUSD","USDCAD","USDCHF","USDCNH"]},{"fault":"market/closed","feeds":["XAUUSD","XAGUSD","XPTUSD","XPDUSD"]}]},
  "wrong-signer": {"title":"Everything is signed by another key","why":"A consumer that recovers a signer but does not compare it with the one it trusts.","faults":[{"fault":"signature/wrong-signer"}]},
}

/** The name of a scenario that comes with the mock. */
export type BuiltInScenarioName =
  | 'calm'
  | 'bad-tick'
  | 'batch-partial'
  | 'candle-gap'
  | 'candle-pathologies'
  | 'chaos'
  | 'charting-not-found'
  | 'clock-skew'
  | 'depeg-usdc'
  | 'flaky-network'
  | 'flash-crash'
  | 'key-revoked'
  | 'lagging-replica'
  | 'odd-bodies'
  | 'odd-numbers'
  | 'outage-and-recovery'
  | 'price-gap'
  | 'proxy-error-page'
  | 'rate-limited'
  | 'signature-matrix'
  | 'silence'
  | 'slow-network'
  | 'stale-btc'
  | 'stale-everything'
  | 'staleness-ladder'
  | 'stuck-publisher'
  | 'unauthorized'
  | 'weekend-close'
  | 'wrong-signer'
