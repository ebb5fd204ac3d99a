// The replies of the five endpoints with the units of their fields, and the schemas that endpoints, OpenAPI and client share. A test
// compares the types with the schemas. `Integer` is the type of prices: a number by default, as `JSON.parse` reads them; of the
// client's a bigint where a number is not exact.
import * as z from 'zod/mini'
import { documented } from '../settings/schema.js'
import type { ExactInteger } from '../signing/signed-response.js'

/** A price with its own signature for EVM chains. */
export interface EvmPrice<Integer extends ExactInteger = number> {
  /** Symbol of the feed, such as `BTCUSD`. */
  feedId: string
  /** Integer in units of 10^`expo` of the quote currency: the price is `price * 10 ** expo`. */
  price: Integer
  /** Seconds since the epoch. */
  ts: number
  /** Exponent of ten, usually -8. */
  expo: number
  /** r‖s‖v of the signature: 65 bytes in hex, without `0x`. */
  signature: string
}

/** A price with its own signature over the SVM form: the reply of `latest`. */
export interface SignedPrice<Integer extends ExactInteger = number> extends EvmPrice<Integer> {
  /** r‖s of the signature: 64 bytes in hex, without `0x`. */
  signature: string
  /** Recovery id of the signature: 0 or 1. */
  recoveryId: number
}

/** A price of a batch. The signature of the batch covers it. */
export interface BatchPrice<Integer extends ExactInteger = number> {
  /** Symbol of the feed, or its number with the policy `batchFeedId: 'integer'`. */
  feedId: string | number
  /** Integer in units of 10^`expo` of the quote currency. */
  price: Integer
  /** Exponent of ten, usually -8. */
  expo: number
  /** Seconds since the epoch. */
  ts: number
}

/** The reply of `batch`: many prices under one signature. */
export interface BatchReply<Integer extends ExactInteger = number> {
  /** In the order of the signed message. */
  prices: BatchPrice<Integer>[]
  /** r‖s of the signature over all prices: 64 bytes in hex, without `0x`. */
  signature: string
  /** Recovery id of the signature: 0 or 1. */
  recoveryId: number
}

/** The reply of `evm`. */
export interface EvmReply<Integer extends ExactInteger = number> {
  prices: EvmPrice<Integer>[]
}

/** The highest and the lowest price of a feed. `ts` is the second at which it occurred. */
export interface HighLow<Integer extends ExactInteger = number> {
  high: SignedPrice<Integer>
  low: SignedPrice<Integer>
}

/** The reply of `history`: by feed id, as requested. */
export type HistoryReply<Integer extends ExactInteger = number> = Record<string, HighLow<Integer>>

/** One candle of a chart. */
export interface Candle {
  /** Start of the candle in milliseconds since the epoch. */
  time: number
  /** First price, in quote units. */
  open: number
  /** Highest price, in quote units. */
  high: number
  /** Lowest price, in quote units. */
  low: number
  /** Last price, in quote units. */
  close: number
  /** Average price, in quote units. */
  avg: number
  /** Traded volume in USD. */
  volume: number
}

/** The reply of `candles`. */
export interface CandlesReply {
  data: {
    /** The parameter `type` of the request. */
    queryType: string
    /** The parameter `interval` of the request, such as `1h`. */
    interval: string
    /** Oldest first. */
    result: Candle[]
  }
}

/** The reply of each endpoint by the endpoint's name. */
export interface Replies<Integer extends ExactInteger = number> {
  candles: CandlesReply
  batch: BatchReply<Integer>
  history: HistoryReply<Integer>
  evm: EvmReply<Integer>
  latest: SignedPrice<Integer>
}

const price = documented(z.int(), 'An int64, in units of 10^expo. Only faults show other integers.')

/** `price` in units of 10^expo, `ts` in seconds since the epoch; a batch may answer the feed's number. */
export const batchPriceSchema = z.object({
  feedId: z.union([z.string(), z.int()]),
  price,
  expo: z.int32(),
  ts: z.int(),
})

/** A price of the EVM form: its own signature, without a recovery id. */
export const evmPriceSchema = z.object({
  feedId: z.string(),
  price,
  ts: z.int(),
  expo: z.int32(),
  signature: z.string(),
})

/** A price with its own signature: r‖s in hex, and a recovery id. */
export const signedPriceSchema = z.extend(evmPriceSchema, { recoveryId: z.int32() })

/** `time` in milliseconds since the epoch; prices in quote units, `volume` in USD. */
export const candleSchema = z.object({
  time: z.int(),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  avg: z.number(),
  volume: z.number(),
})
