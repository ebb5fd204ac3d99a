// The table of options. The parser, --help, environment names, validation and the documentation are derived from it.
import * as z from 'zod/mini'
import { isStoreUrl, WANT_STORE } from '../hosts/node/store/store-url.js'
import { seriesAtSchema } from '../market/series-input.js'
import { ADMIN_TOKEN, BASE_URL, ORIGIN, WANT_BASE_URL, WANT_ORIGIN, WANT_TOKEN } from '../settings/access.js'
import { integer, text } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'
import { commandSettings } from './command-options.js'

const WANT_FILE = 'a file, or { "file": "btc.csv", "as": "BTCUSD" }'
const WANT_DRAIN = 'a duration such as 5s or 1m, or 0'

/** Settings of the process, as opposed to those of a session. */
const processSchema = z.partial(
  z.strictObject({
    host: text(/^[^\s/]{1,255}$/, 'a host name or an address'),
    port: integer(0, 65_535),
    historyPort: integer(0, 65_535),
    allowHosts: z.array(text(/^[^\s/:]{1,255}$/, 'a host name without a port')),
    allowOrigins: z.array(text(ORIGIN, WANT_ORIGIN)),
    adminToken: text(new RegExp(`^auto$|${ADMIN_TOKEN.source}`), `${WANT_TOKEN}, or auto`),
    feeds: z.string(),
    syntheticFeeds: integer(0, 5000),
    series: z
      .array(
        z.union([z.string(), z.strictObject({ file: z.string(), as: z.optional(z.string()) })], { error: WANT_FILE }),
        {
          error: 'a list of files',
        },
      )
      .check(z.maxLength(100, { error: 'at most 100 files' })),
    as: z.array(z.string()),
    seriesAt: seriesAtSchema,
    scenario: z.union([z.string(), z.looseObject({})], { error: 'the name of a scenario, a file, or a scenario' }),
    scenarios: z.string(),
    watch: z.boolean(),
    tlsCert: z.string(),
    tlsKey: z.string(),
    handlers: z.string(),
    snapshot: text(/^[^\0]{1,4096}$/, 'the path of a file'),
    state: text(/^[^\0]{1,4096}$/, 'the path of a file'),
    stateEvery: text(/^[1-9]\d{0,9}[smhdw]$/, 'a duration such as 10s or 1m'),
    store: z.string({ error: WANT_STORE }).check(z.refine(isStoreUrl, { error: WANT_STORE })),
    sessionIdle: text(/^[1-9]\d{0,9}[smhdw]$/, 'a duration such as 1h or 24h'),
    lazySessions: z.boolean(),
    publicUrl: text(BASE_URL, WANT_BASE_URL),
    drain: z.union([z.literal(0), text(/^(0|[1-9]\d{0,9}[smhdw])$/, WANT_DRAIN)], { error: WANT_DRAIN }),
    log: z.enum(['pretty', 'json', 'off']),
    ready: z.enum(['url', 'json']),
  }),
)

/** A config file: session settings and process settings. Paths in it are relative to its folder. */
export const configSchema = z.extend(settingsSchema, { $schema: z.optional(z.string()), ...processSchema.shape })
/** A configuration as written by the user: validated, not yet converted. */
export type Config = z.input<typeof configSchema>
/** Everything that flags and variables can set: a config file's settings and those of a single run. */
export const optionsSchema = z.extend(configSchema, commandSettings)

/** The groups of options, in the order of --help. */
export const GROUPS = ['Market', 'Faults', 'Signing and access', 'Server', 'Output'] as const
/** The groups of options that single commands have besides. */
const COMMAND_GROUPS = ['Checks', 'Tape', 'Relay'] as const

/** One option of the command line. */
export interface CliOption {
  /** In Commander's notation: `--port <number>`. */
  readonly flag: string
  /** Its short form without the dash: `p`. */
  readonly short?: string
  readonly group: (typeof GROUPS)[number] | (typeof COMMAND_GROUPS)[number]
  readonly description: string
  /** The default, as --help shows it. */
  readonly default?: string
  /** The path of its value in `configSchema`. Undefined for `--config` itself. */
  readonly setting?: string
  /** A `list` repeats its flag; `commas` can also separate its values. */
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'commas'
  /** The environment variable, where it is not made of the flag; empty for none. */
  readonly environment?: string
  /** A setting that cannot be combined with this one, and the reason. */
  readonly conflict?: { readonly setting: string; readonly reason: string }
  /** A setting that must be given with this one. */
  readonly needs?: string
  /** The end of its environment variable, where another option has the same name. */
  readonly variable?: string
  /** Replaces the schema's `want` in errors, where the command line offers another remedy than a file. */
  readonly want?: string
}

