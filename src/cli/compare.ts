// `price-feed-mock compare`: asks a service that the user names, and says where ours differs. The key is never written.
import { toJUnitDocument } from '../admin/report/junit.js'
import {
  askService,
  type ComparedRow,
  type CompareOptions,
  compareWithOurs,
  compareWithProfile,
  listQuestions,
  type OurSettings,
  toConfig,
} from '../compare/compare.js'
import { hideKey, type Service } from '../compare/observe.js'
import type { Question, Seen } from '../compare/probe.js'
import { type Sides, toDifferenceLines, toReport, toRowLines, toSummary } from '../compare/report.js'
import { countOf, PriceFeedMockError, toPrintable } from '../errors.js'
import { wait } from '../hosts/real-time.js'
import type { FeedsFile } from '../index.js'
import type { ResolvedInvocation } from './command-line.js'
import { readJsonFile, writeAtEnd } from './files.js'
import type { Config } from './options.js'
import { createTell, type RunContext, reportError, runUntilSignal } from './run-context.js'
import { readFeedsFile } from './sources.js'

const TIMEOUT_MS = 15_000

/** The number of requests of a whole run. */
const USUAL_REQUESTS = 120
const DEFAULT_FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD']

/** A recorded run. */
interface Profile {
  readonly feeds: readonly string[]
  readonly seen: Readonly<Record<string, Seen>>
}

/** Compares, and returns the exit code: 0 for no difference, 1 for some, 2 if the service cannot be asked. */
export async function compare({ config }: ResolvedInvocation, context: RunContext): Promise<number> {
  const { environment, print, report } = context
  const flags = config.compare ?? {}
  const { apiKeyEnv = 'PRICE_FEED_API_KEY', maxRequests = 200, dryRun, out, junit, against } = flags
  const profile = against === undefined ? undefined : readProfile(against)
  const feeds = flags.feeds ?? profile?.feeds ?? DEFAULT_FEEDS
  const ours = baseOf(config)
  const options: CompareOptions = { feeds: [...new Set(feeds)], ours }
  const baseUrl = withoutSlash(flags.baseUrl!)
  const historyUrl = withoutSlash(flags.historyUrl ?? baseUrl)
  if (dryRun) {
    const questions = await listQuestions(options, Math.floor(Date.now() / 1000))
    for (const question of questions)
      print(toQuestionLine(question, question.base === 'history' ? historyUrl : baseUrl))
    const most = `up to 50 more where a limit differs, never more than ${maxRequests}`
    createTell(report)(`${questions.length} requests; ${most}.`)
    return 0
  }
  const apiKey = environment[apiKeyEnv]
  if (!apiKey)
    // The name is not shown: it may be the key itself.
    throw new PriceFeedMockError(
      'OPTIONS_INVALID',
      'compare needs the API key, but its environment variable is not set.',
      { fix: 'set PRICE_FEED_API_KEY, or name another variable with --api-key-env' },
    )
  const hide = (text: string): string => hideKey(toPrintable(text), apiKey)
  const tell = (line: string): void => createTell(report)(hide(line))

  return runUntilSignal(context, async signal => {
    const service: Service = {
      baseUrl,
      historyUrl,
      apiKey,
      maxRequests,
      fetch: (url, init) => fetch(url, init),
      now: () => Date.now(),
      wait,
      signal,
      timeout: () => AbortSignal.timeout(TIMEOUT_MS),
      report: tell,
    }
    try {
      const size =
        maxRequests < USUAL_REQUESTS ? `at most ${countOf(maxRequests, 'request')}` : `about ${USUAL_REQUESTS} requests`
      tell(`asking ${baseUrl}: ${size}, one after the other, in less than two minutes.`)
      const asked = await askService(service, options)
      const compared = profile === undefined ? await compareWithOurs(asked, options) : undefined
      const rows = compared?.rows ?? compareWithProfile(asked, profile!.seen)
      const sides: Sides =
        profile === undefined ? { theirs: 'theirs', ours: 'ours' } : { theirs: 'now', ours: 'recorded' }
      for (const line of toReport(rows, sides)) print(`${hide(line)}\n`)
      tell(`${toSummary(rows, asked.asker.requests)}.`)
      const save = (file: string | undefined, content: string, text: () => string): void => {
        if (file !== undefined && writeAtEnd(file, hideKey(text(), apiKey), content, tell))
          tell(`${content} is in ${file}.`)
      }
      if (compared !== undefined) save(out, 'the configuration', () => toJson(toConfig(ours, compared.patch)))
      if (signal.aborted && flags.profile !== undefined)
        tell(`${flags.profile} is not written: a profile has the answers of a whole run.`)
      else save(flags.profile, 'the profile', () => toJson({ feeds, seen: asked.observed.seen } satisfies Profile))
      save(junit, 'the JUnit file', () => toJUnit(rows, sides, hide))
      return rows.some(({ result }) => result === 'differs' || result === 'not asked') ? 1 : 0
    } catch (error) {
      if (!signal.aborted) reportError(error, text => report(text.split('\n').map(hide).join('\n')))
      return 2
    }
  })
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** A request of a dry run. Those of searches for limits have long targets. */
function toQuestionLine({ method = 'GET', target, key = 'own' }: Question, address: string): string {
  const { length } = target
  const shown = length > 200 ? `${target.slice(0, 160)}… (${length} characters)` : target
  return `${method} ${address}${shown}${key === 'own' ? '' : ` (key: ${key})`}\n`
}

const toJson = (data: object): string => `${JSON.stringify(data, undefined, 2)}\n`

function baseOf({ policy, signing, signer, feeds }: Config): OurSettings {
  return {
    settings: { policy, signing, signer },
    feeds: feeds === undefined ? undefined : (readFeedsFile(feeds, 'compare')[0] as FeedsFile),
  }
}

function readProfile(file: string): Profile {
  const data = readJsonFile(file, '--against') as Partial<Profile> | null
  const isIds = (list: unknown): boolean => Array.isArray(list) && list.every(id => typeof id === 'string')
  if (isIds(data?.feeds) && typeof data?.seen === 'object' && data.seen !== null) return data as Profile
  throw new PriceFeedMockError('OPTIONS_INVALID', `${file} is not a profile.`, {
    want: 'a file that compare --profile has written',
    from: '--against',
  })
}

const toJUnit = (rows: readonly ComparedRow[], sides: Sides, hide: (text: string) => string): string =>
  toJUnitDocument({
    name: 'price-feed-mock compare',
    classname: 'price-feed-mock.compare',
    cases: rows.map(row => {
      const failure = {
        type: 'differs',
        message: hide(toDifferenceLines(row, sides).join('; ')),
        text: toRowLines(row, sides).map(hide).join('\n'),
      }
      return {
        name: row.probe.name,
        ...(row.result === 'differs' && { failure }),
        ...(row.result === 'not asked' && { skipped: hide(row.reason ?? '') }),
      }
    }),
  })
