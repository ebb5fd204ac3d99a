// The changes of a session, as pure steps from one record to the next. Each is applied as a whole, or throws.
import type { Problem } from '../errors.js'
import { type ReadSeries, seriesShift, seriesStart } from '../market/series.js'
import type { Scenario } from '../scenario/scenario.js'
import { assertNoProblems } from '../settings/schema.js'
import { mergePatches, type SettingsPatch } from '../settings/settings.js'
import { assertRestorable, bytesOf, bytesOfOverrides } from './admission.js'
import { DEFAULT_STATE, type FaultCount, NO_COUNT } from './apply-faults.js'
import { type Clock, changeClock, readClock, startClock } from './clock.js'
import type { Verdict, VerdictInput } from './journal-entry.js'
import { NO_KEYS } from './key-problem.js'
import { checkSignable, overridePrices } from './price-overrides.js'
import type { Counters, SessionRecord, Setup } from './record.js'
import { isScenarioId, SCENARIO } from './request.js'
import type { Runtime, Shared } from './runtime.js'
import type { SessionBody, SessionPatch } from './session-settings.js'
import { type Snapshot, takeSnapshot } from './snapshot.js'
import { toVerdict, withVerdict } from './verdicts.js'

/** A step of a session: pure, and synchronous. */
export type Step = (record: SessionRecord, runtime: Runtime) => Stepped

interface Stepped {
  readonly record: SessionRecord
  /** Entries of the journal that go: all, or those after a request. */
  readonly journal?: 'clear' | { readonly rewindTo: number } | undefined
}

/** A new session. */
export interface Creation {
  readonly id: string
  readonly isNamed: boolean
  readonly body?: SessionBody | undefined
  readonly realMs: number
  readonly replacesEvicted: boolean
  /** Reads the series of the body. */
  readonly readSeries?: ReadSeries | undefined
}

/**
 * The record of a new session.
 * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN, SCENARIO_INVALID, CLOCK_OUT_OF_RANGE or SESSION_TOO_LARGE
 */
export function created(creation: Creation, shared: Shared): SessionRecord {
  const record = begun(creation, shared)
  if (creation.isNamed) assertRestorable(record.setup)
  return record
}

/**
 * The scenario that a new session starts with.
 * @throws PriceFeedMockError SCENARIO_UNKNOWN or SCENARIO_INVALID
 */
export function firstScenario(id: string, { scenario }: SessionBody, shared: Shared): Scenario {
  const byId = isScenarioId(id) ? id.slice(SCENARIO.length) : shared.scenario
  return shared.scenarios.get(scenario ?? byId ?? 'calm')
}

function begun(
  { id, isNamed, body = {}, realMs, replacesEvicted, readSeries }: Creation,
  shared: Shared,
): SessionRecord {
  const { settings } = shared
  const { id: _, series, seriesAt = shared.seriesAt ?? 'start', ...patch } = body
  const scenario = firstScenario(id, body, shared)
  const feeds = shared.feedsOf({ series }, readSeries)
  const rowsStart = seriesAt === 'start' ? seriesStart(feeds) : undefined
  // A clock without a start time begins when the first row is published.
  const at = settings.clock.at ?? (rowsStart === undefined ? undefined : rowsStart * 1000)
  const started = startClock({ ...settings.clock, ...(at === undefined ? {} : { at }) }, realMs)
  const clock = changedClock(started, [scenario.settings.clock, patch.clock], realMs)
  const setup: Setup = {
    id,
    isNamed,
    // The parsed copy of the scenario, so that the object in the body is not held as well.
    createdWith: typeof patch.scenario === 'object' ? { ...body, scenario: scenario.source } : body,
    own: mergePatches<SettingsPatch>({}, {}),
    scenario: { name: scenario.name, source: scenario.source, appliedAt: 0 },
    overrides: {},
    seriesShift: seriesShift(feeds, seriesAt, Math.floor(readClock(clock, realMs) / 1000)),
    verdicts: [],
    past: [],
    replacesEvicted,
  }
  const counters: Counters = { ...DEFAULT_STATE, clock: started, refused: NO_KEYS, at: realMs }
  return applied({ setup, counters }, shared, settings.seed, patch, realMs, scenario)
}

