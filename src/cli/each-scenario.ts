// `price-feed-mock exec --each-scenario`: runs a command once in each scenario, and prints a table of the results.
import { formatMs } from '../admin/report/check.js'
import { toJUnitDocument } from '../admin/report/junit-document.js'
import { countOf } from '../errors.js'
import { createMock } from '../index.js'
import type { Scenario } from '../scenario/scenario.js'
import { toExecCommand } from './banner.js'
import type { ResolvedInvocation } from './command-line.js'
import { colours, toPrintable } from './output.js'
import { createTell, type RunContext, reportError, runUntilSignal } from './run-context.js'
import { toMockOptions } from './serve.js'
import { createTrials, NO_REQUEST, type Trial, toEnding } from './trial.js'
import { writeAtEnd } from './written-file.js'

/** `not met`: it passed, but no fault reached it, so the run proves nothing. */
type Verdict = 'passed' | 'not met' | 'failed'

/** A row of the table. */
interface Row {
  readonly scenario: Scenario
  readonly trial: Trial
  readonly verdict: Verdict
}

const CALM = 'calm'
const HEAD = ['scenario', 'verdict', 'exit', 'time', 'faults met']
const WIDTHS = [0, 7, 5, 8, 0]
const PAINT: Readonly<Record<Verdict, (text: string) => string>> = {
  passed: colours.green,
  'not met': colours.yellow,
  failed: colours.red,
}

/**
 * Runs the command of an invocation in each scenario, first in the one without faults.
 * @returns 0, 1 if it fails in a scenario, or 2 if it fails or asks for nothing without faults, or cannot run
 */
export async function execEachScenario(resolved: ResolvedInvocation, context: RunContext): Promise<number> {
  try {
    return await runAll(resolved, context)
  } catch (error) {
    reportError(error, context.report)
    return 2
  }
}

async function runAll(resolved: ResolvedInvocation, context: RunContext): Promise<number> {
  const { config, operands } = resolved
  const { print, report } = context
  const mock = createMock(await toMockOptions(resolved))
  const { scenarios } = mock
  const runTrial = await createTrials(resolved, context, config.timeLimit)
  const nameWidth = Math.max(...scenarios.names.map(name => name.length))
  const rows: Row[] = []

  return runUntilSignal(context, async signal => {
    print(`${toLine(HEAD, nameWidth)}\n`)
    for (const name of [CALM, ...scenarios.names.filter(one => one !== CALM)]) {
      const isCalm = name === CALM
      const trial = await runTrial(name, isCalm, signal)
      if (trial.end === 'stopped') break
      const scenario = scenarios.get(name)
      const row = { scenario, trial, verdict: verdictOn(scenario, trial) }
      rows.push(row)
      print(`${toRowLine(row, nameWidth)}\n`)
      if (isCalm && row.verdict === 'failed') break
    }
    const failed = rows.filter(({ verdict }) => verdict === 'failed')
    for (const { scenario, trial } of failed) {
      const again = toExecCommand(mock, config, operands, scenarios.fileOrNameOf(scenario) ?? scenario.name)
      print(`\n${toDetails(scenario, trial, again)}\n`)
    }
    print(`\n${toSummary(rows, scenarios.names.length)}\n`)
    if (config.junit !== undefined) writeAtEnd(config.junit, toJUnit(rows), 'the JUnit file', createTell(report))
    return failed.length === 0 ? 0 : failed[0]!.scenario.name === CALM ? 2 : 1
  })
}

function verdictOn({ name, faults }: Scenario, { failed, hits, requests }: Trial): Verdict {
  if (failed || (name === CALM && requests.length === 0)) return 'failed'
  return faults.length > 0 && hits.every(count => count === 0) ? 'not met' : 'passed'
}

const toLine = (cells: readonly string[], nameWidth: number): string =>
  cells
    .map((cell, i) => (i === 0 ? cell.padEnd(nameWidth) : cell.padEnd(WIDTHS[i]!)))
    .join('  ')
    .trimEnd()

function toRowLine({ scenario, trial, verdict }: Row, nameWidth: number): string {
  const exit = trial.end === 'late' ? 'late' : String(trial.exitCode)
  const met = trial.hits.filter(count => count > 0).length
  const faults = scenario.faults.length === 0 ? '–' : `${met} of ${scenario.faults.length}`
  const line = toLine([scenario.name, verdict, exit, formatMs(trial.ms), faults], nameWidth)
  return line.replace(`  ${verdict}`, shown => PAINT[verdict](shown))
}

/** The reason of a failure, and the command that repeats it. */
const toDetails = (scenario: Scenario, trial: Trial, again: string): string =>
  [
    colours.bold(`${scenario.name}: ${toEnding(trial)}`),
    `  ${toPrintable(reasonOf(scenario, trial))}`,
    ...trial.output.map(line => colours.dim(`  | ${line}`)),
    `  reproduce  ${again}`,
  ].join('\n')

function toSummary(rows: readonly Row[], all: number): string {
  const count = (verdict: Verdict): number => rows.filter(row => row.verdict === verdict).length
  const parts = [
    `${count('failed')} of ${countOf(rows.length, 'scenario')} failed`,
    ...(count('not met') > 0 ? [`${count('not met')} had no fault that the command met`] : []),
    ...(rows.length < all ? [`${all - rows.length} did not run`] : []),
  ]
  return `${parts.join(', ')}.`
}

/** The reason of a failure in a sentence. */
function reasonOf({ name, why }: Scenario, { failed }: Trial): string {
  if (name !== CALM) return why
  return failed ? 'The command fails without any fault.' : NO_REQUEST
}

const toJUnit = (rows: readonly Row[]): string =>
  toJUnitDocument({
    name: 'price-feed-mock, each scenario',
    classname: 'price-feed-mock.scenarios',
    cases: rows.map(({ scenario, trial, verdict }) => ({
      name: scenario.name,
      seconds: trial.ms / 1000,
      ...(verdict === 'failed' && {
        failure: {
          type: 'scenario',
          message: `${scenario.title}: ${toEnding(trial)}. ${reasonOf(scenario, trial)}`,
          text: [`${toEnding(trial)}. ${reasonOf(scenario, trial)}`, ...trial.output].join('\n'),
        },
      }),
      ...(verdict === 'not met' && { skipped: 'The command met none of its faults.' }),
    })),
  })
