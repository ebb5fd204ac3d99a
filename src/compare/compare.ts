// Compares a service with ours: the same probes ask both, and what differs is looked up in our options, which are tried at once.
import { getOrCreate } from '../caches.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { createFetch } from '../hosts/fetch.js'
import { createMock, type FeedsFile } from '../index.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { FEED_CLASSES, type Policy } from '../settings/policy.js'
import { mergePatches, type SettingsInput, type SettingsPatch } from '../settings/settings.js'
import { type Asker, createAsker, keyOf, type Observed, observe, type Service } from './observe.js'
import { type OptionPatch, type Probe, type ProbeContext, type Question, type Seen, to } from './probe.js'
import { PROBES } from './probes.js'

const OUR_KEY = 'ours'

/** The settings of ours that the user has, before any change. */
export interface OurSettings {
  readonly settings: SettingsInput
  readonly feeds: FeedsFile | undefined
}

/** Settings with a change, as a config file has them. */
export function toConfig({ settings, feeds }: OurSettings, { feeds: changes = {}, ...patch }: OptionPatch) {
  const { policy, signing, signer } = mergePatches(settings as SettingsPatch, patch as SettingsPatch) as SettingsInput
  const isEmpty = (part: object | undefined): boolean => part === undefined || Object.keys(part).length === 0
  const { layouts, ...forms } = signing ?? {}
  const definitions = new Map((feeds?.feeds ?? []).map(definition => [definition.id.toUpperCase(), definition]))
  for (const [id, change] of Object.entries(changes))
    definitions.set(id.toUpperCase(), { ...definitions.get(id.toUpperCase()), id, ...change })
  return {
    ...(isEmpty(policy) ? {} : { policy }),
    ...(isEmpty(forms) && isEmpty(layouts) ? {} : { signing: { ...forms, ...(isEmpty(layouts) ? {} : { layouts }) } }),
    ...(signer === undefined ? {} : { signer }),
    ...(definitions.size === 0 ? {} : { feeds: { ...feeds, feeds: [...definitions.values()] } }),
  }
}

/**
 * Creates a mock of ours, which takes no time to ask.
 * @throws PriceFeedMockError CONFIG_INVALID or FEEDS_INVALID if the settings are impossible
 */
export function createOurs(base: OurSettings, patch: OptionPatch) {
  const mock = createMock({ ...toConfig(base, patch), apiKeys: [OUR_KEY], clock: { at: 0, frozen: true } })
  const { policy, signing } = mock.sessions.default.runtime.settings
  const fetch = createFetch(mock)
  /** Sets its clock, in seconds since the epoch. */
  const setTime = (second: number): void => mock.clock.set(second)
  return { fetch, apiKey: OUR_KEY, policy, signing, setTime }
}

/** Options of a comparison. */
export interface CompareOptions {
  readonly feeds: readonly string[]
  readonly ours: OurSettings
  /**
   * Number of candidates of a search for a layout.
   * @default all of its vocabulary, about three million
   */
  readonly maxCandidates?: number | undefined
}

/** A row of the comparison. */
export interface ComparedRow {
  readonly probe: Probe
  /** `own` belongs to the service alone. */
  readonly result: 'same' | 'differs' | 'not asked' | 'own'
  readonly theirs?: Seen | undefined
  readonly ours?: Seen | undefined
  /** Why it was not asked. */
  readonly reason?: string | undefined
  /** The settings that were derived from it; undefined where it needs none of its own. */
  readonly patch?: OptionPatch | undefined
  /** Whether ours does the same with the settings of all rows. */
  readonly isSolved?: boolean | undefined
}

/** Probes see the effect of others only when those are solved: limits hide replies, for example. */
const MAX_ROUNDS = 3

type Asked = Awaited<ReturnType<typeof askService>>

/**
 * Asks a service everything.
 * @throws PriceFeedMockError SERVICE_REFUSED or NO_REPLY if it cannot be asked at all
 */