/**
 * Changes settings, clock, prices and scenario.
 * @throws PriceFeedMockError SESSION_INVALID with all problems, CLOCK_OUT_OF_RANGE, SCENARIO_UNKNOWN, SCENARIO_INVALID or
 * SESSION_TOO_LARGE
 */
export const changed =
  (patch: SessionPatch, realMs: number): Step =>
  (record, runtime) => {
    const { setup: before, counters } = record
    const { setup, ...next } = applied(record, runtime.shared, runtime.settings.seed, patch, realMs)
    assertRestorable(setup)
    if (setup === before) return { record: { ...next, setup: setup.isNamed ? setup : { ...setup, isNamed: true } } }
    const now = Math.floor(readClock(next.counters.clock, realMs) / 1000)
    const past = withPast(before.past, counters.n, takeSnapshot({ record, runtime }, realMs), now)
    return { record: { ...next, setup: { ...setup, past, isNamed: true } } }
  }

/** Restores the settings at creation: counters at 0, the clock at its start, an empty journal. */
export const reset =
  (realMs: number): Step =>
  ({ setup: { id, createdWith } }, { shared }) => ({
    record: begun({ id, isNamed: true, body: createdWith, realMs, replacesEvicted: false }, shared),
    journal: 'clear',
  })

/**
 * Replaces everything but the id, the API keys, what it was created with and the older part of the journal with a checked snapshot.
 * @throws PriceFeedMockError SCENARIO_INVALID or SESSION_TOO_LARGE
 */
export const restored =
  (snapshot: Snapshot, realMs: number): Step =>
  (record, runtime) => {
    const { setup: before, counters } = record
    const { state, seed, policy, signing, overrides, scenario, seriesShift = 0 } = snapshot
    const { n } = state
    const now = Math.floor(snapshot.clock.virtualMs / 1000)
    const past = withPast(before.past, counters.n, takeSnapshot({ record, runtime }, realMs), now)
    const setup: Setup = {
      ...before,
      isNamed: true,
      base: { seed, policy },
      own: { ...snapshot.own, signing, apiKeys: before.own.apiKeys, signer: snapshot.signer ?? undefined },
      scenario: { ...scenario, source: sourceOf(scenario, runtime) },
      overrides,
      seriesShift,
      // Like the entries of the journal, later verdicts are dropped.
      verdicts: before.verdicts.filter(verdict => verdict.n <= n),
      past: pastUntil(past, n),
      restored: state,
      replacesEvicted: false,
    }
    assertRestorable(setup)
    const clock = { ...snapshot.clock, realMs }
    return { record: { setup, counters: { ...counters, ...state, clock, at: realMs } }, journal: { rewindTo: n } }
  }

/** Removes the verdicts, and empties the journal. */
export const cleared = (): Step => record => ({
  record: { ...withVerdicts(record, []), counters: { ...record.counters, refused: NO_KEYS } },
  journal: 'clear',
})

/**
 * Adds a verdict, without the secrets of the session in its texts. It replaces the one on the same case.
 * @param onVerdict called with the verdict as it is added
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export const judged =
  (input: VerdictInput, realMs: number, onVerdict?: (verdict: Verdict) => void): Step =>
  (record, { settings, shared }) => {
    const { setup, counters } = record
    const place = { n: counters.n, now: Math.floor(readClock(counters.clock, realMs) / 1000), receivedAt: realMs }
    const verdict = toVerdict(input, place, [shared.baseOf(setup), settings])
    onVerdict?.(verdict)
    return { record: withVerdicts(record, withVerdict(setup.id, setup.verdicts, verdict)) }
  }

/** Removes the verdicts. */
export const withoutVerdicts = (): Step => record => ({ record: withVerdicts(record, []) })

