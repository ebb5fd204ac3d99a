// The assumptions of the mock where the interface is silent, each with the option that changes it.
// The schema, the defaults and the table in the documentation follow from these lists.
import * as z from 'zod/mini'
import { integer, text } from './schema.js'

/** All feed classes. */
export const FEED_CLASSES = ['crypto', 'meme', 'staked', 'wrapped', 'stable', 'fx', 'metal'] as const
/** A feed class. */
export type FeedClass = (typeof FEED_CLASSES)[number]

/** The upper limit of the option `maxMinutes`: 80 years. */
const MAX_MINUTES = 42_076_800

/** One assumption. */
export interface Assumption {
  readonly silentOn: string
  readonly assumed: string
  /** The setting that changes it; undefined where there is none. */
  readonly option?: string
}

function defineOption<T extends z.core.$ZodType>(option: { schema: T; default: z.output<T> }): typeof option {
  return option
}

const OPTIONS = {
  missingParameter: defineOption({
    schema: integer(400, 499, 'a status from 400 to 499'),
    default: 400,
  }),
  unknownFeed: defineOption({
    schema: z.enum(['reject', 'omit']),
    default: 'reject',
  }),
  maxMinutes: defineOption({
    schema: integer(1, MAX_MINUTES),
    default: 525_600,
  }),
  maxFeedIds: defineOption({
    schema: integer(1, 10_000),
    default: 100,
  }),
  evmClasses: defineOption({
    schema: z.union([z.literal('all'), z.array(z.enum(FEED_CLASSES)).check(z.maxLength(FEED_CLASSES.length))], {
      error: `"all" or a list of at most ${FEED_CLASSES.length} feed classes: ${FEED_CLASSES.join(', ')}`,
    }),
    default: 'all',
  }),
  batchFeedId: defineOption({
    schema: z.enum(['symbol', 'integer']),
    default: 'symbol',
  }),
  candles: defineOption({
    schema: integer(1, 2000),
    default: 300,
  }),
  wwwAuthenticate: defineOption({
    schema: text(/^$|^[!-~]([ -~]{0,198}[!-~])?$/, 'at most 200 characters of ASCII'),
    default: '',
  }),
}

type Options = typeof OPTIONS
type OptionName = keyof Options

/** The assumptions that are options, with their values. */
export type Policy = { readonly [K in OptionName]: z.output<Options[K]['schema']> }

/** The default of each option. */
export const DEFAULT_POLICY = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, option]) => [name, option.default]),
) as Policy

/** A part of a policy, as a config file or a session gives it. */
export const policySchema = z.partial(
  z.strictObject(
    Object.fromEntries(Object.entries(OPTIONS).map(([name, option]) => [name, option.schema])) as {
      [K in OptionName]: Options[K]['schema']
    },
  ),
)

/** The text of each option. It stands apart from `OPTIONS`, so that bundles without documentation drop it. */
const TEXTS: { readonly [K in OptionName]: Pick<Assumption, 'silentOn' | 'assumed'> } = {
  missingParameter: {
    silentOn: '`feedIds` or `minutes` missing, empty or malformed',
    assumed: 'status 400, also for a parameter given twice; empty items between commas are skipped',
  },
  unknownFeed: {
    silentOn: 'an unknown feed, or a feed without a price, on the key-protected endpoints',
    assumed:
      '`reject`: 404 that names the unknown ids, and the whole request fails; `omit`: it is left out (404 when nothing is left)',
  },
  maxMinutes: {
    silentOn: 'the bounds of `minutes`',
    assumed: '1 … 525600 in plain digits (no sign, blank, exponent or leading zero), otherwise 400',
  },
  maxFeedIds: {
    silentOn: 'the number of feed ids in a request',
    assumed: '1 … 100 different ones, otherwise 400; duplicates collapse onto their first place',
  },
  evmClasses: {
    silentOn: '`/prices/evm/crypto` for feeds that are not crypto (FX, metals)',
    assumed: 'served; a list of classes limits it, and others count as unknown feeds',
  },
  batchFeedId: {
    silentOn: '`feedId` of the batch: declared an integer, seen as text',
    assumed: '`symbol`; `integer` answers the number of the feed in the catalogue (the signed bytes keep the symbol)',
  },
  candles: {
    silentOn: 'how many candles are answered',
    assumed: 'the newest 300, oldest first, the last one still open; fewer near 1970 or where there is no price',
  },
  wwwAuthenticate: {
    silentOn: '`WWW-Authenticate` on a 401, which HTTP requires (RFC 9110, 11.6.1)',
    assumed:
      'none; a value such as `ApiKey realm="prices"` is sent with every 401, also with those of faults (with `Basic`, browsers ask for a password)',
  },
}

