// The options of single commands, in the form of the table of options.ts.
import * as z from 'zod/mini'
import { toChainId, wantChain } from '../chain/allowed-chains.js'
import { hasValidChecksum } from '../chain/calldata.js'
import { integer, schemasOf, text } from '../settings/schema.js'
import { privateKey } from '../settings/settings.js'
import { parseDuration, parseInstant, wantInstant } from '../settings/time.js'
import { toSignerAddress } from '../signing/signers.js'
import { testSigners } from '../signing/verify.js'
import { configSchema, path, type Rows, shapeOf, toOptions, type ValuesOf } from './options.js'

/** The formats of `keys --format`. */
export const KEY_FORMATS = ['env', 'solidity', 'rust', 'go', 'json'] as const

const seconds = text(/^(0|0s|[1-9]\d{0,8}[smhdw])$/, 'a duration such as 90s or 5m, or 0')
const duration = text(/^[1-9]\d{0,8}[smhdw]$/, 'a duration such as 1s, 10m or 2h')
const instant = z
  .string({ error: wantInstant() })
  .check(z.refine(value => parseInstant(value) !== undefined, { error: ({ input }) => wantInstant(input) }))
const feedIds = z
  .array(text(/^[\x21-\x2b\x2d-\x7e]{1,32}$/, 'the id of a feed, such as BTCUSD'))
  .check(z.minLength(1, { error: 'ids of feeds, such as BTCUSD,ETHUSD' }))
const chain = z
  .string()
  .check(z.refine(name => toChainId(name) !== undefined, { error: ({ input }) => wantChain(String(input)) }))

const WANT_CHECKSUM =
  'an address with its checksum (EIP-55), or in lower case: a digit or a capital of this one is wrong'
const WANT_RPC = 'the address of an RPC, such as http://127.0.0.1:8545'
const WANT_URL = 'an http or https address without credentials and query, such as https://api.example'
/** An address that holds no secret. */
const url = text(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/, WANT_URL)
const WANT_FEEDS = '1 to 100 feed ids, such as BTCUSD,ETHUSD'
const WANT_EVERY = 'a duration of at most a day, such as 1s or 5m'
const WANT_SIGNER = 'an address, a public key in hex, or the number of a test key'
const pollSeconds = z.pipe(
  z.pipe(
    z.string({ error: WANT_EVERY }),
    z.transform(every => parseDuration(every)?.seconds),
  ),
  integer(1, 86_400, WANT_EVERY),
)
/** The address of an accepted signer: an address, a public key or the number of a test key; undefined if it is none. */
const toSigner = (given: string): string | undefined =>
  /^\d$/.test(given) ? testSigners()[Number(given)]!.address : toSignerAddress(given)
/** The addresses of accepted signers whose form was checked. */
export const toSigners = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given?.map(one => toSigner(one)!)
const signers = z.array(z.string().check(z.refine(one => toSigner(one) !== undefined, { error: WANT_SIGNER })))

const FEEDS = { flag: '--feeds <ids>', kind: 'commas', schema: feedIds } as const
const BASE_URL = { flag: '--base-url <url>', schema: url, environment: 'PRICE_FEED_BASE_URL' } as const
const JUNIT = { flag: '--junit <file>', group: 'Output', schema: path }
const OUT = { flag: '--out <file>', group: 'Output', schema: path }
const TIME_LIMIT = {
  flag: '--time-limit <duration>',
  schema: duration,
  default: '5 times the run without faults, and 10 s more',
  description: 'longest time of one run; a command that takes longer has failed',
}

