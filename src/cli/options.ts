// The table of options. The parser, --help, environment names, validation and the documentation are derived from it.
import * as z from 'zod/mini'
import type { ServerOptions } from '../hosts/node/server.js'
import { isStoreUrl, WANT_STORE } from '../hosts/node/store/store-url.js'
import { seriesAtSchema } from '../market/series.js'
import {
  ADMIN_TOKEN,
  BASE_URL,
  integer,
  ORIGIN,
  text,
  WANT_BASE_URL,
  WANT_ORIGIN,
  WANT_TOKEN,
} from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'

/** One option of the command line. */
export interface CliOption {
  /** With the noun of its value, if it takes one: `--port <number>`. That of a `<file>` or `<folder>` is a path. */
  readonly flag: string
  /** Its short form without the dash: `p`. */
  readonly short?: string
  /** The heading in --help. */
  readonly group: string
  readonly description: string
  /** The default, as --help shows it. */
  readonly default?: string
  /** Whether the command line sets the default. Otherwise the code that reads the setting has it as well. */
  readonly isDefaultSet?: boolean
  /** Whether it is a private key, which does not belong on a command line. */
  readonly isSecret?: boolean
  /** The path of its value in a configuration; `config` for the file itself. */
  readonly setting: string
  /** The values of the setting. A setting without a schema is one of a session: settings.ts has its schema. */
  readonly schema?: z.ZodMiniType
  /** A `list` repeats its flag; `commas` can also separate its values. Without a kind, the value is a text. */
  readonly kind?: 'number' | 'list' | 'commas'
  /** The environment variable, where it is not made of the flag; empty for none. */
  readonly environment?: string
  /** The end of its environment variable, where another option has the same name. */
  readonly variable?: string
  /** A setting that cannot be combined with this one, and the reason. */
  readonly conflict?: { readonly setting: string; readonly reason: string }
  /** A setting that must be given with this one. */
  readonly needs?: string
  /** Replaces the schema's `want` in errors, where the command line offers another remedy than a file. */
  readonly want?: string
}

const WANT_FILE = 'a file, or { "file": "btc.csv", "as": "BTCUSD" }'
const WANT_DRAIN = 'a duration such as 5s or 1m, or 0'
const DURATION = /^[1-9]\d{0,9}[smhdw]$/
/** The path of a file that is not read at once. */
export const path = text(/^[^\0]{1,4096}$/, 'the path of a file')
const seriesFiles = z
  .array(
    z.union([z.string(), z.strictObject({ file: z.string(), as: z.optional(z.string()) })], { error: WANT_FILE }),
    { error: 'a list of files' },
  )
  .check(z.maxLength(100, { error: 'at most 100 files' }))

/** Options by their settings. */
export type Rows = Readonly<Record<string, Omit<CliOption, 'group' | 'setting'> & { readonly group?: string }>>

