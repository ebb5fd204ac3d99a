// The options of each command, and its defaults that differ from the table.
import {
  EXEC_OPTIONS,
  KEYS_OPTIONS,
  LIST_OPTIONS,
  RELAY_OPTIONS,
  TAPE_OPTIONS,
  VERIFY_OPTIONS,
} from './command-options.js'
import type { ListKind } from './list.js'
import { attributeName, type CliOption, OPTIONS } from './options.js'
import { RECORD_OPTIONS } from './record-options.js'

/** The name of a command. */
export type CommandName = 'serve' | 'exec' | 'keys' | 'verify' | 'tape' | 'relay' | 'check' | ListKind | 'record'

/** Defaults of each command that differ from the table, by attribute. */
export const DEFAULTS: Readonly<Record<CommandName, Readonly<Record<string, string>>>> = {
  serve: {},
  check: {},
  feeds: {},
  faults: {},
  scenarios: {},
  record: {},
  // A free port and no log, so that the output belongs to the command.
  exec: { port: '0', log: 'off' },
  keys: { format: 'env' },
  verify: {},
  tape: { for: '10m', every: '1s', layout: 'svm', format: 'json' },
  relay: { rpc: 'http://127.0.0.1:8545' },
}
const isOfKeys = ({ setting }: CliOption): boolean =>
  setting === undefined || /^(signer|signerKeyUnsafe|apiKeys)$/.test(setting)

/** The settings that determine the ids of feeds by their numbers. */
const FEED_SETTINGS = /^(seed|feeds|syntheticFeeds)$/
/** A relay reads the session of its own server. */
const isOfStore = ({ setting }: CliOption): boolean => /^(store|sessionIdle|lazySessions)$/.test(setting ?? '')
/** The settings that determine the prices of a tape. */
const TAPE_SETTINGS =
  /^(seed|clock\.at|feeds|syntheticFeeds|series|as|seriesAt|scenario|scenarios|signer|signerKeyUnsafe)$/
/** The options of each command, with the command's own defaults. */
export const OPTIONS_OF: Readonly<Record<CommandName, readonly CliOption[]>> = {
  serve: OPTIONS,
  exec: [
    ...OPTIONS.filter(({ setting }) => setting !== 'ready' && setting !== 'watch').map(option => {
      const value = DEFAULTS.exec[attributeName(option)]
      return value === undefined ? option : { ...option, default: value }
    }),
    ...EXEC_OPTIONS,
  ],
  keys: [...KEYS_OPTIONS, ...OPTIONS.filter(isOfKeys)],
  verify: [
    ...VERIFY_OPTIONS,
    ...OPTIONS.filter(option => isOfKeys(option) && option.setting !== 'apiKeys'),
    ...OPTIONS.filter(({ setting = '' }) => FEED_SETTINGS.test(setting)),
  ],
  tape: [...TAPE_OPTIONS, ...OPTIONS.filter(({ setting }) => setting === undefined || TAPE_SETTINGS.test(setting))],
  relay: [...RELAY_OPTIONS, ...OPTIONS.filter(option => !isOfStore(option))],
  check: OPTIONS.filter(({ setting }) => setting === 'feeds'),
  feeds: [...LIST_OPTIONS, ...OPTIONS.filter(({ setting = '' }) => FEED_SETTINGS.test(setting))],
  faults: LIST_OPTIONS,
  scenarios: [...LIST_OPTIONS, ...OPTIONS.filter(({ setting }) => setting === 'feeds' || setting === 'scenarios')],
  record: RECORD_OPTIONS,
}
