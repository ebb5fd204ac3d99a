// The options of single commands, in the form of the table of options.ts, and the schema of their values.
import * as z from 'zod/mini'
import { toChainId, wantChain } from '../chain/allowed-chains.js'
import { hasValidChecksum } from '../chain/checksum.js'
import { integer, text } from '../settings/schema.js'
import { privateKey } from '../settings/settings.js'
import { parseInstant, wantInstant } from '../settings/time.js'
import type { CliOption } from './options.js'

/** The formats of `keys --format`. */
export const KEY_FORMATS = ['env', 'solidity', 'rust', 'go', 'json'] as const

const WANT_SECONDS = 'a duration such as 90s or 5m, or 0'
const seconds = text(/^(0|0s|[1-9]\d{0,8}[smhdw])$/, WANT_SECONDS)
const duration = text(/^[1-9]\d{0,8}[smhdw]$/, 'a duration such as 1s, 10m or 2h')
const instant = z
  .string({ error: wantInstant() })
  .check(z.refine(value => parseInstant(value) !== undefined, { error: ({ input }) => wantInstant(input) }))
const feedIds = z
  .array(text(/^[\x21-\x2b\x2d-\x7e]{1,32}$/, 'the id of a feed, such as BTCUSD'))
  .check(z.minLength(1, { error: 'ids of feeds, such as BTCUSD,ETHUSD' }))

const WANT_CHECKSUM =
  'an address with its checksum (EIP-55), or in lower case: a digit or a capital of this one is wrong'
const WANT_RPC = 'the address of an RPC, such as http://127.0.0.1:8545'

/** Settings of single commands. They are not part of a config file. */
export const commandSettings = {
  report: z.optional(text(/^[^\0]{1,4096}$/, 'the path of a file')),
  format: z.optional(z.enum(KEY_FORMATS)),
  all: z.optional(z.boolean()),
  verify: z.optional(
    z.strictObject({
      signers: z.optional(z.array(z.string())),
      feeds: z.optional(feedIds),
      maxAge: z.optional(seconds),
      maxFuture: z.optional(seconds),
      now: z.optional(instant),
      expo: z.optional(integer(-128, 127)),
      allowHighS: z.optional(z.boolean()),
      json: z.optional(z.boolean()),
    }),
  ),
  list: z.optional(z.strictObject({ json: z.optional(z.boolean()) })),
  tape: z.optional(
    z.strictObject({
      feeds: z.optional(feedIds),
      for: z.optional(duration),
      every: z.optional(duration),
      layout: z.optional(z.enum(['svm', 'evm'])),
      format: z.optional(z.enum(['json', 'ndjson'])),
      out: z.optional(z.string()),
    }),
  ),
  relay: z.optional(
    z.strictObject({
      rpc: z.optional(text(/^https?:\/\/\S+$/, WANT_RPC).check(z.refine(URL.canParse, { error: WANT_RPC }))),
      contract: z.optional(
        text(/^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hex digits').check(
          z.refine(hasValidChecksum, { error: WANT_CHECKSUM }),
        ),
      ),
      feeds: z.optional(feedIds.check(z.maxLength(100, { error: 'at most 100 feeds' }))),
      syncClock: z.optional(z.boolean()),
      leader: z.optional(z.enum(['mock', 'chain'])),
      keyUnsafe: z.optional(privateKey),
      allowChains: z.optional(
        z.array(
          z
            .string()
            .check(z.refine(name => toChainId(name) !== undefined, { error: issue => wantChain(String(issue.input)) })),
        ),
      ),
    }),
  ),
}

/** The options that only `exec` has. */
export const EXEC_OPTIONS: readonly CliOption[] = [
  {
    flag: '--report <file>',
    group: 'Output',
    kind: 'text',
    setting: 'report',
    description:
      'file for the report card of the consumer as JUnit XML, a suite for each session; the exit code stays that of the command',
  },
]

/** The options that only `keys` has. */
export const KEYS_OPTIONS: readonly CliOption[] = [
  {
    flag: '--format <form>',
    group: 'Output',
    kind: 'text',
    setting: 'format',
    default: 'env',
    description: 'output format: env, solidity, rust, go or json',
  },
  {
    flag: '--all',
    group: 'Output',
    kind: 'flag',
    setting: 'all',
    description: 'print all ten public test keys, as a list of signers that production must refuse',
  },
]