/** Every option of `serve` and `exec`, by its group and its setting. Adding one is a row here, and its use. */
const TABLE = {
  Market: {
    seed: {
      flag: '--seed <text>',
      default: '42',
      description: 'seed of the prices: the same seed gives the same prices',
    },
    'clock.at': {
      flag: '--at <time>',
      default: 'the real time',
      description: 'start time of the clock: ISO 8601 with Z, or seconds since the epoch',
    },
    'clock.speed': {
      flag: '--speed <factor>',
      kind: 'number',
      default: '1',
      conflict: { setting: 'clock.frozen', reason: 'a frozen clock has no speed' },
      want: 'a speed from 0.001 to 1000000; use --frozen to stop the clock',
      description: 'virtual seconds per real second',
    },
    'clock.frozen': { flag: '--frozen', description: 'keep the clock at its start time' },
    feeds: {
      flag: '--feeds-file <file>',
      schema: z.union([z.string(), z.looseObject({})], { error: 'a file of feeds, or its content' }),
      variable: 'FEEDS',
      description: 'JSON file of your own feeds, which extend, change or replace the catalogue',
    },
    syntheticFeeds: {
      flag: '--synthetic-feeds <count>',
      kind: 'number',
      schema: integer(0, 5000),
      default: '0',
      description: 'number of generated feeds to add',
    },
    series: {
      flag: '--series <file>',
      kind: 'list',
      schema: seriesFiles,
      description: 'file of ticks or candles, CSV or JSON, that a feed follows; can be repeated',
    },
    as: {
      flag: '--as <feed>',
      kind: 'list',
      schema: z.array(z.string()),
      default: 'the column feed, or the file name',
      description: 'feed that follows the series; one for each --series, empty for the default',
    },
    seriesAt: {
      flag: '--series-at <time>',
      schema: seriesAtSchema,
      default: 'start',
      description: 'time of the first row: start (as in the file), now, or a time',
    },
  },
  Faults: {
    scenario: {
      flag: '--scenario <name>',
      schema: z.union([z.string(), z.looseObject({})], { error: 'the name of a scenario, a file, or a scenario' }),
      default: 'calm',
      description: 'faults to simulate: the name of a scenario, a JSON file, or inline JSON',
    },
    scenarios: {
      flag: '--scenarios <folder>',
      schema: z.string(),
      description: 'folder of your own scenarios, one JSON file each; the file name is the scenario name',
    },
    watch: {
      flag: '--watch',
      schema: z.boolean(),
      description:
        'reload scenario files when they change; an invalid file is reported and the last valid version stays',
    },
  },
  'Signing and access': {
    apiKeys: {
      flag: '--api-key <key>',
      kind: 'list',
      default: 'test-api-key',
      description: 'accepted API key; can be repeated',
    },
    signer: {
      flag: '--signer <number>',
      kind: 'number',
      default: '0',
      conflict: { setting: 'signerKeyUnsafe', reason: 'only one key can sign' },
      description: 'number of the public test key that signs, 0 to 9',
    },
    signerKeyUnsafe: {
      flag: '--signer-key-unsafe <key>',
      isSecret: true,
      description: 'private key to sign with, in hex; never use a real one',
    },
    allowHosts: {
      flag: '--allow-host <name>',
      kind: 'list',
      schema: z.array(text(/^[^\s/:*]{1,255}$/, 'a host name without a port; there is no wildcard')),
      description: 'allow requests to /_mock/ under this host name; can be repeated',
    },
    allowOrigins: {
      flag: '--allow-origin <origin>',
      kind: 'list',
      schema: z.array(text(ORIGIN, WANT_ORIGIN)),
      description: 'allow pages of this origin, such as http://localhost:5173, to use /_mock/; can be repeated',
    },
    adminToken: {
      flag: '--admin-token <token>',
      schema: text(new RegExp(`^auto$|${ADMIN_TOKEN.source}`), `${WANT_TOKEN}, or auto`),
      description:
        'token for /_mock/ and new sessions, but not those of /scenario/NAME, as Authorization: Bearer; set it in the environment. auto makes one and prints it',
    },
  },
  Server: {
    host: {
      flag: '--host <address>',
      schema: text(/^[^\s/]{1,255}$/, 'a host name or an address'),
      default: 'localhost',
      description: 'address to listen on; localhost means both loopback addresses',
    },
    port: {
      flag: '--port <number>',
      short: 'p',
      kind: 'number',
      schema: integer(0, 65_535),
      default: '4700',
      description: 'port to listen on; 0 picks a free one',
    },
    historyPort: {
      flag: '--history-port <number>',
      kind: 'number',
      schema: integer(0, 65_535),
      description: 'separate port for the charting endpoint; each port then serves only its own endpoints',
    },
    tlsCert: {
      flag: '--tls-cert <file>',
      schema: z.string(),
      needs: 'tlsKey',
      description: 'certificate in PEM: the server then speaks HTTPS only',
    },
    tlsKey: {
      flag: '--tls-key <file>',
      schema: z.string(),
      needs: 'tlsCert',
      description: 'private key of the certificate, in PEM and not encrypted',
    },
    handlers: {
      flag: '--handlers <file>',
      schema: path,
      description: 'module of your own msw handlers, for paths that the mock does not serve',
    },
    snapshot: {
      flag: '--snapshot <file>',
      schema: path,
      conflict: { setting: 'state', reason: 'both hold the session default' },
      description: 'snapshot that the session default starts from; --at, --speed and --frozen change its clock',
    },
    state: {
      flag: '--state <file>',
      schema: path,
      description:
        'file that keeps all sessions and their journals: restored at the start, saved at the end and in between',
    },
    stateEvery: {
      flag: '--state-every <duration>',
      schema: text(DURATION, 'a duration such as 10s or 1m'),
      default: '10s',
      needs: 'state',
      description: 'time between two saves of a changed state',
    },
    store: {
      flag: '--store <url>',
      schema: z.string({ error: WANT_STORE }).check(z.refine(isStoreUrl, { error: WANT_STORE })),
      description:
        'address of a Redis that keeps all sessions, so that several servers answer as one, such as redis://host:6379',
    },
    sessionIdle: {
      flag: '--session-idle <duration>',
      schema: text(DURATION, 'a duration such as 1h or 24h'),
      default: '24h',
      needs: 'store',
      description: 'time without requests and changes after which a session in the store is removed',
    },
    lazySessions: {
      flag: '--lazy-sessions',
      schema: z.boolean(),
      needs: 'store',
      description: 'create an unknown session by its path, as without a store',
    },
    publicUrl: {
      flag: '--public-url <url>',
      schema: text(BASE_URL, WANT_BASE_URL),
      conflict: { setting: 'historyPort', reason: 'it is one address for both ports' },
      description: 'address under which clients reach the server, such as that of a load balancer',
    },
    drain: {
      flag: '--drain <duration>',
      schema: z.union([z.literal(0), text(/^(0|[1-9]\d{0,9}[smhdw])$/, WANT_DRAIN)], { error: WANT_DRAIN }),
      default: '5s',
      description:
        'time for answers in progress to finish on SIGINT, SIGTERM and SIGHUP; a second signal ends the program at once',
    },
    config: {
      flag: '--config <file>',
      description: 'JSON file of settings, or inline JSON; flags and environment variables win over it',
    },
  },
  Output: {
    log: {
      flag: '--log <form>',
      schema: z.enum(['pretty', 'json', 'off']),
      default: 'pretty',
      description: 'request log on stderr: pretty, json or off',
    },
    ready: {
      flag: '--ready <form>',
      schema: z.enum(['url', 'json']),
      default: 'url',
      description: 'line on stdout when the server is ready: url or json',
    },
  },
} as const satisfies Readonly<Record<string, Rows>>