export async function askService(service: Service, options: CompareOptions) {
  const asker = createAsker(service)
  const refusals: [id: string, status: number][] = []
  const feeds: string[] = []
  for (const id of options.feeds) {
    const { status } = await asker.ask(to.latest(id))
    if (status === 200) feeds.push(id)
    else refusals.push([id, status])
    if (status === 401 || status === 403) break
  }
  if (feeds.length === 0) throw cannotAsk(refusals)
  const ours = createOurs(options.ours, {})
  const context = createContext(options, feeds, ours, asker)
  let reported = 0
  const observed = await observe(
    context,
    {
      ask: asker.ask,
      pause: seconds => service.wait(seconds * 1000, service.signal),
      onCalculated: candidates => {
        // The search for another form counts from 0.
        if (candidates < reported) reported = 0
        if (candidates >= reported + REPORT_EVERY) {
          reported = candidates
          service.report(`${candidates} layouts tried; Ctrl-C ends the search.`)
        }
        return service.wait(0, service.signal)
      },
    },
    () => service.signal.aborted,
  )
  return { context, observed, asker }
}
const REPORT_EVERY = 100_000

function cannotAsk(refusals: readonly (readonly [id: string, status: number])[]): PriceFeedMockError {
  const [[, status] = ['', 0]] = refusals
  const ids = refusals.map(([id]) => id).join(', ')
  const got = refusals.map(([id, status]) => `${status} for ${id}`).join(', ')
  const fix =
    status === 401 || status === 403
      ? 'check the key in the variable that --api-key-env names'
      : 'check --base-url, and name feeds of the service with --feeds'
  return new PriceFeedMockError('SERVICE_REFUSED', `The service cannot be asked: it has no price of ${ids}.`, {
    got,
    fix,
  })
}

function createContext(
  { feeds: requested, maxCandidates }: CompareOptions,
  feeds: readonly string[],
  { policy, signing }: ReturnType<typeof createOurs>,
  asker: Asker,
): ProbeContext {
  const own = [...new Set([signing.svm, signing.evm, ...Object.keys(signing.layouts)])]
  return {
    // Without one, a service is not asked at all.
    feeds: feeds as ProbeContext['feeds'],
    requested,
    maxCandidates,
    limits: { minutes: policy.maxMinutes, feedIds: policy.maxFeedIds },
    classes: FEED_CLASSES.map(name => [name, catalogueFeeds().find(feed => feed.class === name)!.id] as const),
    layouts: own.map(name => signing.layouts[name]!),
    answers: asker.answers,
  }
}

/** Asks ours what the service was asked, each question at the same time of the clock. */
async function askOurs({ context, asker: theirs }: Asked, options: CompareOptions, patch: OptionPatch) {
  const ours = createOurs(options.ours, patch)
  const times = new Map<string, number[]>()
  for (const { question, answer } of theirs.answers) getOrCreate(times, keyOf(question), () => []).push(answer.now)
  let now = theirs.answers.at(-1)!.answer.now
  const onSend = (question: Question): void => {
    now = times.get(keyOf(question))?.shift() ?? now
    ours.setTime(now)
  }
  const asker = createAsker({ ...serviceOf(ours), now: () => now * 1000, onSend })
  const created = createContext(options, context.feeds, ours, asker)
  // Its own layouts are known: none has to be searched.
  const pause = async (seconds: number) => void (now += seconds)
  return observe({ ...created, limits: context.limits, maxCandidates: 0 }, { ask: asker.ask, pause })
}

/** Ours as a service that never makes anybody wait. */
const serviceOf = ({ fetch, apiKey }: ReturnType<typeof createOurs>): Omit<Service, 'now'> => ({
  baseUrl: 'http://mock',
  historyUrl: 'http://mock',
  fetch,
  apiKey,
  maxRequests: Number.POSITIVE_INFINITY,
  wait: async () => {},
  signal: new AbortController().signal,
  timeout: () => new AbortController().signal,
  report: () => {},
})

/** The questions that would be asked, in order. Those of searches for limits depend on the answers. */
export async function listQuestions(options: CompareOptions, now: number): Promise<Question[]> {
  const ours = createOurs(options.ours, {})
  ours.setTime(now)
  const asker = createAsker({ ...serviceOf(ours), now: () => now * 1000 })
  for (const id of options.feeds) await asker.ask(to.latest(id))
  const context = createContext(options, options.feeds, ours, asker)
  let second = now
  const pause = async (seconds: number) => ours.setTime((second += seconds))
  await observe(context, { ask: asker.ask, pause })
  return asker.answers.map(({ question }) => question)
}