/** All assumptions, options first: the table "Where the interface is silent". A function, so that bundles can drop it. */
export const listAssumptions = (): Assumption[] => [
  ...Object.entries(TEXTS).map(([name, text]) => ({ ...text, option: `policy.${name}` })),
  {
    silentOn: 'the signed bytes of the EVM form',
    assumed:
      '65 bytes r‖s‖v, v 27 or 28, lower-case hex without `0x`, over keccak256 of `abi.encodePacked(bytes32 feedId left-padded, uint192 price, uint32 ts, int32 expo)`',
    option: 'signing.evm',
  },
  {
    silentOn: 'signed byte layouts in general',
    assumed:
      'a layout is data: `field:encoding` in order, digest, prefix and form of the signature; your own can stand beside `svm` and `evm`',
    option: 'signing.layouts',
  },
  {
    silentOn: 'the signed bytes of the batch, `queryHistory` and `latest`',
    assumed:
      '49 bytes a price (verified against published responses); a batch signs the concatenation in the order of the reply (inferred)',
    option: 'signing.svm',
  },
  {
    silentOn: 'a request with several mistakes',
    assumed:
      'on the four key-protected endpoints 401 before 400 before 404; the charting endpoint answers each mistake with 404; another method is 405 before all of them',
  },
  { silentOn: 'unknown parameters', assumed: 'ignored' },
  { silentOn: 'the body of an error', assumed: '`{"error": "<code>", "message": "<sentence>"}`' },
  {
    silentOn: 'the case of feed ids',
    assumed:
      'any case is accepted; `feedId` has the spelling of the catalogue, the keys of `queryHistory` are spelled as requested; ids are not trimmed, so `BTCUSD, ETHUSD` with a blank names an unknown feed',
  },
  {
    silentOn: 'the window of `queryHistory`',
    assumed:
      'ticks in `(now − 60 · minutes, now]`, each with its own `ts`; a window without ticks answers the last tick before it',
  },
  {
    silentOn: 'charting: `feedids` absent, or without the `feed`',
    assumed: '404, as for a missing feed; `feed` decides which feed is drawn',
  },
  { silentOn: 'charting: a `type` other than 1', assumed: '404' },
  {
    silentOn: 'charting: the intervals',
    assumed:
      '`<n>s`, `<n>m`, `<n>h`, `<n>d`, `<n>w` from 1 s to 52 w in plain digits, otherwise 404; aligned to the epoch, weeks to Monday',
  },
  {
    silentOn: 'the charting path',
    assumed: '`/charting/feeds-data`, and `/trading-view/feeds-data` as an alias; `queryHistory` in any case',
  },
  {
    silentOn: 'charting: `avg` of a candle',
    assumed: 'the mean of at most 60 evenly spaced prices in force, within `low` and `high`',
  },
  { silentOn: 'charting: `volume` of a candle', assumed: 'US dollars; 24 candles of 1h add up to the one of 24h' },
  {
    silentOn: 'pages of other origins (CORS)',
    assumed:
      'all may read all replies, errors included, and send `Authorization`; they may read the headers `date`, `retry-after` and `x-price-feed-mock`',
  },
  {
    silentOn: 'caching and the date',
    assumed: '`cache-control: no-store` on every reply; `date` is the virtual time of the session',
  },
  { silentOn: 'other methods', assumed: 'HEAD as GET, OPTIONS as CORS preflight, the rest 405 with `Allow`' },
  {
    silentOn: 'several `Authorization` headers',
    assumed: '401, also if one of the values is a valid key',
  },
  { silentOn: 'rate limits', assumed: 'none' },
]