/** The options that only `verify` has. */
export const VERIFY_OPTIONS: readonly CliOption[] = [
  {
    flag: '--signers <list>',
    group: 'Checks',
    kind: 'commas',
    setting: 'verify.signers',
    default: 'the one of --signer',
    description: 'accepted signers: addresses or public keys in hex, with commas',
  },
  {
    flag: '--feeds <ids>',
    variable: 'FEED_IDS',
    group: 'Checks',
    kind: 'commas',
    setting: 'verify.feeds',
    description: 'the requested feeds, such as BTCUSD,ETHUSD: each must be there, and no other',
  },
  {
    flag: '--max-age <duration>',
    group: 'Checks',
    kind: 'text',
    setting: 'verify.maxAge',
    description: 'largest age of a price, such as 60s',
  },
  {
    flag: '--max-future <duration>',
    group: 'Checks',
    kind: 'text',
    setting: 'verify.maxFuture',
    description: 'time by which a price may be ahead of now, such as 5s',
  },
  {
    flag: '--now <time>',
    group: 'Checks',
    kind: 'text',
    setting: 'verify.now',
    default: 'the real time',
    description: 'time of the check: ISO 8601 with Z, or seconds since the epoch',
  },
  {
    flag: '--expo <number>',
    group: 'Checks',
    kind: 'number',
    setting: 'verify.expo',
    description: 'exponent of every price, such as -8',
  },
  {
    flag: '--allow-high-s',
    group: 'Checks',
    kind: 'flag',
    setting: 'verify.allowHighS',
    description: 'accept the second signature of the same bytes, as some chains do',
  },
  {
    flag: '--json',
    group: 'Output',
    kind: 'flag',
    setting: 'verify.json',
    description: 'print the verdict as JSON',
  },
]

/** The options that only `tape` has. */
export const TAPE_OPTIONS: readonly CliOption[] = [
  {
    flag: '--feeds <ids>',
    variable: 'TAPE_FEEDS',
    group: 'Tape',
    kind: 'commas',
    setting: 'tape.feeds',
    description: 'feeds, such as BTCUSD,ETHUSD',
  },
  {
    flag: '--for <duration>',
    group: 'Tape',
    kind: 'text',
    setting: 'tape.for',
    default: '10m',
    description: 'length of the tape in virtual time, from --at on',
  },
  {
    flag: '--every <duration>',
    group: 'Tape',
    kind: 'text',
    setting: 'tape.every',
    default: '1s',
    description: 'virtual time between two ticks of a feed',
  },
  {
    flag: '--layout <name>',
    group: 'Tape',
    kind: 'text',
    setting: 'tape.layout',
    default: 'svm',
    description: 'signed form: svm (replies of latest) or evm (replies of evm/crypto)',
  },
  {
    flag: '--format <form>',
    variable: 'TAPE_FORMAT',
    group: 'Output',
    kind: 'text',
    setting: 'tape.format',
    default: 'json',
    description: 'output format: json, one document, or ndjson, a line for each tick',
  },
  {
    flag: '--out <file>',
    group: 'Output',
    kind: 'text',
    setting: 'tape.out',
    default: 'standard output',
    description: 'file to write, which appears when it is complete',
  },
]

/** The options that only `relay` has. */
export const RELAY_OPTIONS: readonly CliOption[] = [
  {
    flag: '--rpc <url>',
    group: 'Relay',
    kind: 'text',
    setting: 'relay.rpc',
    default: 'http://127.0.0.1:8545',
    description: 'address of the RPC of the chain, such as that of anvil',
  },
  {
    flag: '--allow-chain <name>',
    group: 'Relay',
    kind: 'commas',
    setting: 'relay.allowChains',
    description: 'chain that is not local and gets prices of the mock all the same, such as sepolia or 11155111',
  },
  {
    flag: '--contract <address>',
    group: 'Relay',
    kind: 'text',
    setting: 'relay.contract',
    description: 'contract that takes prices by updatePrice(bytes32,uint192,uint32,int32,bytes)',
  },
  {
    flag: '--feeds <ids>',
    variable: 'RELAY_FEEDS',
    group: 'Relay',
    kind: 'commas',
    setting: 'relay.feeds',
    description: 'feeds to push, such as BTCUSD,ETHUSD',
  },
  {
    flag: '--sync-clock',
    group: 'Relay',
    kind: 'flag',
    setting: 'relay.syncClock',
    description: 'keep the chain and the mock on one clock',
  },
  {
    flag: '--clock <leader>',
    variable: 'RELAY_CLOCK',
    group: 'Relay',
    kind: 'text',
    setting: 'relay.leader',
    default: 'mock',
    needs: 'relay.syncClock',
    description: 'with --sync-clock, the side whose time the other follows: mock or chain',
  },
  {
    flag: '--key-unsafe <key>',
    variable: 'RELAY_KEY_UNSAFE',
    group: 'Relay',
    kind: 'text',
    setting: 'relay.keyUnsafe',
    default: 'the first account of the chain',
    description: 'private key that pays for transactions, in hex, set in the environment; needs viem',
  },
]

/** The options that the lists have: `feeds`, `faults` and `scenarios`. */
export const LIST_OPTIONS: readonly CliOption[] = [
  {
    flag: '--json',
    variable: 'LIST_JSON',
    group: 'Output',
    kind: 'flag',
    setting: 'list.json',
    description: 'print JSON',
  },
]

/** The options of single commands. */
export const COMMAND_OPTIONS: readonly CliOption[] = [
  ...EXEC_OPTIONS,
  ...KEYS_OPTIONS,
  ...VERIFY_OPTIONS,
  ...TAPE_OPTIONS,
  ...RELAY_OPTIONS,
  ...LIST_OPTIONS,
]
