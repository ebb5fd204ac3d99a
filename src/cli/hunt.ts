// `price-feed-mock hunt -- COMMAND`: runs a command again and again with faults, and prints those that make it fail.
import { join } from 'node:path'
import { formatMs } from '../admin/report/check.js'
import { toJUnitDocument } from '../admin/report/junit.js'
import { countOf, toPrintable, tryOrThrow } from '../errors.js'
import { STAGES, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { hunt } from '../hunt/hunt.js'
import { limited, partsOf } from '../hunt/tell.js'
import type { HuntBudget, HuntFind, HuntProgress, HuntReport, HuntRun, HuntScenario, KnownFind } from '../hunt/types.js'
import { createMock, type Mock, type MockOptions } from '../index.js'
import { parseDuration } from '../settings/time.js'
import { toExecCommand } from './banner.js'
import type { ResolvedInvocation } from './command-line.js'
import { kindAt, makeFolder, unwritable, writeAtEnd } from './files.js'
import { listScenarioFiles, readScenarioFiles, toScenarioName } from './input-files.js'
import { colours, resultColours } from './output.js'
import { createErrors, createTell, type RunContext, reportError, runUntilSignal, withDocsPath } from './run-context.js'
import { toMockOptions } from './serve.js'
import { createTrials, NO_REQUEST, type Trial, toEnding } from './trial.js'

/** The exit codes besides 0 for nothing and 1 for finds. */
const CALM_FAILED = 2
const CALM_DIFFERS = 3

/**
 * Looks for faults that make the command of an invocation fail.
 * @returns 0, 1 if there are finds, 2 if the command fails without faults or cannot run, or if the budget has no room for a scenario, 3
 * if only one of two such runs fails
 */
export async function huntFaults(resolved: ResolvedInvocation, context: RunContext): Promise<number> {
  const { config, feeds, operands, chosen } = resolved
  const { print, report } = context
  const tell = createTell(report)
  const { budget = '40', parallel, allow, save, junit, timeLimit } = config.hunt ?? {}
  const mock = createMock(toMockOptions({ ...resolved, chosen: { ...chosen, scenario: undefined } }))
  const { scenarios } = mock
  const saved = openFinds(save, feeds)
  const progress = createProgress({
    report,
    isTerminal: process.stderr.isTTY === true,
    // 0 in some pseudo-terminals.
    columns: process.stderr.columns || undefined,
    now: () => performance.now(),
  })
  const seed = String(config.seed ?? '42')
  const startedAt = performance.now()
  const printFinds = (result: HuntReport, ms: number): void => {
    const files = saved.write(result.finds, tell)
    result.finds.forEach((find, i) => {
      const again = toExecCommand(mock, config, operands, files.get(find.name) ?? toInline(find.scenario))
      print(`${toFindText(find, `${i + 1} of ${result.finds.length}`, mock, again)}\n\n`)
    })
    print(`${toSummary(result, saved.known, formatMs(ms))}\n`)
    if (result.problem !== undefined) reportError(result.problem, report)
  }
  /** Whether the command itself fails. One that gets no price only counts as failed. */
  let failsInCalm = false
  try {
    const runTrial = await createTrials(resolved, context, timeLimit)
    return await runUntilSignal(context, async signal => {
      const result = await hunt({
        run: async (scenario, { signal: stop = signal }) => {
          const isCalm = scenario.faults.length === 0
          const trial = await runTrial(scenario, isCalm, stop)
          failsInCalm ||= isCalm && trial.failed
          return toHuntRun(trial)
        },
        noRequest: NO_REQUEST,
        seed,
        feeds: mock.sessions.parts.feeds,
        budget: toBudget(budget),
        parallel,
        allow,
        known: saved.known,
        scenarios: scenarios.sources,
        onProgress: progress.show,
        signal,
      })
      progress.clear()
      const isNoneTried = result.calm === 'passed' && result.tried === 0 && !result.isCut
      const isUntried = isNoneTried && save === undefined
      if (result.calm === 'passed' || result.isCut) printFinds(result, performance.now() - startedAt)
      else report(toCalmText(result, failsInCalm, toExecCommand(mock, config, operands, 'calm')))
      if (isNoneTried) report(isUntried ? UNTRIED : toNoneSaved(save!))
      if (junit !== undefined) writeAtEnd(junit, toJUnit(result, seed, isUntried), 'the JUnit file', tell)
      return exitCodeOf(result, isUntried)
    })
  } catch (error) {
    progress.clear()
    reportError(error, report)
    return CALM_FAILED
  }
}

function toBudget(text: string): HuntBudget {
  const duration = parseDuration(text)
  return /^\d+$/.test(text) || duration === undefined
    ? { runs: Number(text) }
    : { ms: duration.seconds * 1000, now: () => performance.now() }
}

function toHuntRun({ failed, end, requests, hits, virtualMs, output, ...trial }: Trial): HuntRun {
  // The last line becomes a part of the reason, and that of the command says more than its exit code.
  const needsEnding = failed && (output.length === 0 || end === 'late')
  const lines = needsEnding ? [...output, `(${toEnding({ end, ...trial })})`] : output
  return { failed, output: lines.join('\n'), requests, hits, ms: virtualMs }
}

function exitCodeOf({ calm, finds, problem }: HuntReport, isUntried: boolean): number {
  if (problem !== undefined || calm === 'failed' || isUntried) return CALM_FAILED
  if (calm !== 'passed') return CALM_DIFFERS
  return finds.length > 0 ? 1 : 0
}

const UNTRIED =
  'price-feed-mock: nothing was tried: the budget ended with the two runs without a fault. --budget 40 has room for others.\n'
/** A budget of one run is for finds that were saved, of which there may be none. */
const toNoneSaved = (save: string): string =>
  `price-feed-mock: ${toPrintable(save)} has no find, and the budget has no room for other scenarios.\n`

/** A scenario as one argument. Its file would have a title and a reason. */
const toInline = (scenario: HuntScenario): string => JSON.stringify({ ...scenario, title: undefined, why: undefined })

const toQuoted = (output: string, { dim } = resultColours): string[] =>
  output.split('\n').map(line => dim(`  | ${line}`))

/** Lines below a label. */
const rowsOf = (label: string, lines: readonly string[]): string[][] =>
  lines.map((line, i) => [i === 0 ? label : '', toPrintable(line)])

function toFindText(find: HuntFind, number: string, mock: Mock, again: string): string {
  const { name, scenario, question, output, requests, page, confirmed, repeated } = find
  const faults = mock.scenarios.get(scenario).faults.map(({ fault, planned }, i) => {
    const { options } = scenario.faults[i] ?? {}
    return [fault.name, ...(planned === '' ? [] : [planned]), ...(options ? [JSON.stringify(options)] : [])].join(', ')
  })
  const lines = [
    ...faults.map(text => ['fault', text]),
    ...rowsOf('requests', requests),
    ...rowsOf('why', partsOf(scenario.why)),
    [
      'failed',
      repeated === 0 ? 'not confirmed: the hunt was ended' : `${confirmed} of ${countOf(repeated, 'repetition')}`,
    ],
    ...(/\(did not end in [^)]+\)$/.test(output)
      ? [['limit', '--time-limit sets a longer one, if it waits on purpose']]
      : []),
    ['docs', page],
    ['reproduce', again],
    ['accept', `--allow ${name}`],
  ]
  return withDocsPath(
    [
      resultColours.bold(`Find ${number}: ${name}`),
      `  ${toPrintable(question)}`,
      ...toQuoted(output),
      ...lines.map(([label, text]) => `  ${label!.padEnd(9)}  ${text}`),
    ].join('\n'),
  )
}

