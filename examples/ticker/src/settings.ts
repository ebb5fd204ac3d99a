// Settings of the ticker: from the query of the page, else from the environment of the build, else the defaults.
import { testSigners } from 'price-feed-mock/verify'

/** Options of the mock in a service worker of the page. */
export interface WorkerSettings {
  readonly seed: string
  readonly scenario: string | undefined
  /** Where the clock starts; undefined is the present. */
  readonly at: string | undefined
  readonly frozen: boolean
}

export interface Settings {
  /** Base address of the signed-price endpoints. */
  readonly baseUrl: string
  /** Base address of the charting endpoint. */
  readonly historyUrl: string
  readonly apiKey: string
  /** Accepted signers. */
  readonly signers: readonly string[]
  readonly feeds: readonly string[]
  readonly interval: string
  /** Milliseconds between two requests of one price. */
  readonly everyMs: number
  readonly worker: WorkerSettings | undefined
}

export const INTERVALS = ['1m', '5m', '1h', '1d'] as const

/** Reads the settings, such as `?feeds=BTCUSD,EURUSD&base=http://127.0.0.1:4700` or `?worker=1&scenario=stale-btc`. */
export function readSettings(search: string, env: Readonly<Record<string, string | undefined>>): Settings {
  const query = new URLSearchParams(search)
  const worker = isOn(query.get('worker'))
  // Reserved addresses: only the worker can answer them.
  const [base, history] = worker
    ? ['https://prices.example', 'https://history.example']
    : [env.PRICE_FEED_BASE_URL ?? 'http://127.0.0.1:4700', env.PRICE_FEED_HISTORY_URL]
  const baseUrl = readAddress(query.get('base') ?? base!)
  return {
    baseUrl,
    historyUrl: readAddress(query.get('history') ?? history ?? baseUrl),
    apiKey: query.get('key') ?? (worker ? undefined : env.PRICE_FEED_API_KEY) ?? 'test-api-key',
    signers: list(query.get('signer') ?? (worker ? undefined : env.PRICE_FEED_SIGNER) ?? testSigners()[0]!.address),
    feeds: list(query.get('feeds') || 'BTCUSD,ETHUSD,SOLUSD,DOGEUSD,EURUSD,XAUUSD'),
    interval: query.get('interval') ?? '5m',
    everyMs: Math.max(100, Number(query.get('every')) || 1000),
    worker: worker
      ? {
          seed: query.get('seed') ?? '42',
          scenario: query.get('scenario') ?? undefined,
          at: query.get('at') ?? undefined,
          frozen: isOn(query.get('frozen')),
        }
      : undefined,
  }
}

const isOn = (value: string | null): boolean => value !== null && value !== '0' && value !== 'false'

function readAddress(text: string): string {
  if (!URL.canParse(text)) throw new Error(`"${text}" is no address.`)
  return text.replace(/\/+$/, '')
}

const list = (text: string): string[] => [...new Set(text.split(',').map(item => item.trim()))].filter(Boolean)
