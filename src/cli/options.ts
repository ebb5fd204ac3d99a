// The one table of options: parser, --help, environment names, validation and the README's list follow from it.
import * as z from 'zod/mini'
import { integer, text } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'
import { KEY_FORMATS } from './keys.js'

/** What the command line can set beside the settings of a world. */
const processSchema = z.partial(
  z.strictObject({
    host: text(/^[^\s/]{1,255}$/, 'a host name or an address'),
    port: integer(0, 65_535),
    historyPort: integer(0, 65_535),
    allowHosts: z.array(text(/^[^\s/:]{1,255}$/, 'a host name without a port')),
    feeds: z.string(),
    syntheticFeeds: integer(0, 5000),
    scenario: z.union([z.string(), z.looseObject({})], { error: 'the name of a scenario, a file, or a scenario' }),
    scenarios: z.string(),
    watch: z.boolean(),
    handlers: z.string(),
    log: z.enum(['pretty', 'json', 'off']),
    ready: z.enum(['url', 'json']),
  }),
)

/** A config file: settings of the world and of the process. Paths in it count from its own folder. */
export const configSchema = z.extend(settingsSchema, { $schema: z.optional(z.string()), ...processSchema.shape })
/** A configuration as it is written: checked, not yet converted. */
export type Config = z.input<typeof configSchema>
/** What flags and variables can set: that, and what concerns one run only. */
export const optionsSchema = z.extend(configSchema, { format: z.optional(z.enum(KEY_FORMATS)) })

/** The groups of options, in the order of help. */
export const GROUPS = ['Market', 'Faults', 'Signing and access', 'Server', 'Output'] as const

/** One option of the command line. */
export interface CliOption {
  /** As Commander writes it: `--port <number>`. */
  readonly flag: string
  readonly group: (typeof GROUPS)[number]
  readonly description: string
  /** What holds without it, as help shows it. */
  readonly initial?: string
  /** Where its value goes in `configSchema`; undefined for the config file itself. */
  readonly setting?: string
  readonly kind: 'text' | 'number' | 'flag' | 'list'
  /** The setting that it cannot stand beside, and why. */
  readonly conflict?: { readonly setting: string; readonly because: string }
  /** What is wanted, where the command line says it in other words than a file. */
  readonly want?: string
}