function toSummary(
  { finds, runs, tried, allowed, unconfirmed, leftOut, unmet, otherDayOutput, isCut }: HuntReport,
  known: readonly KnownFind[],
  seconds: string,
): string {
  const failed = new Set([...[...finds, ...allowed].map(({ name }) => name), ...unconfirmed.map(({ label }) => label)])
  const passed = isCut ? [] : known.filter(({ name }) => !failed.has(name))
  return [
    `${countOf(finds.length, 'find')} in ${countOf(runs, 'run')}, ${seconds}${isCut ? ', ended early' : ''}.`,
    ...(allowed.length > 0 ? [`Accepted: ${allowed.map(({ name }) => name).join(', ')}.`] : []),
    ...unconfirmed.flatMap(({ label, output }) => [
      `Failed, and passed when it was run again: ${toPrintable(shortened(label))}. The command, or its check, depends on chance or on time.`,
      ...toQuoted(output),
    ]),
    ...(otherDayOutput === undefined
      ? []
      : [
          'Other clocks were left out: on another day, the command fails without faults, as it does if it reads its own clock.',
          ...toQuoted(otherDayOutput),
        ]),
    ...(passed.length > 0 ? [`Earlier finds that pass now: ${passed.map(({ name }) => name).join(', ')}.`] : []),
    ...(leftOut.length > 0 ? [`Left out, because the command never meets them: ${byStage(leftOut).join(', ')}.`] : []),
    ...(unmet.length > 0 && tried > known.length
      ? [`Not met yet: ${fewOf(unmet)}. A larger --budget tries more.`]
      : []),
  ].join('\n')
}

