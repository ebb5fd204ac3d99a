// A hunt in process: every run of the consumer is a session of one mock, whose delays take no real time.
import * as z from 'zod/mini'
import { show, tryTo } from '../errors.js'
import { createFetch } from '../hosts/fetch.js'
import { monotonicMs, realTime, wait } from '../hosts/real-time.js'
import { type FakeTimers, moverOf, WANT_TIMERS } from '../hosts/virtual-delays.js'
import { type HuntReport, type HuntRun, type HuntScenario, hunt as huntWith } from '../hunt/hunt.js'
import { collectEntries, toHuntRequests } from '../hunt/profile.js'
import { createMock, type MockOptions } from '../index.js'
import { ownScenario } from '../scenario-input.js'
import { sessionBodySchema } from '../service/session-settings.js'
import { assertNoProblems, findUnknownKeys, integer, read } from '../settings/schema.js'
import { openSession, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import type { TestTarget } from './test-target.js'

/** Options of `hunt`: those of its sessions, and how long it goes on. */
export interface HuntConsumerOptions
  extends Omit<PriceFeedOptions, 'scenario'>,
    Pick<Parameters<typeof huntWith>[0], 'allow' | 'known' | 'signal' | 'onProgress'> {
  /**
   * Runs of the consumer. One more find may take up to 40 more.
   * @default 160
   */
  readonly runs?: number | undefined
  /**
   * Real milliseconds after which a run has failed.
   * @default ten seconds, or five times the slowest run that passed
   */
  readonly timeoutMs?: number | undefined
  /**
   * Fake timers of the test, which move with the clock during delays of replies.
   * @default none
   */
  readonly timers?: FakeTimers | undefined
  /** Options of the mock, such as your own feeds. Your own scenarios are tried before the built-in ones. */
  readonly mock?: MockOptions | undefined
}

/** The options that are not those of a session. */
const ownSchema = z.partial(
  z.object({
    runs: integer(1, 1_000_000),
    timeoutMs: integer(1, 86_400_000, 'milliseconds from 1 to 86400000, a day'),
    allow: z.array(z.string(), { error: 'a list of names of faults, scenarios or finds' }),
    known: z.array(z.looseObject({ name: z.string(), scenario: z.looseObject({ faults: z.array(z.any()) }) }), {
      error: 'a list of finds: { name, scenario }',
    }),
    timers: z.custom(value => value === undefined || moverOf(value) !== undefined, { error: WANT_TIMERS }),
    mock: z.any(),
    signal: z.custom<AbortSignal>(value => value === undefined || typeof Object(value).aborted === 'boolean', {
      error: 'an AbortSignal, such as that of an AbortController',
    }),
    onProgress: z.custom<() => void>(value => value === undefined || typeof value === 'function', {
      error: 'a function',
    }),
  }),
)

const NO_REQUEST =
  'The consumer sent no request to the mock: it has to ask by priceFeed.fetch or priceFeed.client before it ends. clock.advance fires only the timers of the option `timers`.'

/**
 * Hunts for scenarios in which a consumer fails. It is called once for each run, with a session of its own, and fails by throwing:
 * read prices through `priceFeed.fetch`, let time pass with `priceFeed.clock.advance`, and check what your code did.
 * @returns the finds, each with the smallest scenario that fails; `calm` is `failed` if it fails without faults, or gets no price
 * @throws PriceFeedMockError OPTIONS_INVALID
 * @example
 * const { calm, finds } = await hunt(async priceFeed => {
 *   const bot = createBot({ fetch: priceFeed.fetch, baseUrl: priceFeed.baseUrl, apiKey: priceFeed.apiKey })
 *   for (let i = 0; i < 60; i++) {
 *     await bot.poll()
 *     await priceFeed.clock.advance('2s')
 *   }
 *   if (bot.orders.length > 0) throw new Error('it traded in a calm market')
 * })
 */
export async function hunt(
  consumer: (priceFeed: PriceFeed) => unknown,
  options?: HuntConsumerOptions,
): Promise<HuntReport> {
  // JavaScript callers may pass null.
  const given = options ?? {}
  const ofSession = Object.keys(sessionBodySchema.shape).filter(key => key !== 'id' && key !== 'scenario')
  const unknown = findUnknownKeys(given, [...Object.keys(ownSchema.shape), ...ofSession])
  const { problems = [] } = read(ownSchema, given)
  const isCallable = typeof consumer === 'function'
  const noConsumer = isCallable ? [] : [{ at: 'consumer', got: consumer, want: 'a function' }]
  assertNoProblems('OPTIONS_INVALID', 'hunt(consumer, options)', [...noConsumer, ...unknown, ...problems])
  const { runs = 160, timeoutMs, timers, mock: mockOptions, allow, known, signal, onProgress, ...session } = given
  const mock = createMock({ realTime, ...mockOptions })
  const fetch = createFetch(mock, { delays: 'virtual', ...(timers === undefined ? {} : { timers }) })

  let limit = timeoutMs ?? LIMIT_STEP_MS
  const run = async (
    scenario: HuntScenario,
    { signal: stop }: { readonly signal?: AbortSignal | undefined },
  ): Promise<HuntRun> => {
    const { clock, ...rest } = scenario
    // Settings of a session override those of its scenario.
    const settings = { ...session, ...(clock === undefined ? {} : { clock: { ...session.clock, ...clock } }) }
    const body = { ...settings, scenario: ownScenario(rest) } as PriceFeedOptions
    let hasEnded = false
    const target: TestTarget = {
      url: 'http://hunt.price-feed-mock.test',
      // A consumer that goes on after its run, for ever, has no answer to go on with.
      fetch: (input, init) => (hasEnded ? new Promise(() => {}) : fetch(input, init)),
    }
    const { feed, end } = await openSession(target, body, limit)
    try {
      const { runtime, journal } = mock.sessions.get(feed.id)
      const entries = collectEntries(journal)
      const startMs = await feed.clock.now()
      const started = monotonicMs()
      const output = await failureOf(() => consumer(feed), limit, stop)
      if (timeoutMs === undefined && output === undefined) limit = limitAfter(limit, monotonicMs() - started)
      const { record } = mock.sessions.get(feed.id)
      return {
        failed: output !== undefined,
        output: output ?? '',
        requests: toHuntRequests(entries, startMs),
        hits: runtime.scenario.faults.map((_, i) => record.counters.faults[i]?.hits ?? 0),
        ms: (await feed.clock.now()) - startMs,
      }
    } finally {
      await end()
      hasEnded = true
    }
  }
  const scenarios = mock.scenarios.sources
  // The error for an invalid one names it.
  for (const { name, scenario } of known ?? []) mock.scenarios.parse('known', scenario, `The scenario of "${name}"`)
  return huntWith({
    run,
    noRequest: NO_REQUEST,
    seed: given.seed ?? 42,
    budget: { runs },
    feeds: mock.sessions.parts.feeds,
    scenarios,
    allow,
    known,
    signal,
    onProgress,
  })
}

const LIMIT_STEP_MS = 10_000

/** The limit of a run after one that passed: on a machine that is busy, the next one may take much longer. */
export const limitAfter = (limit: number, tookMs: number): number =>
  Math.max(limit, Math.ceil((5 * tookMs) / LIMIT_STEP_MS) * LIMIT_STEP_MS)

/** The message with which a consumer fails; undefined if it does not. The signal ends the wait for it. */
async function failureOf(consumer: () => unknown, timeoutMs: number, stop?: AbortSignal): Promise<string | undefined> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  // The signal may be of another realm, as in a page that a test simulates, which `AbortSignal.any` refuses.
  stop?.addEventListener('abort', end, { once: true })
  if (stop?.aborted === true) end()
  const tooLong = wait(timeoutMs, ended.signal).then(() => `It did not end within ${timeoutMs} ms.`)
  try {
    const ran = Promise.resolve().then(consumer)
    return await Promise.race([ran.then(() => undefined), tooLong])
  } catch (error) {
    // A getter or a proxy may throw in its turn.
    return tryTo(() => textOf(error)) ?? 'It threw a value that cannot be read.'
  } finally {
    // The timer is not needed any more.
    tooLong.catch(() => {})
    stop?.removeEventListener('abort', end)
    end()
  }
}

/** The text of what was thrown, with its causes: a library that runs code of the consumer, such as fast-check, wraps its error. */
function textOf(error: unknown, depth = 0): string {
  // An error of another realm, as tests have them, is no instance of this one.
  const { name, message, cause } = Object(error) as Partial<Error>
  if (typeof message !== 'string') return typeof error === 'string' ? error : show(error)
  return `${name}: ${message}${cause === undefined || depth > 3 ? '' : `\nCaused by ${textOf(cause, depth + 1)}`}`
}