/** Every option of `serve` and `exec`. */
export const OPTIONS: readonly CliOption[] = [
  {
    flag: '--seed <text>',
    group: 'Market',
    kind: 'text',
    setting: 'seed',
    initial: '42',
    description: 'the same seed gives the same prices',
  },
  {
    flag: '--at <time>',
    group: 'Market',
    kind: 'text',
    setting: 'clock.at',
    initial: 'the present',
    description: 'where the clock starts: ISO 8601 with Z, or seconds since the epoch',
  },
  {
    flag: '--speed <factor>',
    group: 'Market',
    kind: 'number',
    setting: 'clock.speed',
    initial: '1',
    description: 'virtual seconds per real second',
    conflict: { setting: 'clock.frozen', because: 'a frozen clock has no speed' },
    want: 'a speed from 0.001 to 1000000; --frozen stops it',
  },
  {
    flag: '--frozen',
    group: 'Market',
    kind: 'flag',
    setting: 'clock.frozen',
    description: 'stop the clock where it starts',
  },
  {
    flag: '--feeds <file>',
    group: 'Market',
    kind: 'text',
    setting: 'feeds',
    description: 'JSON file of your own feeds, added to the catalogue or instead of it',
  },
  {
    flag: '--synthetic-feeds <count>',
    group: 'Market',
    kind: 'number',
    setting: 'syntheticFeeds',
    initial: '0',
    description: 'invent this many feeds besides',
  },
  {
    flag: '--scenario <name>',
    group: 'Faults',
    kind: 'text',
    setting: 'scenario',
    initial: 'calm',
    description: 'what goes wrong: a name, a JSON file of your own, or the JSON itself',
  },
  {
    flag: '--scenarios <folder>',
    group: 'Faults',
    kind: 'text',
    setting: 'scenarios',
    description: 'folder of your own scenarios, a JSON file each, named by their files',
  },
  {
    flag: '--watch',
    group: 'Faults',
    kind: 'flag',
    setting: 'watch',
    description: 'apply scenario files anew when they change; a broken edit keeps the last good one',
  },
  {
    flag: '--api-key <key>',
    group: 'Signing and access',
    kind: 'list',
    setting: 'apiKeys',
    initial: 'test-api-key',
    description: 'accept this key; may be given several times',
  },
  {
    flag: '--signer <number>',
    group: 'Signing and access',
    kind: 'number',
    setting: 'signer',
    initial: '0',
    description: 'public test key that signs, 0 to 9',
    conflict: { setting: 'signerKeyUnsafe', because: 'one key signs' },
  },
  {
    flag: '--signer-key-unsafe <key>',
    group: 'Signing and access',
    kind: 'text',
    setting: 'signerKeyUnsafe',
    description: 'sign with a private key of your own, in hex; never a real one',
  },
  {
    flag: '--allow-host <name>',
    group: 'Signing and access',
    kind: 'list',
    setting: 'allowHosts',
    description: 'let /_mock/ answer under this host name; may be given several times',
  },
  {
    flag: '--host <address>',
    group: 'Server',
    kind: 'text',
    setting: 'host',
    initial: 'localhost',
    description: 'address to listen on; localhost is both loopbacks',
  },
  {
    flag: '--port <number>',
    group: 'Server',
    kind: 'number',
    setting: 'port',
    initial: '4700',
    description: 'port to listen on; 0 takes a free one',
  },
  {
    flag: '--history-port <number>',
    group: 'Server',
    kind: 'number',
    setting: 'historyPort',
    description: 'a port of its own for charting; each then serves only its own endpoints',
  },
  {
    flag: '--handlers <file>',
    group: 'Server',
    kind: 'text',
    setting: 'handlers',
    description: 'module of your own msw handlers, answered beside the mock',
  },
  {
    flag: '--config <file>',
    group: 'Server',
    kind: 'text',
    description: 'JSON file of settings, or the JSON itself; flags and environment win over it',
  },
  {
    flag: '--log <form>',
    group: 'Output',
    kind: 'text',
    setting: 'log',
    initial: 'pretty',
    description: 'requests on stderr: pretty, json or off',
  },
  {
    flag: '--ready <form>',
    group: 'Output',
    kind: 'text',
    setting: 'ready',
    initial: 'url',
    description: 'the one line on stdout when ready: url or json',
  },
]

/** The one option that only `keys` has. */
export const FORMAT: CliOption = {
  flag: '--format <form>',
  group: 'Output',
  kind: 'text',
  setting: 'format',
  initial: 'env',
  description: 'env for a shell, solidity for a contract, rust for a program, json for a script',
}

/** `--history-port <number>` → `history-port` */
export const longName = ({ flag }: CliOption): string => flag.slice(2).split(' ', 1)[0]!

/** `--history-port <number>` → `historyPort`, as Commander names it. */
export const attributeName = (option: CliOption): string =>
  longName(option).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** How the names of all variables begin. */
export const ENVIRONMENT_PREFIX = 'PRICE_FEED_MOCK_'

/** `--history-port <number>` → `PRICE_FEED_MOCK_HISTORY_PORT` */
export const environmentName = (option: CliOption): string =>
  `${ENVIRONMENT_PREFIX}${longName(option).toUpperCase().replaceAll('-', '_')}`

/** What no setting of a session tells, for the command that brings a response back. */
export function toFlags({ feeds, syntheticFeeds, scenarios, handlers }: Config): string[] {
  return [
    ...(handlers === undefined ? [] : ['--handlers', handlers]),
    ...(scenarios === undefined ? [] : ['--scenarios', scenarios]),
    ...(feeds === undefined ? [] : ['--feeds', feeds]),
    ...(syntheticFeeds ? ['--synthetic-feeds', String(syntheticFeeds)] : []),
  ]
}