/** The label of a trial: a pack names all of its faults. */
const shortened = (label: string): string => limited(label, 60)

/** Names of faults, with `series/*` for all of a stage. */
function byStage(names: readonly string[]): string[] {
  const stages = STAGES.filter(stage => FAULTS.every(fault => stageOf(fault) !== stage || names.includes(fault.name)))
  const isOf = (name: string) => (stage: string) => name.startsWith(`${stage}/`)
  return [...stages.map(stage => `${stage}/*`), ...names.filter(name => !stages.some(isOf(name)))]
}

/** Some names, and the number of all where there are many. */
const fewOf = (names: readonly string[]): string =>
  names.length <= 8 ? names.join(', ') : `${names.length} faults, such as ${names.slice(0, 3).join(', ')}`

const toCalmText = ({ calm, calmOutput }: HuntReport, failsInCalm: boolean, again: string): string =>
  [
    calm === 'failed'
      ? `price-feed-mock: the command ${failsInCalm ? 'fails without any fault' : 'gets no price'}, so there is nothing to find.`
      : 'price-feed-mock: of two runs without any fault, one passed and one failed. A hunt needs a command that is reliable.',
    ...toQuoted(calmOutput, colours),
    `  reproduce  ${again}`,
    '',
  ].join('\n')

function toJUnit(
  { calm, calmOutput, finds, allowed, unconfirmed, runs }: HuntReport,
  seed: string,
  isUntried: boolean,
): string {
  const message = calm === 'failed' ? 'It fails without any fault.' : 'Of two runs without any fault, one failed.'
  return toJUnitDocument({
    name: 'price-feed-mock hunt',
    classname: 'price-feed-mock.hunt',
    properties: { seed, runs },
    cases: [
      {
        name: 'calm',
        ...(calm !== 'passed' && { failure: { type: 'calm', message, text: `${message}\n${calmOutput}` } }),
      },
      ...(isUntried ? [{ name: 'budget', failure: { type: 'budget', message: UNTRIED.trim() } }] : []),
      ...finds.map(find => ({
        name: find.name,
        failure: {
          type: 'find',
          message: find.question,
          text: [
            find.question,
            find.scenario.why,
            ...find.requests,
            find.page,
            JSON.stringify(find.scenario),
            find.output,
          ].join('\n'),
        },
      })),
      ...allowed.map(({ name }) => ({ name, skipped: 'Accepted by --allow.' })),
      ...unconfirmed.map(({ label, output }) => ({
        name: shortened(label),
        skipped: 'It failed, and passed when it was run again.',
        output,
      })),
    ],
  })
}

