// Schemas from which faults build their options, and the choice of candles for faults that change one in N: by timestamp, so that
// every poll agrees.
import * as z from 'zod/mini'
import { integer, number, text } from '../settings/schema.js'
import { type Duration, parseDuration } from '../settings/time.js'
import type { CandleContext, Half, Row } from './fault.js'

const WANT_DURATION = 'a duration such as "90s", "5m", "2h" or "1d"'

/** A duration of at least a second, written "90s", parsed to seconds. */
export const duration = z.pipe(
  text<Duration>(/^[1-9]\d{0,8}[smhdw]$/, WANT_DURATION),
  z.transform((value: Duration) => parseDuration(value)!.seconds),
)

/** A time of a scenario, parsed to seconds: "0s" is its start. */
export const offset = z.pipe(
  text<Duration>(/^(0s|[1-9]\d{0,8}[smhdw])$/, `${WANT_DURATION}, or "0s"`),
  z.transform((value: Duration) => parseDuration(value)?.seconds ?? 0),
)

/** A price as users write it. */
export const quotePrice = number(1e-18, 1e15, 'a price from 1e-18 to 1e15 quote units')

/** An option with its default, written as a user writes it. The docs show the option's comment. */
export function option<T extends z.ZodMiniType>(schema: T, byDefault: z.input<T>): z.ZodMiniPrefault<T> {
  return z.prefault(schema, byDefault as never)
}

/** An option that is one of some words, by default the first. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  option(z.enum(words as readonly Words[number][]), words[0])

/** The forms of a `Retry-After`. */
export const RETRY_AFTER_FORMS = ['seconds', 'date', 'zero', 'negative', 'text', 'none'] as const

/** How `Retry-After` is sent. */
export const retryAfterForm = oneOf(...RETRY_AFTER_FORMS)

/** The objects of an answer that a fault of a field changes. */
export const ENTRIES = ['every', 'first'] as const

/** The name of a field. */
export const fieldName = text(
  /^[A-Za-z]\w{0,63}$/,
  'the name of a field, such as "price", at most 64 letters, digits and _',
)

/** The objects with the field that change. */
export const only = oneOf(...ENTRIES)

/** The prices of a history that change. */
export const onlyOfHistory = oneOf('every', 'high', 'low')

/** Whether a price is one of those that change: every price is, outside a history. */
export const isOfHalf = (only: z.output<typeof onlyOfHistory>, half: Half | undefined): boolean =>
  half === undefined || only === 'every' || only === half

/** A fault without options. */
export const NO_OPTIONS = z.strictObject({})

/**
 * The faults that change one candle in N. The position of a fault is the remainder that it picks, so that faults with the default
 * option pick different candles; a new one is added at the end.
 */
export const EVERY_NTH_FAULTS = [
  'series/missing',
  'series/duplicate',
  'series/out-of-order',
  'series/null-values',
  'series/negative-volume',
  'series/high-below-low',
  'series/time-unit',
] as const

/** Affects every Nth candle, chosen by timestamp; from 7 on, each of these faults picks different candles. */
export const every = option(integer(1, 1000), EVERY_NTH_FAULTS.length)

/** The start of a candle in seconds, also where faults have changed the unit of its time, or moved it by the ten years of a skew. */
export function startOf({ time }: Row, now: number): number {
  if (time <= 2 * now) return time
  return time <= 2000 * now ? time / 1000 : time / 1e6
}

type EveryNth = CandleContext<{ readonly every: number; readonly length?: number }>

/** Whether a candle is at a place of every N, or one of some in a row from there on; −1 is the last place. */
export function isAtPlace(row: Row, { options: { every, length = 1 }, width, now }: EveryNth, place: number): boolean {
  const passed = Math.floor(startOf(row, now) / width) - place
  return ((passed % every) + every) % every < length
}

/** Whether a fault picks a candle: each has a place of its own. */
export const isPicked = (row: Row, context: EveryNth, fault: (typeof EVERY_NTH_FAULTS)[number]): boolean =>
  isAtPlace(row, context, EVERY_NTH_FAULTS.indexOf(fault))
