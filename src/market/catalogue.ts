// The built-in feeds, as data. Base prices and volumes are rounded ones of July 2025; volatilities are of the usual size.
// A number is never reused: a new feed takes the next free one.
import type { FeedDefinition } from './feeds.js'

/** Price steps in units of 10^−8, by the decimals that markets quote. */
const CENTS = 1_000_000
const MILLS = 100_000
const MICROS = 100

// biome-ignore format: one feed a line reads as a table
const FEEDS = [
  // Majors.
  { id: 'BTCUSD', number: 1, base: 118_300, drivers: { crypto: 0.56, BTCUSD: 0.31 }, volume: 35e9, step: MILLS },
  { id: 'ETHUSD', number: 2, base: 3_650, drivers: { crypto: 0.76, ETHUSD: 0.53 }, volume: 28e9, step: MILLS },
  { id: 'SOLUSD', number: 3, base: 188, drivers: { crypto: 0.87, SOLUSD: 0.63 }, volume: 8e9 },
  { id: 'BNBUSD', number: 4, base: 770, drivers: { crypto: 0.56, BNBUSD: 0.39 }, volume: 2e9, step: MILLS },
  { id: 'XRPUSD', number: 5, base: 3.15, drivers: { crypto: 0.77, XRPUSD: 0.7 }, volume: 9e9, step: MICROS, lag: 0 },
  { id: 'ADAUSD', number: 6, base: 0.82, drivers: { crypto: 0.84, ADAUSD: 0.59 }, volume: 1.5e9, heartbeat: 2 },
  { id: 'TRXUSD', number: 7, base: 0.31, drivers: { crypto: 0.42, TRXUSD: 0.42 }, volume: 1.1e9, heartbeat: 2 },
  { id: 'AVAXUSD', number: 8, base: 23.9, drivers: { crypto: 0.92, AVAXUSD: 0.63 }, volume: 900e6, heartbeat: 2 },
  { id: 'LINKUSD', number: 9, base: 18.3, drivers: { crypto: 0.87, LINKUSD: 0.59 }, volume: 800e6, heartbeat: 2, lag: 2 },
  { id: 'DOTUSD', number: 10, base: 4.15, drivers: { crypto: 0.84, DOTUSD: 0.53 }, volume: 300e6, heartbeat: 4 },
  { id: 'LTCUSD', number: 11, base: 115, drivers: { crypto: 0.7, LTCUSD: 0.49 }, volume: 700e6, heartbeat: 2, step: MILLS },
  { id: 'BCHUSD', number: 12, base: 520, drivers: { crypto: 0.7, BCHUSD: 0.59 }, volume: 400e6, heartbeat: 4, step: MILLS },
  { id: 'NEARUSD', number: 13, base: 2.85, drivers: { crypto: 0.95, NEARUSD: 0.7 }, volume: 250e6, heartbeat: 4 },
  { id: 'ATOMUSD', number: 14, base: 4.7, drivers: { crypto: 0.84, ATOMUSD: 0.56 }, volume: 150e6, heartbeat: 4 },
  { id: 'XLMUSD', number: 15, base: 0.43, drivers: { crypto: 0.77, XLMUSD: 0.73 }, volume: 500e6, heartbeat: 4 },
  { id: 'SUIUSD', number: 16, base: 3.75, drivers: { crypto: 0.98, SUIUSD: 0.77 }, volume: 1.4e9 },
  { id: 'APTUSD', number: 17, base: 4.9, drivers: { crypto: 0.95, APTUSD: 0.63 }, volume: 200e6, heartbeat: 4, lag: 2 },
  { id: 'ARBUSD', number: 18, base: 0.45, drivers: { crypto: 0.95, ARBUSD: 0.7 }, volume: 400e6, heartbeat: 2, lag: 2 },
  { id: 'OPUSD', number: 19, base: 0.72, drivers: { crypto: 0.98, OPUSD: 0.7 }, volume: 200e6, heartbeat: 4, lag: 2 },
  { id: 'INJUSD', number: 20, base: 14, drivers: { crypto: 0.98, INJUSD: 0.84 }, volume: 120e6, heartbeat: 8 },
  { id: 'TIAUSD', number: 21, base: 1.95, drivers: { crypto: 1.05, TIAUSD: 0.91 }, volume: 90e6, heartbeat: 8, lag: 3 },
  { id: 'SEIUSD', number: 22, base: 0.33, drivers: { crypto: 1.01, SEIUSD: 0.84 }, volume: 150e6, heartbeat: 8 },
  { id: 'TONUSD', number: 23, base: 3.3, drivers: { crypto: 0.7, TONUSD: 0.63 }, volume: 250e6, heartbeat: 4 },
  { id: 'HYPEUSD', number: 24, base: 43.5, drivers: { crypto: 0.84, HYPEUSD: 0.84 }, volume: 400e6, lag: 0 },
  { id: 'HBARUSD', number: 25, base: 0.25, drivers: { crypto: 0.84, HBARUSD: 0.77 }, volume: 450e6, heartbeat: 4 },
  { id: 'FILUSD', number: 26, base: 2.6, drivers: { crypto: 0.84, FILUSD: 0.56 }, volume: 180e6, heartbeat: 16, lag: 3 },

  // Protocols share the driver `defi`, besides the market.
  { id: 'UNIUSD', number: 27, base: 10.3, drivers: { crypto: 0.77, defi: 0.49, UNIUSD: 0.56 }, volume: 400e6, heartbeat: 4 },
  { id: 'AAVEUSD', number: 28, base: 285, drivers: { crypto: 0.77, defi: 0.53, AAVEUSD: 0.45 }, volume: 350e6, heartbeat: 4, step: MILLS },
  { id: 'LDOUSD', number: 29, base: 1.05, drivers: { crypto: 0.84, defi: 0.63, LDOUSD: 0.56 }, volume: 120e6, heartbeat: 8, lag: 2 },
  { id: 'CRVUSD', number: 30, base: 0.95, drivers: { crypto: 0.84, defi: 0.7, CRVUSD: 0.7 }, volume: 200e6, heartbeat: 8, lag: 2 },

  // Memes: small prices take a smaller exponent.
  { id: 'DOGEUSD', number: 31, class: 'meme', base: 0.238, drivers: { crypto: 0.77, meme: 0.56, DOGEUSD: 0.35 }, volume: 3e9, heartbeat: 1 },
  { id: 'SHIBUSD', number: 32, class: 'meme', base: 0.0000138, drivers: { crypto: 0.77, meme: 0.63, SHIBUSD: 0.28 }, volume: 300e6 },
  { id: 'PEPEUSD', number: 33, class: 'meme', base: 0.0000127, drivers: { crypto: 0.84, meme: 0.84, PEPEUSD: 0.49 }, volume: 900e6 },
  { id: 'WIFUSD', number: 34, class: 'meme', base: 1.1, drivers: { crypto: 0.91, meme: 0.91, WIFUSD: 0.7 }, volume: 350e6 },
  { id: 'BONKUSD', number: 35, class: 'meme', base: 0.000034, drivers: { crypto: 0.91, meme: 0.91, BONKUSD: 0.7 }, volume: 800e6, lag: 3 },
  { id: 'FLOKIUSD', number: 36, class: 'meme', base: 0.000125, drivers: { crypto: 0.84, meme: 0.84, FLOKIUSD: 0.63 }, volume: 200e6, heartbeat: 8 },

  // Stablecoins: a small volatility and a short span keep them within a few basis points. A fifth of their variance is that of all.
  { id: 'USDTUSD', number: 37, class: 'stable', base: 1, drivers: { peg: 0.0018, USDTUSD: 0.0036 }, volume: 90e9, heartbeat: 4, lag: 1 },
  { id: 'USDCUSD', number: 38, class: 'stable', base: 1, drivers: { peg: 0.0018, USDCUSD: 0.0036 }, volume: 12e9, heartbeat: 4, lag: 1 },
  { id: 'DAIUSD', number: 39, class: 'stable', base: 1, drivers: { peg: 0.0022, DAIUSD: 0.0045 }, volume: 150e6 },
  { id: 'USDEUSD', number: 40, class: 'stable', base: 1, drivers: { peg: 0.0027, USDEUSD: 0.0054 }, volume: 200e6 },
  { id: 'FDUSDUSD', number: 41, class: 'stable', base: 0.9985, drivers: { peg: 0.002, FDUSDUSD: 0.004 }, volume: 6e9 },
  { id: 'PYUSDUSD', number: 42, class: 'stable', base: 1, drivers: { peg: 0.0022, PYUSDUSD: 0.0045 }, volume: 20e6, heartbeat: 16 },

  // Staked tokens: the price of the parent, a ratio that grows by their yield, and a small basis. The wrapped one is exchanged for
  // the other at its ratio, so it has no basis.
  { id: 'STETHUSD', number: 43, class: 'staked', parent: 'ETHUSD', ratio: 0.9995, basis: 0.004, volume: 60e6, step: MICROS },
  { id: 'WSTETHUSD', number: 44, class: 'staked', parent: 'STETHUSD', ratio: 1.2091, yield: 0.03, basis: 0, volume: 40e6, step: MICROS },
  { id: 'WEETHUSD', number: 45, class: 'staked', parent: 'ETHUSD', ratio: 1.0735, yield: 0.03, basis: 0.006, volume: 30e6, step: MICROS },
  { id: 'RETHUSD', number: 46, class: 'staked', parent: 'ETHUSD', ratio: 1.139, yield: 0.026, basis: 0.006, volume: 10e6, heartbeat: 8, step: MICROS },
  { id: 'CBETHUSD', number: 47, class: 'staked', parent: 'ETHUSD', ratio: 1.101, yield: 0.026, basis: 0.006, volume: 15e6, heartbeat: 8, step: MICROS },
  { id: 'JITOSOLUSD', number: 48, class: 'staked', parent: 'SOLUSD', ratio: 1.221, yield: 0.065, basis: 0.005, volume: 50e6, lag: 3 },

  // Wrapped coins.
  { id: 'WBTCUSD', number: 49, class: 'wrapped', parent: 'BTCUSD', ratio: 0.9992, basis: 0.004, volume: 300e6, step: MILLS },
  { id: 'LBTCUSD', number: 50, class: 'wrapped', parent: 'BTCUSD', ratio: 0.9988, basis: 0.006, volume: 20e6, heartbeat: 8, step: MILLS },
  { id: 'CBBTCUSD', number: 51, class: 'wrapped', parent: 'BTCUSD', ratio: 1, basis: 0.003, volume: 400e6, step: MILLS },
  { id: 'WETHUSD', number: 52, class: 'wrapped', parent: 'ETHUSD', ratio: 1, basis: 0.001, volume: 500e6, step: MILLS },

  // Foreign exchange: the driver `usd` is a weaker dollar, so pairs quoted in another currency move against it.
  { id: 'EURUSD', number: 53, class: 'fx', base: 1.1745, drivers: { usd: 0.055, EURUSD: 0.045 }, volume: 40e9, step: MICROS, heartbeat: 1 },
  { id: 'GBPUSD', number: 54, class: 'fx', base: 1.351, drivers: { usd: 0.052, GBPUSD: 0.05 }, volume: 18e9, step: MICROS, heartbeat: 2 },
  { id: 'USDJPY', number: 55, class: 'fx', base: 147, drivers: { usd: -0.055, USDJPY: 0.075 }, volume: 25e9, step: MILLS / 10, heartbeat: 1 },
  { id: 'AUDUSD', number: 56, class: 'fx', base: 0.659, drivers: { usd: 0.06, AUDUSD: 0.065 }, volume: 9e9, step: MICROS },
  { id: 'NZDUSD', number: 57, class: 'fx', base: 0.603, drivers: { usd: 0.06, NZDUSD: 0.065 }, volume: 3e9, step: MICROS },
  { id: 'USDCAD', number: 58, class: 'fx', base: 1.364, drivers: { usd: -0.045, USDCAD: 0.04 }, volume: 9e9, step: MICROS },
  { id: 'USDCHF', number: 59, class: 'fx', base: 0.795, drivers: { usd: -0.055, USDCHF: 0.045 }, volume: 7e9, step: MICROS },
  { id: 'USDCNH', number: 60, class: 'fx', base: 7.16, drivers: { usd: -0.025, USDCNH: 0.025 }, volume: 6e9, step: MICROS, heartbeat: 8 },

  // Metals, per troy ounce.
  { id: 'XAUUSD', number: 61, class: 'metal', base: 3_370, drivers: { usd: 0.075, metals: 0.115, XAUUSD: 0.045 }, volume: 60e9, step: CENTS, heartbeat: 2 },
  { id: 'XAGUSD', number: 62, class: 'metal', base: 38.9, drivers: { usd: 0.1, metals: 0.23, XAGUSD: 0.13 }, volume: 8e9, step: MILLS },
  { id: 'XPTUSD', number: 63, class: 'metal', base: 1_410, drivers: { metals: 0.16, XPTUSD: 0.2 }, volume: 1e9, step: CENTS, heartbeat: 8, lag: 1 },
  { id: 'XPDUSD', number: 64, class: 'metal', base: 1_230, drivers: { metals: 0.16, XPDUSD: 0.28 }, volume: 500e6, step: CENTS, heartbeat: 16, lag: 1 },
] as const satisfies readonly FeedDefinition[]

/** The definitions, in the order of their numbers. */
export const CATALOGUE: readonly FeedDefinition[] = FEEDS

/** The id of a feed of the catalogue. */
export type CatalogueFeedId = (typeof FEEDS)[number]['id']
/** The id of any feed. Editors complete those of the catalogue. */
export type FeedId = CatalogueFeedId | (string & {})
