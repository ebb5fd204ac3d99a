// A hunt: runs a consumer under scenarios until it fails, and tells which fault it cannot stand. It knows neither processes nor time.
import { FAULTS } from '../faults/index.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { assertNoProblems } from '../settings/schema.js'
import { areAlike, areOfOneKind, checkAllowed, familyOf, nameOf, pageOf } from './causes.js'
import { paceOf } from './pace.js'
import { OTHER_CLOCKS } from './packs.js'
import { leftOutOf } from './probes.js'
import { type Profile, profileOf, requestsOf, whyUseless } from './profile.js'
import { createSearch } from './search.js'
import { type Fails, type Failure, lengthen, MANY, separate, simplify, withoutChance } from './shrink.js'
import { questionOf, toldScenario } from './tell.js'
import type {
  HuntFault,
  HuntFind,
  HuntOptions,
  HuntProgress,
  HuntReport,
  HuntRun,
  HuntScenario,
  KnownFind,
  Trial,
  Unconfirmed,
} from './types.js'

export type * from './types.js'

const CALM: HuntScenario = { title: 'Calm', why: 'A run without faults.', faults: [] }
/** Another ordinary day. A consumer with a clock of its own finds every price of it wrong. */
const ANOTHER_DAY: HuntScenario = { ...CALM, title: 'Another day', clock: { at: '2025-07-23T12:00:00Z' } }
/** Runs that repeat a failure before it is made smaller, and after. */
const [REPEATS, CONFIRMATIONS] = [2, 3]
/**
 * Runs in which a failure has to come down to one fault, or wait for the end of the search: a new one, and one like another. Many faults
 * take most of a budget to separate, and often another trial shows their mistake by one.
 */
const [PATIENCE, LITTLE_PATIENCE] = [16, 8]

/**
 * Hunts for scenarios that a consumer fails. It must pass twice without faults first.
 * @returns the finds, each the smallest scenario that fails
 * @throws PriceFeedMockError OPTIONS_INVALID for a name to accept that nothing has
 */