const withVerdicts = (record: SessionRecord, verdicts: readonly Verdict[]): SessionRecord => ({
  ...record,
  setup: { ...record.setup, isNamed: true, verdicts },
})

/**
 * Applies a change. The setup stays the same object where only the clock moves.
 * @param seed the seed before the change
 * @param parsed the scenario of the change, if it is parsed already
 */
function applied(
  { setup, counters }: SessionRecord,
  shared: Shared,
  seed: string,
  { clock, prices, scenario: given, scenarioAt, ...patch }: SessionPatch,
  realMs: number,
  parsed?: ReturnType<Shared['scenarios']['get']>,
): SessionRecord {
  const next = parsed ?? (given == null ? undefined : shared.scenarios.get(given))
  const nextClock = changedClock(counters.clock, [next?.settings.clock, clock], realMs)
  const now = Math.floor(readClock(nextClock, realMs) / 1000)
  // Setting the clock to before the scenario's start restarts the scenario there, unless it was ended.
  const { appliedAt, endedAt } = setup.scenario
  const isRestarted = next !== undefined || (now < appliedAt && endedAt === undefined)
  const { name, source } = next ?? setup.scenario
  const running = isRestarted ? { name, source, appliedAt: scenarioAt ?? now } : setup.scenario
  const ends = given === null && running.endedAt === undefined
  // One that is restarted by the same change has published nothing.
  const scenario = ends ? { ...running, endedAt: isRestarted ? Math.max(0, now - 1) : now } : running
  const isSame = Object.keys(patch).length === 0
  const isMoved = isSame && scenario === setup.scenario && prices === undefined && scenarioAt === undefined
  if (isMoved) return { setup, counters: { ...counters, clock: nextClock, at: realMs } }
  const own = isSame ? setup.own : mergePatches(setup.own, patch)
  const settings = shared.settingsOf({ ...setup, own }, next ?? shared.definitionOf(scenario))
  // Overrides belong to a market, and a new seed is a new market.
  const before = settings.seed === seed ? setup.overrides : {}
  const feeds = shared.shiftedFeeds(shared.feedsOf(setup.createdWith), setup.seriesShift)
  const { overrides, problems } =
    prices === undefined
      ? { overrides: before, problems: [] }
      : overridePrices(shared.marketOf(settings.seed, feeds), before, prices, now)
  const late: Problem[] =
    scenarioAt === undefined || (given != null && scenarioAt <= now)
      ? []
      : [{ at: 'scenarioAt', got: scenarioAt, want: `with a scenario, a second up to ${now}, which is now` }]
  // Only these can make a price unsignable, so a step of the clock need not check every feed.
  const layouts =
    patch.signing !== undefined || prices !== undefined ? checkSignable(feeds, settings.signing, overrides) : []
  assertNoProblems('SESSION_INVALID', `The session ${setup.id}`, [...problems, ...layouts, ...late])
  const isEdited = next !== undefined && scenarioAt === appliedAt && endedAt === undefined
  const counted = isEdited
    ? { ...counters, faults: keptCounts(shared.definitionOf(setup.scenario), next, counters.faults) }
    : isRestarted
      ? { ...counters, applied: counters.ordinals, faults: [] }
      : counters
  return { setup: { ...setup, own, scenario, overrides }, counters: { ...counted, clock: nextClock, at: realMs } }
}

/** The counts of an edited scenario: each fault that is as before keeps its own. */
const keptCounts = (before: Scenario, after: Scenario, counts: readonly FaultCount[]): readonly FaultCount[] =>
  keptFrom(before, after).map(at => (at === undefined ? NO_COUNT : (counts[at] ?? NO_COUNT)))

/** For each fault of an edited scenario, its place in the scenario before; undefined if it is not as it was. */
export function keptFrom(before: Scenario, after: Scenario): readonly (number | undefined)[] {
  const textsOf = ({ source }: Scenario): string[] => (source.faults as unknown[]).map(fault => JSON.stringify(fault))
  const known = textsOf(before)
  return textsOf(after).map(text => {
    const at = known.indexOf(text)
    if (at < 0) return undefined
    // Two faults can be alike.
    known[at] = ''
    return at
  })
}