/** The options of rows, in their order. */
export const toOptions = (rows: Rows, group: string, prefix = ''): CliOption[] =>
  Object.entries(rows).map(([name, row]) => ({ group, ...row, setting: prefix + name }))

/** Every option of `serve` and `exec`, in the order of --help. */
export const OPTIONS: readonly CliOption[] = Object.entries(TABLE).flatMap(([group, rows]) => toOptions(rows, group))

/** The schemas of rows, each optional. */
export const shapeOf = (rows: Rows): Record<string, z.ZodMiniType> =>
  Object.fromEntries(Object.entries(rows).flatMap(([name, { schema }]) => (schema ? [[name, z.optional(schema)]] : [])))

/** The values of rows that have a schema. */
export type ValuesOf<R> = {
  readonly [K in keyof R as R[K] extends HasSchema ? K : never]?:
    | z.input<Extract<R[K], HasSchema>['schema']>
    | undefined
}
type HasSchema = Required<Pick<CliOption, 'schema'>>

type ProcessRows = (typeof TABLE)['Market'] &
  (typeof TABLE)['Faults'] &
  (typeof TABLE)['Signing and access'] &
  (typeof TABLE)['Server'] &
  (typeof TABLE)['Output']
const SERVER_SETTINGS = [
  ...(['syntheticFeeds', 'seriesAt', 'host', 'port', 'historyPort', 'publicUrl'] as const),
  ...(['allowHosts', 'allowOrigins', 'adminToken'] as const),
] as const satisfies readonly (keyof ProcessRows & keyof ServerOptions)[]
type SessionConfig = z.input<typeof settingsSchema>

/** A config file: session settings and process settings. Paths in it are relative to its folder. */
export const configSchema = z.extend(settingsSchema, {
  $schema: z.optional(z.string()),
  ...shapeOf(Object.assign({}, ...Object.values(TABLE))),
})
/** A configuration as written by the user: validated, not yet converted. */
export type Config = SessionConfig & ValuesOf<ProcessRows> & { readonly $schema?: string | undefined }

/** The series of a configuration, each with the feed that its flag names, or else its entry. */
export const namedSeries = ({ series = [], as = [] }: Pick<Config, 'series' | 'as'>) =>
  series.map((one, i) => {
    const { file, as: own } = typeof one === 'string' ? { file: one } : one
    return { file, feed: as[i] || own }
  })

/** The settings of a configuration that are options of a session, and those that are options of a server, as they are. */
export function optionsOf(config: Config) {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)))
  return {
    session: pick(Object.keys(settingsSchema.shape)) as SessionConfig,
    server: pick(SERVER_SETTINGS) as Pick<ServerOptions, (typeof SERVER_SETTINGS)[number]>,
  }
}

/** `--history-port <number>` → `history-port` */
export const longName = ({ flag }: CliOption): string => flag.slice(2).split(' ', 1)[0]!

/** Whether it takes a value. */
export const takesValue = ({ flag }: CliOption): boolean => flag.includes(' ')

/** The prefix of all environment variables. */
export const ENVIRONMENT_PREFIX = 'PRICE_FEED_MOCK_'

/** `--history-port <number>` → `PRICE_FEED_MOCK_HISTORY_PORT` */
export const environmentName = (option: CliOption): string =>
  option.environment ?? ENVIRONMENT_PREFIX + (option.variable ?? longName(option).toUpperCase().replaceAll('-', '_'))
