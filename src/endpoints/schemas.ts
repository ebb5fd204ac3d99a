// The resources of the interface (its section 2), as schemas that the endpoints, the OpenAPI document and the client share.
import * as z from 'zod/mini'
import { documented } from '../settings/schema.js'

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