export async function hunt(options: HuntOptions): Promise<HuntReport> {
  const { seed, allow = [], known = [], scenarios = BUILT_IN, parallel = 1 } = options
  const { noRequest = 'It sent no request to the mock.' } = options
  const names = [...Object.keys(scenarios), ...known.map(({ name }) => name)]
  assertNoProblems('OPTIONS_INVALID', 'The list of accepted names', checkAllowed(allow, names))
  const finds: HuntFind[] = []
  const allowed: HuntFind[] = []
  const unconfirmed: Unconfirmed[] = []
  let tried = 0
  /** Names of the faults that some reply of a trial had, or that had their chance in two that passed: no budget helps those. */
  const met = new Set<string>()
  const missed = new Set<string>()
  const count = ({ faults }: HuntScenario, { hits, failed }: HuntRun): void => {
    tried++
    for (const name of new Set(faults.map(({ fault }) => fault))) {
      const isHit = faults.some(({ fault }, i) => fault === name && hits[i]! > 0)
      if (isHit || (!failed && missed.has(name))) met.add(name)
      else if (!failed) missed.add(name)
    }
  }
  const runner = createRunner(options, () => finds.length)
  let otherDay: HuntRun | undefined
  const report = (calm: HuntReport['calm'], calmOutput: string, leftOut: readonly string[]): HuntReport => {
    const otherDayOutput = otherDay?.failed === true ? otherDay.output : undefined
    const names = calm === 'passed' ? FAULTS.map(({ name }) => name) : []
    const unmet = names.filter(name => !met.has(name) && ![...leftOut, ...allow].includes(name))
    const ended = runner.ended()
    return { calm, calmOutput, finds, tried, unconfirmed, allowed, ...ended, leftOut, unmet, otherDayOutput }
  }

  const calm = (await Promise.all([1, 2].map(() => runner.run('calm', 'calm', CALM))))
    .filter(run => run !== undefined)
    .map(run => (run.failed ? run : failedIfUseless(run, noRequest)))
  const bad = calm.find(({ failed }) => failed)
  if (bad !== undefined) return report(calm.every(({ failed }) => failed) ? 'failed' : 'differs', bad.output, [])
  if (calm.length < 2) return report('passed', '', [])
  const longest = calm.reduce((a, b) => (b.requests.length > a.requests.length ? b : a))
  const profile = profileOf(longest, options.feeds)

  const excluded = new Set(allow)
  const isExcluded = (name: string): boolean => excluded.has(name)
  const keep = (find: HuntFind | undefined, label: string, { scenario, run }: Failure): void => {
    if (find === undefined) {
      if (!runner.isCut()) unconfirmed.push({ label, scenario, output: run.output })
      return
    }
    const isAllowed = allow.includes(find.name) || find.faults.some(fault => allow.includes(fault))
    ;(isAllowed ? allowed : finds).push(find)
    for (const fault of excludedBy(find)) excluded.add(fault)
    // A plainer fault may be in runs that made the find smaller only.
    for (const fault of find.faults) met.add(fault)
  }

  for (const { name, scenario } of known) {
    const run = await runner.run('known', name, scenario)
    if (run === undefined) continue
    count(scenario, run)
    if (!run.failed) continue
    keep(await confirmed(runner, { label: name, name, scenario }, run, runner.runs()), name, { scenario, run })
  }

  const isBoundToToday = async (): Promise<boolean> => {
    otherDay ??= await runner.run('calm', 'another day', ANOTHER_DAY)
    return otherDay?.failed !== false
  }

  const trialScenarios = scenarios as Readonly<Record<string, HuntScenario>>
  const search = createSearch(FAULTS, trialScenarios, profile, String(seed), isExcluded)
  const allFinds = (): HuntFind[] => [...finds, ...allowed]
  const waiting: (Unfinished & { readonly label: string; readonly seen: number })[] = []
  /** Keeps the find that a failure came down to, or leaves its faults out if it is known. */
  const settle = async (label: string, failure: Failure, seen: number, found: Found | undefined): Promise<void> => {
    if (found === undefined) return keep(undefined, label, failure)
    const all = allFinds()
    const { scenario, run } = found.smallest
    const like = all.filter(find => areOfOneKind(find.output, run.output))
    if (like.some(find => sameFaults(find, scenario))) for (const { fault } of found.separated) excluded.add(fault)
    // Nobody sees what many have in common, and what they showed is told.
    else if (like.length === 0 || scenario.faults.length <= MANY)
      keep(await confirmed(runner, toUnproven(runner, found, profile, all), run, seen), label, found.smallest)
  }
  /** Finds out what a failed trial shows. What does not come down to one fault soon waits for the end. */
  const pursue = async (trial: Trial, run: HuntRun, seen: number): Promise<void> => {
    const { label } = trial
    const all = allFinds()
    const left = await withoutKnown(runner, trial, run, all, isExcluded)
    if ('cause' in left) {
      for (const fault of left.cause) excluded.add(fault)
      return
    }
    const isSeen = isLikeOne(run, [...all, ...waiting.map(({ rest }) => rest.run)])
    const found = await shrink(runner, left.failure, profile, isBoundToToday, isSeen ? LITTLE_PATIENCE : PATIENCE)
    if (found === 'of another day') excluded.add(OTHER_CLOCKS)
    else if (found !== undefined && 'finish' in found) waiting.push({ label, seen, ...found })
    else await settle(label, left.failure, seen, found)
  }
  while (runner.hasBudget()) {
    const trials = Array.from({ length: parallel }, search.next).filter(trial => trial !== undefined)
    if (trials.length === 0) break
    const runs = await Promise.all(trials.map(({ label, scenario }) => runner.run('search', label, scenario)))
    const seen = runner.runs()
    for (const [i, trial] of trials.entries()) {
      const run = runs[i]
      if (run === undefined) continue
      count(trial.scenario, run)
      if (run.failed) await pursue(trial, run, seen)
      search.done(trial, run)
    }
  }
  // Fewest faults first, so that one tells the others that are like it.
  for (const { label, rest, seen, finish } of waiting.toSorted((a, b) => sizeOf(a) - sizeOf(b)))
    if (runner.hasBudget() || !isLikeOne(rest.run, allFinds())) await settle(label, rest, seen, await finish())
  const others = [...runner.asked].filter(name => !profile.endpoints.some(({ endpoint }) => endpoint === name))
  return report('passed', '', leftOutOf(FAULTS, profile, others))
}

