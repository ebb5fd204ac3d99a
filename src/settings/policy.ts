// The assumptions of the mock where the interface is silent, each with the option that changes it.
// The schema and the defaults follow from the list; test/support/assumptions.ts has their texts for the documentation.
import * as z from 'zod/mini'
import { integer, schemasOf, text } from './schema.js'

/** All feed classes. */
export const FEED_CLASSES = ['crypto', 'meme', 'staked', 'wrapped', 'stable', 'fx', 'metal'] as const
/** A feed class. */
export type FeedClass = (typeof FEED_CLASSES)[number]

/** The upper limit of the option `maxMinutes`: ten years, which a history of all feeds covers within the CPU time of one request. */
export const MAX_MINUTES = 5_256_000
/** The upper limit of the option `maxFeedIds`. */
export const MAX_FEED_IDS = 10_000

const option = <T extends z.core.$ZodType>(schema: T, byDefault: z.output<T>) => ({ schema, default: byDefault })

const OPTIONS = {
  missingParameter: option(integer(400, 499, 'a status from 400 to 499'), 400),
  unknownFeed: option(z.enum(['reject', 'omit']), 'reject'),
  maxMinutes: option(integer(1, MAX_MINUTES), 525_600),
  maxFeedIds: option(integer(1, MAX_FEED_IDS), 100),
  evmClasses: option(
    z.union([z.literal('all'), z.array(z.enum(FEED_CLASSES)).check(z.maxLength(FEED_CLASSES.length))], {
      error: `"all" or a list of at most ${FEED_CLASSES.length} feed classes: ${FEED_CLASSES.join(', ')}`,
    }),
    'all',
  ),
  batchFeedId: option(z.enum(['symbol', 'integer']), 'symbol'),
  candles: option(integer(1, 2000), 300),
  wwwAuthenticate: option(text(/^$|^[!-~]([ -~]{0,198}[!-~])?$/, 'at most 200 characters of ASCII'), ''),
}

type Options = typeof OPTIONS

/** The assumptions that are options, with their values. */
export type Policy = { readonly [K in keyof Options]: z.output<Options[K]['schema']> }

/** The default of each option. */
export const DEFAULT_POLICY = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, option]) => [name, option.default]),
) as Policy

/** A part of a policy, as a config file or a session gives it. */
export const policySchema = z.partial(z.strictObject(schemasOf(OPTIONS)))