/**
 * Opens the folder of `--save`, and makes it if it is not there: a scenario file for each find. Those of earlier hunts run first.
 * @param folder without it, nothing is known or kept
 * @throws PriceFeedMockError FILE_UNREADABLE, FILE_UNWRITABLE or SCENARIO_INVALID, or an AggregateError of several
 */
export function openFinds(folder: string | undefined, feeds: MockOptions['feeds']) {
  if (folder === undefined) return { known: [], write: () => new Map<string, string>() }
  if (kindAt(folder) === undefined)
    tryOrThrow(
      () => makeFolder(folder),
      cause => unwritable(folder, (cause as NodeJS.ErrnoException).code ?? String(cause), cause, '--save'),
    )
  const { list, add, throwAll } = createErrors()
  const { scenarios, files } = readScenarioFiles(listScenarioFiles(folder, '--save'), '--save', add)
  if (list.length > 0) throwAll()
  const { get } = createMock({ feeds, scenarios, scenarioFiles: files }).scenarios
  const known = Object.keys(scenarios).map(
    (name): KnownFind => ({ name, scenario: get(name).source as unknown as HuntScenario }),
  )
  return {
    known,
    /** Writes the finds that no file has, and returns the files by the names of the finds. `report` receives an error on one line. */
    write(finds: readonly HuntFind[], report: (line: string) => void): ReadonlyMap<string, string> {
      const written = new Map<string, string>()
      const taken = new Map(Object.entries(files))
      for (const { name, scenario } of finds) {
        const text = JSON.stringify(scenario)
        const same = known.find(one => JSON.stringify(one.scenario) === text)
        const file = same ? files[same.name]! : join(folder, `${freeName(toScenarioName(name), taken)}.json`)
        taken.set(toScenarioName(file), file)
        const isThere =
          same !== undefined || writeAtEnd(file, `${JSON.stringify(scenario, undefined, 2)}\n`, 'the find', report)
        if (isThere) written.set(name, file)
      }
      return written
    },
  }
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  for (let i = 1; ; i++) {
    const free = i === 1 ? name : `${name.slice(0, 46)}-${i}`
    if (!taken.has(free)) return free
  }
}

/** Time between two lines where there is no terminal. */
const EVERY_MS = 10_000
const ERASE = '\r\x1b[K'

/** Surroundings of a progress, which a test replaces. */
interface ProgressContext {
  readonly report: (text: string) => void
  readonly isTerminal: boolean
  readonly columns?: number | undefined
  /** Milliseconds from any origin. */
  readonly now: () => number
}

/** Creates the two functions that show a progress and remove it: one line that changes at a terminal, elsewhere a line now and then. */
export function createProgress({ report, isTerminal, columns = 80, now }: ProgressContext) {
  const startedAt = now()
  let shownAt = Number.NEGATIVE_INFINITY
  let finds = 0
  return {
    show(progress: HuntProgress): void {
      const at = now()
      const text = `price-feed-mock: ${toText(progress, at - startedAt)}`
      if (isTerminal) report(`${ERASE}${text.slice(0, columns - 1)}`)
      else if (progress.finds > finds || at - shownAt >= EVERY_MS) {
        report(`${text}.\n`)
        shownAt = at
      }
      finds = progress.finds
    },
    clear(): void {
      if (isTerminal) report(ERASE)
    },
  }
}

const WORK: Readonly<Record<HuntProgress['phase'], string>> = {
  calm: 'running the command without faults',
  known: 'repeating earlier finds',
  search: 'searching',
  shrink: 'narrowing down a failure',
  confirm: 'confirming a failure',
}

function toText({ phase, runs, finds, left }: HuntProgress, elapsedMs: number): string {
  const leftMs = left < 1 ? (elapsedMs * left) / (1 - left) : 0
  const parts = [
    countOf(runs, 'run'),
    countOf(finds, 'find'),
    ...(phase === 'calm' || leftMs < 1000 ? [] : [`about ${formatMs(1000 * Math.ceil(leftMs / 1000))} left`]),
  ]
  return `${WORK[phase]} (${parts.join(', ')})`
}