const TABLE = {
  exec: {
    eachScenario: {
      flag: '--each-scenario',
      group: 'Faults',
      schema: z.boolean(),
      conflict: { setting: 'scenario', reason: 'each scenario has a run of its own' },
      description:
        'run the command once in each scenario, those of --scenarios included, and print a table; exits with 1 if it fails in one, and with 2 if it fails or gets no price without faults',
    },
    timeLimit: { ...TIME_LIMIT, group: 'Faults', needs: 'eachScenario' },
    junit: { ...JUNIT, needs: 'eachScenario', description: 'file for the result of each scenario as JUnit XML' },
    report: {
      flag: '--report <file>',
      schema: path,
      conflict: { setting: 'eachScenario', reason: 'a report card belongs to one run' },
      description:
        'file for the report card of the consumer as JUnit XML, a suite for each session; the exit code stays that of the command',
    },
  },
  hunt: {
    budget: {
      flag: '--budget <size>',
      schema: text(/^[1-9]\d{0,5}$|^[1-9]\d{0,8}[smhdw]$/, 'a number of runs such as 40, or a duration such as 30s'),
      default: '40',
      variable: 'HUNT_BUDGET',
      description: 'size of the hunt: a number of runs, or a duration',
    },
    parallel: {
      flag: '--parallel <count>',
      kind: 'number',
      schema: integer(1, 64),
      default: '1',
      variable: 'HUNT_PARALLEL',
      description: 'number of runs at the same time, each with a server of its own',
    },
    timeLimit: { ...TIME_LIMIT, variable: 'HUNT_TIME_LIMIT' },
    allow: {
      flag: '--allow <names>',
      kind: 'commas',
      schema: z.array(text(/^[\x21-\x7e]{1,100}$/, 'the name of a find')),
      variable: 'HUNT_ALLOW',
      description: 'finds that you accept, with commas; they do not count',
    },
    save: {
      flag: '--save <folder>',
      group: 'Output',
      schema: path,
      variable: 'HUNT_SAVE',
      description: 'folder for a scenario file of each find; those that are in it run first',
    },
    junit: { ...JUNIT, variable: 'HUNT_JUNIT', description: 'file for the finds as JUnit XML' },
  },
  keys: {
    format: {
      flag: '--format <form>',
      schema: z.enum(KEY_FORMATS),
      default: 'env',
      description: 'output format: env, solidity, rust, go or json',
    },
    all: {
      flag: '--all',
      schema: z.boolean(),
      description: 'print all ten public test keys, as a list of signers that production must refuse',
      conflict: { setting: 'signer', reason: 'a list of all keys has no signer of its own' },
    },
  },
  verify: {
    signers: {
      flag: '--signers <list>',
      kind: 'commas',
      schema: signers,
      default: 'the one of --signer',
      description: 'accepted signers: addresses, public keys in hex, or numbers of test keys, with commas',
    },
    feeds: {
      ...FEEDS,
      variable: 'FEED_IDS',
      description: 'the requested feeds, such as BTCUSD,ETHUSD: each must be there, and no other',
    },
    maxAge: { flag: '--max-age <duration>', schema: seconds, description: 'largest age of a price, such as 60s' },
    maxFuture: {
      flag: '--max-future <duration>',
      schema: seconds,
      description: 'time by which a price may be ahead of now, such as 5s',
    },
    now: {
      flag: '--now <time>',
      schema: instant,
      default: 'the real time',
      description: 'time of the check: ISO 8601 with Z, or seconds since the epoch',
    },
    expo: {
      flag: '--expo <number>',
      kind: 'number',
      schema: integer(-128, 127),
      description: 'exponent of every price, such as -8',
    },
    allowHighS: {
      flag: '--allow-high-s',
      schema: z.boolean(),
      description: 'accept the second signature of the same bytes, as some chains do',
    },
    json: { flag: '--json', group: 'Output', schema: z.boolean(), description: 'print the verdict as JSON' },
  },
  tape: {
    feeds: { ...FEEDS, variable: 'TAPE_FEEDS', description: 'feeds, such as BTCUSD,ETHUSD' },
    for: {
      flag: '--for <duration>',
      schema: duration,
      default: '10m',
      description: 'length of the tape in virtual time, from --at on',
    },
    every: {
      flag: '--every <duration>',
      schema: duration,
      default: '1s',
      description: 'virtual time between two ticks of a feed',
    },
    layout: {
      flag: '--layout <name>',
      schema: z.enum(['svm', 'evm']),
      default: 'svm, and evm for --format sol',
      description: 'signed form: svm (replies of latest) or evm (replies of evm/crypto)',
    },
    format: {
      flag: '--format <form>',
      group: 'Output',
      schema: z.enum(['json', 'ndjson', 'sol']),
      default: 'json',
      variable: 'TAPE_FORMAT',
      description: 'output format: json, one document; ndjson, a line for each tick; or sol, a Solidity library',
    },
    out: {
      ...OUT,
      default: 'standard output',
      description: 'file to write, which appears when it is complete',
    },
  },
  relay: {
    rpc: {
      flag: '--rpc <url>',
      schema: text(/^https?:\/\/\S+$/, WANT_RPC).check(z.refine(URL.canParse, { error: WANT_RPC })),
      default: 'http://127.0.0.1:8545',
      description: 'address of the RPC of the chain, such as that of anvil',
    },
    allowChains: {
      flag: '--allow-chain <name>',
      kind: 'commas',
      schema: z.array(chain),
      description: 'chain that is not local and gets prices of the mock all the same, such as sepolia or 11155111',
    },
    contract: {
      flag: '--contract <address>',
      schema: text(/^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hex digits').check(
        z.refine(hasValidChecksum, { error: WANT_CHECKSUM }),
      ),
      description: 'contract that takes prices by updatePrice(bytes32,uint192,uint32,int32,bytes)',
    },
    feeds: {
      ...FEEDS,
      schema: feedIds.check(z.maxLength(100, { error: 'at most 100 feeds' })),
      variable: 'RELAY_FEEDS',
      description: 'feeds to push, such as BTCUSD,ETHUSD',
    },
    syncClock: { flag: '--sync-clock', schema: z.boolean(), description: 'keep the chain and the mock on one clock' },
    leader: {
      flag: '--clock <leader>',
      schema: z.enum(['mock', 'chain']),
      default: 'mock',
      variable: 'RELAY_CLOCK',
      needs: 'relay.syncClock',
      description: 'with --sync-clock, the side whose time the other follows: mock or chain',
    },
    keyUnsafe: {
      flag: '--key-unsafe <key>',
      isSecret: true,
      schema: privateKey,
      default: 'the first account of the chain',
      variable: 'RELAY_KEY_UNSAFE',
      description: 'private key that pays for transactions, in hex, set in the environment; needs viem',
    },
  },
  record: {
    baseUrl: { ...BASE_URL, group: 'Server', description: 'address of the service whose prices are recorded' },
    apiKey: {
      flag: '--api-key <key>',
      group: 'Signing and access',
      schema: text(
        /^[\x21-\x7e]{1,512}$/,
        'the key of the service in PRICE_FEED_API_KEY: 1 to 512 visible ASCII characters',
      ),
      environment: 'PRICE_FEED_API_KEY',
      description: 'API key of the service; it is neither written nor shown',
    },
    signers: {
      flag: '--signer <list>',
      group: 'Signing and access',
      kind: 'commas',
      schema: z.optional(signers),
      description:
        'accepted signers: addresses, public keys, or numbers of test keys, with commas; prices without their signature are left out',
    },
    feeds: {
      flag: '--feeds <list>',
      group: 'Market',
      kind: 'commas',
      schema: z
        .array(text(/^[A-Za-z0-9._-]{1,32}$/, WANT_FEEDS), { error: WANT_FEEDS })
        .check(z.minLength(1, { error: WANT_FEEDS }), z.maxLength(100, { error: WANT_FEEDS })),
      description: 'feeds to record, such as BTCUSD,ETHUSD',
    },
    every: {
      flag: '--every <duration>',
      group: 'Market',
      schema: pollSeconds,
      default: '1s',
      description: 'time between two polls',
    },
    out: {
      flag: '--out <file>',
      schema: path.check(z.refine(file => file !== '-', { error: 'a file, which a later recording continues' })),
      description: 'CSV file to write; one that exists is continued',
    },
  },
  compare: {
    baseUrl: { ...BASE_URL, description: 'address of the service to compare' },
    historyUrl: {
      flag: '--history-url <url>',
      schema: url,
      default: 'that of --base-url',
      environment: 'PRICE_FEED_HISTORY_URL',
      description: 'address of its charting endpoint',
    },
    apiKeyEnv: {
      flag: '--api-key-env <name>',
      schema: text(/^[A-Za-z_]\w{0,127}$/, 'the name of an environment variable, not the key itself'),
      default: 'PRICE_FEED_API_KEY',
      description: 'environment variable with the API key, which is neither written nor shown',
    },
    feeds: {
      ...FEEDS,
      schema: feedIds.check(z.maxLength(20, { error: 'at most 20 feeds' })),
      default: 'BTCUSD,ETHUSD,SOLUSD',
      variable: 'COMPARE_FEEDS',
      description: 'feeds to ask for',
    },
    maxRequests: {
      flag: '--max-requests <count>',
      kind: 'number',
      schema: integer(1, 10_000),
      default: '200',
      description: 'largest number of requests, which are sent one after the other',
    },
    dryRun: { flag: '--dry-run', schema: z.boolean(), description: 'list the requests, and send none' },
    against: {
      flag: '--against <file>',
      schema: path,
      conflict: { setting: 'compare.out', reason: 'a profile is compared with the service, not with our settings' },
      description: 'compare with the profile of an earlier run instead of our assumptions',
    },
    out: {
      ...OUT,
      variable: 'COMPARE_OUT',
      description: 'file for the configuration that makes the mock answer like the service',
    },
    profile: {
      flag: '--profile <file>',
      group: 'Output',
      schema: path,
      description: 'file for a profile of the service: the forms of its answers, without prices',
    },
    junit: { ...JUNIT, variable: 'COMPARE_JUNIT', description: 'file for the rows as JUnit XML' },
  },
  list: { json: { flag: '--json', schema: z.boolean(), variable: 'LIST_JSON', description: 'print JSON' } },
} as const satisfies Readonly<Record<string, Rows>>