function changedClock(clock: Clock, changes: readonly SessionPatch['clock'][], realMs: number): Clock {
  return changes.reduce<Clock>((running, change) => (change ? changeClock(running, change, realMs) : running), clock)
}

/** The source of the scenario of a snapshot. A session that is restored to its own snapshot holds it already. */
function sourceOf(taken: Snapshot['scenario'], { scenario: { definition }, shared }: Runtime): unknown {
  // Parsed before it is compared: the source of a snapshot may be no JSON at all.
  const parsed = shared.scenarios.parse(taken.name, taken.source)
  const isSame = parsed.name === definition.name && JSON.stringify(parsed.source) === JSON.stringify(definition.source)
  return isSame ? definition.source : parsed.source
}

/** The state of a session before a change of anything but its clock. */
type Past = Setup['past'][number]

/** Maximum number of earlier snapshots of one session, and of the bytes in which they differ. */
export const MAX_PAST = 20
const MAX_PAST_BYTES = 40_000

const secondOf = ({ clock }: Snapshot): number => Math.floor(clock.virtualMs / 1000)

/** The second from which on an earlier state was over; undefined where it is no longer known. */
export const endOf = ({ snapshot, end }: Past): number | undefined => end ?? (snapshot && secondOf(snapshot))

/**
 * Adds a state that lasted up to request `until`, if it has answered any, or has lasted for a second. Beyond the limits the oldest are
 * forgotten.
 * @param now the second after the change
 */
function withPast(past: readonly Past[], until: number, next: Snapshot, now: number): readonly Past[] {
  const last = past.at(-1)
  const since = last === undefined ? next.scenario.appliedAt : last.snapshot && secondOf(last.snapshot)
  const second = secondOf(next)
  const hasLasted = since !== undefined && second > since
  if (until <= (last?.until ?? 0) && !hasLasted) return past
  const snapshot = { ...next, ...equalParts(next, last?.snapshot) }
  const all: readonly Past[] = [...past, { until, snapshot, ...(now !== second && { end: Math.min(second + 1, now) }) }]
  let bytes = 0
  const isForgotten = ({ snapshot }: Past, i: number): boolean => {
    if (snapshot === undefined) return true
    const equal = equalParts(snapshot, all[i + 1]?.snapshot)
    const { overrides, ...parts } = snapshot
    for (const [key, part] of Object.entries(parts)) if (!(key in equal)) bytes += bytesOf(part)
    if (!('overrides' in equal)) bytes += bytesOfOverrides(overrides)
    return bytes > MAX_PAST_BYTES || all.length - i > MAX_PAST
  }
  const forgotten = all.findLastIndex(isForgotten)
  return forgotten < 0 ? all : [{ until: all[forgotten]!.until }, ...all.slice(forgotten + 1)]
}

/** The parts of another snapshot that one has as well. A change leaves most of them, which are held and counted once. */
function equalParts(snapshot: Snapshot, other: Snapshot | undefined): Partial<Snapshot> {
  if (other === undefined) return {}
  const isEqual = ([key, value]: [string, unknown]): boolean => {
    const own = snapshot[key as keyof Snapshot]
    return own === value || JSON.stringify(own) === JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(other).filter(isEqual))
}

/** The part up to request `n`, for a session that goes back to it. */
function pastUntil(past: readonly Past[], n: number): readonly Past[] {
  const at = past.findIndex(({ until }) => until >= n)
  if (at < 0) return past
  const isEmpty = n <= (past[at - 1]?.until ?? 0)
  return [...past.slice(0, at), ...(isEmpty ? [] : [{ ...past[at]!, until: n }])]
}

/** Whether a session has not changed, its clock aside, since it answered request `n`. */
export const isPresent = (past: readonly Past[], n: number): boolean => n > (past.at(-1)?.until ?? 0)
