// The words in which faults declare their options.
import * as z from 'zod/mini'
import { text } from '../settings/schema.js'
import { parseDuration } from '../settings/time.js'

const WANT_DURATION = 'a duration such as "90s", "5m", "2h" or "1d"'

/** A span of time, at least a second, written "90s"; read as seconds. */
export const duration = z.pipe(
  text(/^[1-9]\d{0,8}[smhdw]$/, WANT_DURATION),
  z.transform((value: string) => parseDuration(value)!.seconds),
)

/** A moment of a scenario: "0s" is its start. Read as seconds. */
export const offset = z.pipe(
  text(/^(0s|[1-9]\d{0,8}[smhdw])$/, `${WANT_DURATION}, or "0s"`),
  z.transform((value: string) => (value === '0s' ? 0 : parseDuration(value)!.seconds)),
)

/** An option with what holds without it, written as a user would write it. What it means is said in its comment: docs read it. */
export function option<T extends z.ZodMiniType>(schema: T, initial: z.input<T>): z.ZodMiniPrefault<T> {
  return z.prefault(schema, initial as never)
}

/** A fault without options. */
export const NO_OPTIONS = z.strictObject({})