const isSame = (probe: Probe, theirs: Seen | undefined, ours: Seen | undefined): boolean =>
  probe.same === undefined
    ? JSON.stringify(theirs) === JSON.stringify(ours)
    : probe.same(theirs as never, ours as never)

/** Finds the settings with which ours answers as the service does, from the answers of ours without them. */
async function findSettings(asked: Asked, options: CompareOptions, first: Observed) {
  const { context, observed } = asked
  const probes = PROBES.filter(({ name }) => name in observed.seen)
  const { policy } = createOurs(options.ours, {})
  let last = first
  let patch: OptionPatch = {}
  const patches = new Map<string, OptionPatch>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let changed = patch
    for (const probe of probes) {
      const { name, toPatch } = probe
      if (patches.has(name) || isSame(probe, observed.seen[name], last.seen[name])) continue
      const found = toPatch?.(observed.seen[name] as never, context, last.seen[name] as never)
      if (found === undefined || isOurs(found, policy)) continue
      const merged = mergeOptions(changed, found)
      if (!isPossible(options, merged)) continue
      patches.set(name, found)
      changed = merged
    }
    if (changed === patch) break
    patch = changed
    last = await askOurs(asked, options, patch)
  }
  return { patch, patches, last }
}

/**
 * Compares the answers of a service with ours, and finds the settings that match.
 * @returns the rows, and the settings with which all solved ones are the same
 */
export async function compareWithOurs(asked: Asked, options: CompareOptions) {
  const { observed } = asked
  const first = await askOurs(asked, options, {})
  const { patch, patches, last } = await findSettings(asked, options, first)
  const rows = PROBES.map((probe): ComparedRow => {
    const { name, isOwn } = probe
    const [theirs, ours] = [observed.seen[name], first.seen[name]]
    if (theirs === undefined) return { probe, result: 'not asked', reason: observed.notAsked[name] }
    if (isOwn) return { probe, result: 'own', theirs }
    const isSolved = isSame(probe, theirs, last.seen[name])
    return isSolved && isSame(probe, theirs, ours)
      ? { probe, result: 'same', theirs, ours }
      : { probe, result: 'differs', theirs, ours, patch: patches.get(name), isSolved }
  })
  return { rows, patch }
}

/** Whether ours has some settings already: another part of the row differs, such as the status beyond an equal limit. */
function isOurs({ policy = {}, ...others }: OptionPatch, ours: Policy): boolean {
  const isSet = (name: string): boolean =>
    JSON.stringify(ours[name as keyof Policy]) === JSON.stringify(policy[name as keyof Policy])
  return Object.keys(others).length === 0 && Object.keys(policy).every(isSet)
}

/** Whether ours can have some settings: prices can be too large for a field or an exponent. */
function isPossible({ ours }: CompareOptions, patch: OptionPatch): boolean {
  try {
    createOurs(ours, patch)
    return true
  } catch (error) {
    if (!isPriceFeedMockError(error)) throw error
    return false
  }
}

/** Merges the settings of two rows; the definitions of one feed are merged as well. */
function mergeOptions(one: OptionPatch, other: OptionPatch): OptionPatch {
  const { feeds, ...settings } = one
  const { feeds: more, ...rest } = other
  const ids = Object.keys({ ...feeds, ...more })
  const merged: SettingsPatch = mergePatches(settings as SettingsPatch, rest as SettingsPatch)
  return {
    ...Object.fromEntries(Object.entries(merged).filter(([key]) => key in settings || key in rest)),
    ...(ids.length === 0 ? {} : { feeds: Object.fromEntries(ids.map(id => [id, { ...feeds?.[id], ...more?.[id] }])) }),
  }
}

/** The rows of a run beside those of a recorded one, without ours. */
export function compareWithProfile({ observed }: Asked, recorded: Readonly<Record<string, Seen>>): ComparedRow[] {
  return PROBES.map((probe): ComparedRow => {
    const { name } = probe
    const [theirs, ours] = [observed.seen[name], recorded[name]]
    if (theirs === undefined) return { probe, result: 'not asked', reason: observed.notAsked[name] }
    if (ours === undefined) return { probe, result: 'not asked', reason: 'the profile does not have it' }
    return { probe, result: isSame(probe, theirs, ours) ? 'same' : 'differs', theirs, ours }
  })
}
