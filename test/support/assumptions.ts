// The assumptions of the mock as the documentation prints them: what the interface leaves open, and the answer.
import type { Policy } from '../../src/settings/policy.js'

/** One assumption. */
export interface Assumption {
  readonly silentOn: string
  readonly assumed: string
  /** The setting that changes it; undefined where there is none. */
  readonly option?: string
}

/** The text of each option. */
const TEXTS: { readonly [K in keyof Policy]: Pick<Assumption, 'silentOn' | 'assumed'> } = {
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
    assumed:
      'the newest 300, oldest first, the last one still open; fewer near 1970, beyond 68 years or where there is no price',
  },
  wwwAuthenticate: {
    silentOn: '`WWW-Authenticate` on a 401, which HTTP requires (RFC 9110, 11.6.1)',
    assumed:
      'none; a value such as `ApiKey realm="prices"` is sent with every 401, also with those of faults (with `Basic`, browsers ask for a password)',
  },
}

/** All assumptions, options first: the table "Where the interface is silent". */
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
      "all may read all replies, errors included, and send `Authorization`; they may read the headers `date`, `retry-after` and `x-price-feed-mock`; none may send cookies, so browsers block `credentials: 'include'`",
  },
  {
    silentOn: 'caching and the date',
    assumed: '`cache-control: no-store` on every reply; `date` is the virtual time of the session',
  },
  { silentOn: 'other methods', assumed: 'HEAD as GET, OPTIONS as CORS preflight, the rest 405 with `Allow`' },
  { silentOn: 'several `Authorization` headers', assumed: '401, also if one of the values is a valid key' },
  { silentOn: 'rate limits', assumed: 'none' },
]