/** Every option of `serve` and `exec`. */
export const OPTIONS: readonly CliOption[] = [
  {
    flag: '--seed <text>',
    group: 'Market',
    kind: 'text',
    setting: 'seed',
    default: '42',
    description: 'seed of the prices: the same seed gives the same prices',
  },
  {
    flag: '--at <time>',
    group: 'Market',
    kind: 'text',
    setting: 'clock.at',
    default: 'now',
    description: 'start time of the clock: ISO 8601 with Z, or seconds since the epoch',
  },
  {
    flag: '--speed <factor>',
    group: 'Market',
    kind: 'number',
    setting: 'clock.speed',
    default: '1',
    description: 'virtual seconds per real second',
    conflict: { setting: 'clock.frozen', reason: 'a frozen clock has no speed' },
    want: 'a speed from 0.001 to 1000000; use --frozen to stop the clock',
  },
  {
    flag: '--frozen',
    group: 'Market',
    kind: 'flag',
    setting: 'clock.frozen',
    description: 'keep the clock at its start time',
  },
  {
    flag: '--feeds-file <file>',
    variable: 'FEEDS',
    group: 'Market',
    kind: 'text',
    setting: 'feeds',
    description: 'JSON file of your own feeds, which extend or replace the catalogue',
  },
  {
    flag: '--synthetic-feeds <count>',
    group: 'Market',
    kind: 'number',
    setting: 'syntheticFeeds',
    default: '0',
    description: 'number of generated feeds to add',
  },
  {
    flag: '--series <file>',
    group: 'Market',
    kind: 'list',
    setting: 'series',
    description: 'file of ticks or candles, CSV or JSON, that a feed follows; can be repeated',
  },
  {
    flag: '--as <feed>',
    group: 'Market',
    kind: 'list',
    setting: 'as',
    default: 'the column feed, or the file name',
    description: 'feed that follows the series; one for each --series',
  },
  {
    flag: '--series-at <time>',
    group: 'Market',
    kind: 'text',
    setting: 'seriesAt',
    default: 'start',
    description: 'time of the first row: start (as in the file), now, or a time',
  },
  {
    flag: '--scenario <name>',
    group: 'Faults',
    kind: 'text',
    setting: 'scenario',
    default: 'calm',
    description: 'faults to simulate: the name of a scenario, a JSON file, or inline JSON',
  },
  {
    flag: '--scenarios <folder>',
    group: 'Faults',
    kind: 'text',
    setting: 'scenarios',
    description: 'folder of your own scenarios, one JSON file each; the file name is the scenario name',
  },
  {
    flag: '--watch',
    group: 'Faults',
    kind: 'flag',
    setting: 'watch',
    description: 'reload scenario files when they change; an invalid file is reported and the last valid version stays',
  },
  {
    flag: '--api-key <key>',
    group: 'Signing and access',
    kind: 'list',
    setting: 'apiKeys',
    default: 'test-api-key',
    description: 'accepted API key; can be repeated',
  },
  {
    flag: '--signer <number>',
    group: 'Signing and access',
    kind: 'number',
    setting: 'signer',
    default: '0',
    description: 'number of the public test key that signs, 0 to 9',
    conflict: { setting: 'signerKeyUnsafe', reason: 'only one key can sign' },
  },
  {
    flag: '--signer-key-unsafe <key>',
    group: 'Signing and access',
    kind: 'text',
    setting: 'signerKeyUnsafe',
    description: 'private key to sign with, in hex; never use a real one',
  },
  {
    flag: '--allow-host <name>',
    group: 'Signing and access',
    kind: 'list',
    setting: 'allowHosts',
    description: 'allow requests to /_mock/ under this host name; can be repeated',
  },
  {
    flag: '--allow-origin <origin>',
    group: 'Signing and access',
    kind: 'list',
    setting: 'allowOrigins',
    description: 'allow pages of this origin, such as http://localhost:5173, to use /_mock/; can be repeated',
  },
  {
    flag: '--admin-token <token>',
    group: 'Signing and access',
    kind: 'text',
    setting: 'adminToken',
    description:
      'token for /_mock/ and new sessions, but not those of /scenario/NAME, as Authorization: Bearer; set it in the environment. auto makes one and prints it',
  },
  {
    flag: '--host <address>',
    group: 'Server',
    kind: 'text',
    setting: 'host',
    default: 'localhost',
    description: 'address to listen on; localhost means both loopback addresses',
  },
  {
    flag: '--port <number>',
    short: 'p',
    group: 'Server',
    kind: 'number',
    setting: 'port',
    default: '4700',
    description: 'port to listen on; 0 picks a free one',
  },
  {
    flag: '--history-port <number>',
    group: 'Server',
    kind: 'number',
    setting: 'historyPort',
    description: 'separate port for the charting endpoint; each port then serves only its own endpoints',
  },
  {
    flag: '--tls-cert <file>',
    group: 'Server',
    kind: 'text',
    setting: 'tlsCert',
    needs: 'tlsKey',
    description: 'certificate in PEM: the server then speaks HTTPS only',
  },
  {
    flag: '--tls-key <file>',
    group: 'Server',
    kind: 'text',
    setting: 'tlsKey',
    needs: 'tlsCert',
    description: 'private key of the certificate, in PEM and not encrypted',
  },
  {
    flag: '--handlers <file>',
    group: 'Server',
    kind: 'text',
    setting: 'handlers',
    description: 'module of your own msw handlers, for paths that the mock does not serve',
  },
  {
    flag: '--snapshot <file>',
    group: 'Server',
    kind: 'text',
    setting: 'snapshot',
    conflict: { setting: 'state', reason: 'both hold the session default' },
    description: 'snapshot that the session default starts from; --at, --speed and --frozen change its clock',
  },
  {
    flag: '--state <file>',
    group: 'Server',
    kind: 'text',
    setting: 'state',
    description:
      'file that keeps all sessions and their journals: restored at the start, saved at the end and in between',
  },
  {
    flag: '--state-every <duration>',
    group: 'Server',
    kind: 'text',
    setting: 'stateEvery',
    default: '10s',
    needs: 'state',
    description: 'time between two saves of a changed state',
  },
  {
    flag: '--store <url>',
    group: 'Server',
    kind: 'text',
    setting: 'store',
    description:
      'address of a Redis that keeps all sessions, so that several servers answer as one, such as redis://host:6379',
  },
  {
    flag: '--session-idle <duration>',
    group: 'Server',
    kind: 'text',
    setting: 'sessionIdle',
    default: '24h',
    needs: 'store',
    description: 'time without requests and changes after which a session in the store is removed',
  },
  {
    flag: '--lazy-sessions',
    group: 'Server',
    kind: 'flag',
    setting: 'lazySessions',
    needs: 'store',
    description: 'create an unknown session by its path, as without a store',
  },
  {
    flag: '--public-url <url>',
    group: 'Server',
    kind: 'text',
    setting: 'publicUrl',
    conflict: { setting: 'historyPort', reason: 'it is one address for both ports' },
    description: 'address under which clients reach the server, such as that of a load balancer',
  },
  {
    flag: '--drain <duration>',
    group: 'Server',
    kind: 'text',
    setting: 'drain',
    default: '5s',
    description:
      'time for answers in progress to finish on SIGINT and SIGTERM; a second signal ends the program at once',
  },
  {
    flag: '--config <file>',
    group: 'Server',
    kind: 'text',
    description: 'JSON file of settings, or inline JSON; flags and environment variables win over it',
  },
  {
    flag: '--log <form>',
    group: 'Output',
    kind: 'text',
    setting: 'log',
    default: 'pretty',
    description: 'request log on stderr: pretty, json or off',
  },
  {
    flag: '--ready <form>',
    group: 'Output',
    kind: 'text',
    setting: 'ready',
    default: 'url',
    description: 'line on stdout when the server is ready: url or json',
  },
]

/** Flags of other programs, or of other commands here: the options that do the same, by their long names. */
export const HINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '--json': {
    ready: '--ready json for the line on stdout',
    log: '--log json for the request log',
    format: '--format json',
  },
  '-v': { version: '--version', log: '--log pretty for the request log' },
  '--verbose': { log: '--log pretty' },
  '--quiet': { log: '--log off' },
  '-q': { log: '--log off' },
  '--silent': { log: '--log off' },
  '--feeds': { 'feeds-file': '--feeds-file for a file of your own feeds; --feeds are ids, where a command takes them' },
}

/** `--history-port <number>` → `history-port` */
export const longName = ({ flag }: CliOption): string => flag.slice(2).split(' ', 1)[0]!

/** `--history-port <number>` → `historyPort`, Commander's name for it. */
export const attributeName = (option: CliOption): string =>
  longName(option).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The prefix of all environment variables. */
export const ENVIRONMENT_PREFIX = 'PRICE_FEED_MOCK_'

/** `--history-port <number>` → `PRICE_FEED_MOCK_HISTORY_PORT` */
export const environmentName = (option: CliOption): string =>
  option.environment ?? ENVIRONMENT_PREFIX + (option.variable ?? longName(option).toUpperCase().replaceAll('-', '_'))
