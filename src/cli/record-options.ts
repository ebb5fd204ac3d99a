// The options of `record`, and their validation: all problems at once.
import * as z from 'zod/mini'
import { countOf, PriceFeedMockError, type Problem } from '../errors.js'
import { integer, read, text } from '../settings/schema.js'
import { parseDuration } from '../settings/time.js'
import { toSignerAddress } from '../signing/find-signers.js'
import { testSigners } from '../signing/verify.js'
import { attributeName, type CliOption, environmentName, longName } from './options.js'
import type { RecordOptions } from './record.js'

/** Every option of `record`. Those without an environment name are settings of a single run. */
export const RECORD_OPTIONS: readonly CliOption[] = [
  {
    flag: '--base-url <url>',
    group: 'Server',
    kind: 'text',
    setting: 'baseUrl',
    environment: 'PRICE_FEED_BASE_URL',
    description: 'address of the service whose prices are recorded',
  },
  {
    flag: '--api-key <key>',
    group: 'Signing and access',
    kind: 'text',
    setting: 'apiKey',
    environment: 'PRICE_FEED_API_KEY',
    description: 'API key of the service; it is neither written nor shown',
  },
  {
    flag: '--signer <list>',
    group: 'Signing and access',
    kind: 'text',
    setting: 'signers',
    environment: '',
    description:
      'accepted signers: addresses, public keys, or numbers of test keys, with commas; prices without their signature are left out',
  },
  {
    flag: '--feeds <list>',
    group: 'Market',
    kind: 'text',
    setting: 'feeds',
    environment: '',
    description: 'feeds to record, such as BTCUSD,ETHUSD',
  },
  {
    flag: '--every <duration>',
    group: 'Market',
    kind: 'text',
    setting: 'every',
    environment: '',
    default: '1s',
    description: 'time between two polls',
  },
  {
    flag: '--out <file>',
    group: 'Output',
    kind: 'text',
    setting: 'out',
    environment: '',
    description: 'CSV file to write; one that exists is continued',
  },
]

const WANT_URL = 'an http or https address without a password, such as https://api.example'
const WANT_FEEDS = '1 to 100 feed ids, such as BTCUSD,ETHUSD'
const WANT_EVERY = 'a duration of at most a day, such as 1s or 5m'
const WANT_SIGNERS = 'addresses, public keys in hex, or numbers of test keys, with commas'
const schema = z.strictObject({
  baseUrl: text(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/, WANT_URL),
  apiKey: text(/^[\x21-\x7e]{1,512}$/, 'a key of 1 to 512 visible ASCII characters'),
  feeds: text(/^[A-Za-z0-9._-]{1,32}(,[A-Za-z0-9._-]{1,32}){0,99}$/, WANT_FEEDS),
  every: z.pipe(
    z.pipe(
      z.string({ error: WANT_EVERY }),
      z.transform(every => parseDuration(every)?.seconds),
    ),
    integer(1, 86_400, WANT_EVERY),
  ),
  out: text(/./, 'a file'),
  signers: z.optional(
    z.pipe(
      z.pipe(
        z.string({ error: WANT_SIGNERS }),
        z.transform(list => list.split(',').map(toSigner)),
      ),
      z.array(z.string({ error: WANT_SIGNERS })),
    ),
  ),
})

/** The address of a signer; undefined if it is none. */
const toSigner = (given: string): string | undefined =>
  /^\d$/.test(given) ? testSigners()[Number(given)]!.address : toSignerAddress(given)

/**
 * The options of a recording, from flags and the environment.
 * @param flags values by attribute
 * @throws PriceFeedMockError OPTIONS_INVALID with every problem
 */
export function toRecordOptions(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  help: string,
): RecordOptions {
  const given = Object.fromEntries(
    RECORD_OPTIONS.map(option => {
      const name = environmentName(option)
      const fromEnvironment = name === '' ? undefined : environment[name] || undefined
      return [option.setting!, flags[attributeName(option)] ?? fromEnvironment ?? option.default]
    }),
  )
  const { value, problems = [] } = read(schema, given)
  if (value === undefined)
    throw new PriceFeedMockError('OPTIONS_INVALID', `The options have ${countOf(problems.length, 'problem')}.`, {
      problems: problems.map(problem => named(problem)),
      details: [['docs', help]],
    })
  const { baseUrl, apiKey, feeds, every, out, signers } = value
  const ids = [...new Set(feeds.split(','))]
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, feeds: ids, everyMs: every * 1000, out, signers }
}

/** A problem with the name of its flag. A key, and an address that may hold one, are not shown. */
function named(problem: Problem): Problem {
  const option = RECORD_OPTIONS.find(({ setting }) => setting === problem.at.replace(/\[.*/, ''))!
  const isSecret = problem.at === 'apiKey' || problem.at === 'baseUrl'
  const got = isSecret && problem.got !== undefined ? '(not shown)' : problem.got
  return { ...problem, at: `--${longName(option)}`, got }
}