/** The options that only one command has, and those of the lists: `feeds`, `faults` and `scenarios`. */
export const COMMAND_OPTIONS = {
  exec: toOptions(TABLE.exec, 'Output'),
  hunt: toOptions(TABLE.hunt, 'Hunt', 'hunt.'),
  keys: toOptions(TABLE.keys, 'Output'),
  verify: toOptions(TABLE.verify, 'Checks', 'verify.'),
  tape: toOptions(TABLE.tape, 'Tape', 'tape.'),
  relay: toOptions(TABLE.relay, 'Relay', 'relay.'),
  // Only the address and the key, which clients of the service read as well, are set by variables.
  record: toOptions(TABLE.record, 'Output').map(option => ({ environment: '', ...option })),
  compare: toOptions(TABLE.compare, 'Service', 'compare.'),
  list: toOptions(TABLE.list, 'Output', 'list.'),
}

/** The commands whose settings are a part of their own. */
const SECTIONS = ['hunt', 'verify', 'tape', 'relay', 'compare', 'list'] as const

/** Everything that flags and variables can set: a config file's settings and those of a single run. */
export const optionsSchema = z.extend(configSchema, {
  ...shapeOf({ ...TABLE.exec, ...TABLE.keys }),
  ...Object.fromEntries(SECTIONS.map(name => [name, z.optional(z.strictObject(shapeOf(TABLE[name])))])),
})

/** The settings of single commands, which are not part of a config file. */
export type CommandConfig = ValuesOf<typeof TABLE.exec & typeof TABLE.keys> & {
  readonly [Section in (typeof SECTIONS)[number]]?: ValuesOf<(typeof TABLE)[Section]>
}

/** The options of a recording, all of them present. */
export const recordSchema = z.strictObject(schemasOf(TABLE.record))
