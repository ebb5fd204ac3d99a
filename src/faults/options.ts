// Schemas from which faults build their options.
import * as z from 'zod/mini'
import { text } from '../settings/schema.js'
import { type Duration, parseDuration } from '../settings/time.js'

const WANT_DURATION = 'a duration such as "90s", "5m", "2h" or "1d"'

/** A duration of at least a second, written "90s", parsed to seconds. */
export const duration = z.pipe(
  text<Duration>(/^[1-9]\d{0,8}[smhdw]$/, WANT_DURATION),
  z.transform((value: Duration) => parseDuration(value)!.seconds),
)

/** A time of a scenario, parsed to seconds: "0s" is its start. */
export const offset = z.pipe(
  text<Duration>(/^(0s|[1-9]\d{0,8}[smhdw])$/, `${WANT_DURATION}, or "0s"`),
  z.transform((value: Duration) => (value === '0s' ? 0 : parseDuration(value)!.seconds)),
)

/** An option with its default, written as a user writes it. The docs show the option's comment. */
export function option<T extends z.ZodMiniType>(schema: T, byDefault: z.input<T>): z.ZodMiniPrefault<T> {
  return z.prefault(schema, byDefault as never)
}

/** A fault without options. */
export const NO_OPTIONS = z.strictObject({})
