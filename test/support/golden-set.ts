// The requests of the golden responses, at one frozen instant. Plain data, for any engine.

/** The instant of the published samples. */
export const AT = '2025-07-24T10:48:25Z'
export const KEY: Readonly<Record<string, string>> = { authorization: 'test-api-key' }

export const SETTINGS = { seed: '42', clock: { at: AT, frozen: true } }
/** Few enough candles to be read. */
export const FEW_CANDLES = { ...SETTINGS, policy: { candles: 5 } }

/** A request whose whole answer is kept in `fixtures/golden/<file>.json`. */
export interface Golden {
  readonly file: string
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

const chart = (feed: string, interval: string): string =>
  `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`

export const GOLDEN: readonly Golden[] = [
  { file: 'latest', path: '/prices/BTCUSD/latest' },
  { file: 'latest-small-price', path: '/prices/shibusd/latest' },
  { file: 'batch', path: '/prices/batch?feedIds=BTCUSD,ETHUSD,USDCUSD,EURUSD' },
  { file: 'history-5', path: '/prices/queryHistory?feedIds=BTCUSD,solusd&minutes=5' },
  { file: 'history-1440', path: '/prices/queryHistory?feedIds=WSTETHUSD,USDTUSD&minutes=1440' },
  { file: 'evm', path: '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD,XAUUSD' },
  { file: 'candles-1h', path: chart('btcusd', '1h') },
  { file: 'candles-1w', path: chart('eurusd', '1w') },
  { file: 'status-204', method: 'OPTIONS', path: '/prices/batch' },
  { file: 'status-400', path: '/prices/queryHistory?feedIds=BTCUSD&minutes=1e3' },
  { file: 'status-401', path: '/prices/BTCUSD/latest', headers: {} },
  { file: 'status-404-feed', path: '/prices/batch?feedIds=BTCUSD,NOUSD' },
  { file: 'status-404-interval', path: chart('btcusd', '24x') },
  { file: 'status-405', method: 'POST', path: '/prices/batch?feedIds=BTCUSD' },
]

/** The requests of each feed whose bodies are hashed in `fixtures/golden/all-feeds.json`. */
export const HASHED: Readonly<Record<string, (id: string) => string>> = {
  latest: id => `/prices/${id}/latest`,
  'history 5': id => `/prices/queryHistory?feedIds=${id}&minutes=5`,
  'history 1440': id => `/prices/queryHistory?feedIds=${id}&minutes=1440`,
  'candles 1m': id => chart(id, '1m'),
  'candles 1h': id => chart(id, '1h'),
  'candles 1d': id => chart(id, '1d'),
}
/** The feeds of the first version: later ones get higher numbers and change no path. */
export const LAST_NUMBER = 64