const sizeOf = ({ rest }: Unfinished): number => rest.scenario.faults.length

const isLikeOne = ({ output }: HuntRun, others: readonly { readonly output: string }[]): boolean =>
  others.some(other => areAlike(other.output, output))

/** A run that passes without a price shows nothing of the consumer. */
function failedIfUseless(run: HuntRun, noRequest: string): HuntRun {
  const why = whyUseless(run.requests, noRequest)
  return why === undefined
    ? run
    : { ...run, failed: true, output: [run.output, why].filter(text => text !== '').join('\n') }
}

const sameFaults = ({ faults }: HuntFind, scenario: HuntScenario): boolean =>
  faults.length === scenario.faults.length && scenario.faults.every(({ fault }) => faults.includes(fault))

/** The faults that a find rules out: of several, those that are not only the background of the others. */
function excludedBy({ faults }: HuntFind): readonly string[] {
  const own = faults.filter(fault => familyOf({ fault }) !== 'move' && fault !== 'reply/status')
  return own.length > 0 ? own : faults
}

/**
 * A failure without the faults of finds that are known: those that it met, if it passes without them and looked alike. So a mistake
 * that many faults show is separated only once, and what would have come after it in the run is tried again.
 */
async function withoutKnown(
  runner: Runner,
  { label, scenario }: Trial,
  run: HuntRun,
  finds: readonly HuntFind[],
  isExcluded: (name: string) => boolean,
): Promise<{ readonly cause: readonly string[] } | { readonly failure: Failure }> {
  const like = finds.filter(find => areAlike(find.output, run.output))
  const families = new Set(like.flatMap(find => find.scenario.faults.map(familyOf)))
  const cause = scenario.faults.filter(fault => isExcluded(fault.fault) || families.has(familyOf(fault)))
  if (cause.length === 0) return { failure: { scenario, run } }
  const faults = scenario.faults.filter(fault => !cause.includes(fault))
  const isMet = (fault: HuntFault): boolean => run.hits[scenario.faults.indexOf(fault)]! > 0
  const met = { cause: cause.filter(isMet).map(({ fault }) => fault) }
  if (faults.length === 0) return met
  const rest = { ...scenario, faults }
  const again = await runner.run('shrink', label, rest)
  return again?.failed === true ? { failure: { scenario: rest, run: again } } : met
}

/** The smallest scenario of a failure, its faults before they were made plainer, and whether one such reply was not enough. */
interface Found {
  readonly smallest: Failure
  readonly separated: readonly HuntFault[]
  readonly takesSeveral: boolean
}

/** A failure that did not come down to one fault so far. */
interface Unfinished {
  readonly rest: Failure
  readonly finish: () => Promise<Found>
}

/**
 * Repeats a failure and shrinks it. Undefined if it passes each time.
 * @param patience runs in which it has to come down to one fault
 */
async function shrink(
  runner: Runner,
  { scenario, run }: Failure,
  profile: Profile,
  isBoundToToday: () => Promise<boolean>,
  patience: number,
): Promise<Found | Unfinished | 'of another day' | undefined> {
  if (scenario.clock !== undefined && (await isBoundToToday())) return 'of another day'
  const again = await Promise.all(Array.from({ length: REPEATS }, () => runner.run('confirm', 'repeat', scenario)))
  const count = again.filter(one => one?.failed === true).length
  // A hunt that is ended before has seen it fail once: it is told as not confirmed.
  if (count === 0 && again.some(one => one !== undefined)) return undefined
  let best: Failure = { scenario, run }
  let { output } = run
  const attempts = createAttempts(runner, best, count < REPEATS ? 2 : 1, patience)
  const fails: Fails = async next => {
    const failed = await attempts.run(next)
    return failed && areOfOneKind(failed.run.output, output) ? failed : undefined
  }
  const { clock, ...today } = scenario
  if (clock !== undefined) best = (await fails(today)) ?? (await fails({ ...scenario, faults: [] })) ?? best
  if (best.scenario.faults.some(({ chance }) => chance !== undefined)) best = (await fails(withoutChance(best))) ?? best
  const toFew = async (): Promise<Failure> => lengthen(await separate(best, profile, fails), profile, fails)
  const toFound = async (): Promise<Found> => {
    // One that is told well is better than one of many, whichever mistake it shows.
    const fewer = attempts.fewest()
    if (fewer.scenario.faults.length < best.scenario.faults.length) {
      output = fewer.run.output
      best = await separate(fewer, profile, fails)
    }
    const { faults: separated } = best.scenario
    let smallest = await simplify(best, profile, fails)
    // One endpoint is plainer than all, if only the message is another one there.
    const atOne = attempts.atOneEndpoint(smallest)
    if (atOne !== undefined) {
      output = atOne.run.output
      smallest = await simplify(atOne, profile, fails)
    }
    return { smallest, separated, takesSeveral: attempts.takesSeveral(smallest) }
  }
  best = await toFew()
  const isUnfinished = attempts.areUsedUp() && best.scenario.faults.length > 1
  attempts.lift()
  if (!isUnfinished) return toFound()
  const finish = async (): Promise<Found> => {
    // One of many kinds that lasts is found in fewer runs than the fewest of all.
    const isOfMany = new Set(best.scenario.faults.map(({ fault }) => fault)).size > MANY
    if (isOfMany) best = await lengthen(best, profile, fails, ['late'])
    best = await toFew()
    return toFound()
  }
  return { rest: best, finish }
}

/**
 * Creates the attempts at a smaller failure: each scenario is run once, or until it fails.
 * @param first a failure that is known
 * @param tries runs of a scenario that passes
 * @param patience the number of scenarios
 */
function createAttempts(runner: Runner, first: Failure, tries: number, patience: number) {
  let left = patience
  const known = new Map<string, Failure | undefined>([[JSON.stringify(first.scenario), first]])
  return {
    /** Undefined if the scenario passes, and for a new one when none is left. */
    async run(scenario: HuntScenario): Promise<Failure | undefined> {
      const id = JSON.stringify(scenario)
      if (known.has(id)) return known.get(id)
      if (left <= 0) return undefined
      left--
      let failed: Failure | undefined
      for (let i = 0; i < tries && failed === undefined; i++) {
        const label = scenario.faults.map(({ fault }) => fault).join(', ') || 'calm'
        const run = await runner.run('shrink', label, scenario)
        if (run === undefined) return undefined
        if (run.failed) failed = { scenario, run }
      }
      known.set(id, failed)
      return failed
    },
    /** Whether it had several replies with its only fault, and the first one was tried and was not enough. */
    takesSeveral({ scenario, run: { hits } }: Failure): boolean {
      const faults = scenario.faults.map(fault => ({ ...fault, requests: { first: 1 } }))
      const id = JSON.stringify({ ...scenario, faults })
      return faults.length === 1 && hits[0]! > 1 && known.has(id) && known.get(id) === undefined
    },
    areUsedUp: () => left <= 0,
    /** Lifts the limit. */
    lift(): void {
      left = Number.POSITIVE_INFINITY
    },
    /** A failure of the same faults, one of which it has at one endpoint and the other one at all of them. */
    atOneEndpoint: ({ scenario: { faults } }: Failure): Failure | undefined =>
      [...known.values()].find(failure => {
        const others = failure?.scenario.faults ?? []
        const isSame = others.length === faults.length && others.every(({ fault }, i) => fault === faults[i]!.fault)
        return isSame && others.some((one, i) => one.endpoints?.length === 1 && faults[i]!.endpoints === undefined)
      }),
    /** The failure of the fewest faults, but at least one. */
    fewest: () =>
      [...known.values()].reduce<Failure>(
        (a, b) => (b && b.scenario.faults.length > 0 && b.scenario.faults.length < a.scenario.faults.length ? b : a),
        first,
      ),
  }
}

/** A find that waits for its confirmation, and the label of these runs. */
type Unproven = KnownFind & { readonly label: string }

/** A new find: told in words, under a name that no other one has. */
function toUnproven(
  runner: Runner,
  { smallest: { scenario, run }, takesSeveral }: Found,
  profile: Profile,
  others: readonly HuntFind[],
): Unproven {
  const label = nameOf(scenario)
  let name = label
  for (let n = 2; others.some(other => other.name === name); n++) name = `${label}-${n}`
  // A hunt that the signal ended has not tried less of the fault.
  const pace = runner.isCut() ? undefined : { ...paceOf(run, profile), takesSeveral }
  return { label, name, scenario: toldScenario(scenario, run.output, pace) }
}

/** Runs a find three times more. Undefined if it passes each time. */
async function confirmed(runner: Runner, { label, name, scenario }: Unproven, run: HuntRun, runs: number) {
  const again = await Promise.all(Array.from({ length: CONFIRMATIONS }, () => runner.run('confirm', label, scenario)))
  const repeated = again.filter(one => one !== undefined)
  if (repeated.length > 0 && repeated.every(({ failed }) => !failed)) return undefined
  return {
    name,
    scenario,
    faults: scenario.faults.map(({ fault }) => fault),
    output: run.output,
    requests: requestsOf(run),
    confirmed: repeated.filter(({ failed }) => failed).length,
    repeated: repeated.length,
    page: pageOf(scenario.faults),
    runs,
    question: questionOf(scenario),
  }
}

/** Runs that make a find smaller beyond the budget, and the part of its time. */
const EXTRA = { runs: 37, time: 0.5 }

type Runner = ReturnType<typeof createRunner>

/** Creates a runner of the consumer: its runs are counted, within a budget, several at a time. */
function createRunner({ run, budget, parallel = 1, signal, onProgress }: HuntOptions, countFinds: () => number) {
  const startedAt = 'ms' in budget ? budget.now() : 0
  let problem: unknown
  const isCut = (): boolean => signal?.aborted === true || problem !== undefined
  let begun = 0
  let finished = 0
  let active = 0
  const waiting: (() => void)[] = []
  const asked = new Set<string>()
  const usedOf = (): number => ('runs' in budget ? begun / budget.runs : (budget.now() - startedAt) / budget.ms)
  /** Only making a find smaller ends with the budget: what is tried is tried in full, and a find is repeated. */
  const isOver = (phase: HuntProgress['phase']): boolean => {
    if (isCut()) return true
    if (phase !== 'shrink') return false
    return 'ms' in budget ? usedOf() >= 1 + EXTRA.time : begun >= budget.runs + EXTRA.runs
  }

  return {
    /** Endpoints that some run asked for. */
    asked,
    runs: () => finished,
    isCut,
    /** How it ended: after an error of a run that was not possible, with what it had found until then. */
    ended: () => ({ runs: finished, isCut: isCut(), problem }),
    hasBudget: (): boolean => !isCut() && usedOf() < 1,
    /** @returns undefined if the signal ended the hunt, or where a find is made smaller if the budget is used up with its extra */
    async run(phase: HuntProgress['phase'], label: string, scenario: HuntScenario): Promise<HuntRun | undefined> {
      if (active >= parallel) await new Promise<void>(resolve => waiting.push(resolve))
      else active++
      try {
        if (isOver(phase)) return undefined
        begun++
        onProgress?.({ phase, label, runs: finished, finds: countFinds(), left: Math.max(0, 1 - usedOf()) })
        const result = await run(scenario, { label, ...(signal && { signal }) }).catch((error: unknown) => {
          if (countFinds() === 0) throw error
          problem ??= error
        })
        if (isCut() || !result) return undefined
        finished++
        for (const { endpoint } of result.requests) if (endpoint !== undefined) asked.add(endpoint)
        return result
      } finally {
        // The place goes to the next one, if there is one.
        const next = waiting.shift()
        if (next === undefined) active--
        else next()
      }
    },
  }
}
