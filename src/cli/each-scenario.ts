// `price-feed-mock exec --each-scenario`: runs a command once in each scenario, and prints a table of the results.
import { formatMs } from '../admin/report/check.js'
import { type JUnitCase, toJUnitDocument } from '../admin/report/junit.js'
import { countOf, toPrintable, tryTo } from '../errors.js'
import { whyUseless } from '../hunt/profile.js'
import { createMock, type Mock } from '../index.js'
import type { Scenario } from '../scenario/scenario.js'
import { toExecCommand } from './banner.js'
import type { ResolvedInvocation } from './command-line.js'
import { writeAtEnd } from './files.js'
import { resultColours, toColumns } from './output.js'
import { createTell, type RunContext, reportError, runUntilSignal } from './run-context.js'
import { toMockOptions } from './serve.js'
import { createTrials, NO_REQUEST, type Trial, toEnding } from './trial.js'

/** `not met`: it passed, but no fault reached it, so the run proves nothing. */
type Verdict = 'passed' | 'not met' | 'failed'

interface Row {
  readonly scenario: Scenario
  /** Its name, or the scenario itself where no name stands for it. */
  readonly given: string | object
  /** Whether it has no faults, and is what the others are compared with. */
  readonly isCalm: boolean
  readonly trial: Trial
  readonly verdict: Verdict
}

/** The name of the first row where `calm` has faults. */
const NO_FAULTS = 'no-faults'
const HEAD = ['scenario', 'verdict', 'exit', 'time', 'faults met']
const PAINT: Readonly<Record<Verdict, (text: string) => string>> = {
  passed: resultColours.green,
  'not met': resultColours.yellow,
  failed: resultColours.red,
}

/**
 * Runs the command of an invocation in each scenario, first in the one without faults.
 * @returns 0, 1 if it fails in a scenario, or 2 if it fails or gets no price without faults, or cannot run
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
  const mock = createMock(toMockOptions(resolved))
  const { scenarios } = mock
  const all = calmFirst(scenarios)
  const runTrial = await createTrials(resolved, context, config.timeLimit)
  const widths = [Math.max(...all.map(({ name }) => name.length)), 7, 5, 8, 0]
  const rows: Row[] = []

  return runUntilSignal(context, async signal => {
    print(`${toColumns(HEAD, widths)}\n`)
    for (const scenario of all) {
      const isCalm = rows.length === 0
      const given = isCalm && scenario.name === NO_FAULTS ? scenario.source : scenario.name
      const trial = await runTrial(given, isCalm, signal)
      if (trial.end === 'stopped') break
      const row = { scenario, given, isCalm, trial, verdict: verdictOn(scenario, trial, isCalm) }
      rows.push(row)
      print(`${toRowLine(row, widths)}\n`)
      if (isCalm && row.verdict === 'failed') break
    }
    const failed = rows.filter(({ verdict }) => verdict === 'failed')
    for (const row of failed) {
      const given = typeof row.given === 'string' ? row.given : JSON.stringify(row.given)
      const again = toExecCommand(mock, config, operands, scenarios.fileOrNameOf(row.scenario) ?? given)
      print(`\n${toDetails(row, again)}\n`)
    }
    print(`\n${toSummary(rows, all.length)}\n`)
    const unfit = scenarios.names.filter(name => !all.some(scenario => scenario.name === name))
    if (unfit.length > 0) print(`Left out, because they name feeds that the mock does not have: ${unfit.join(', ')}.\n`)
    if (config.junit !== undefined) writeAtEnd(config.junit, toJUnit(rows, all), 'the JUnit file', createTell(report))
    return failed.length === 0 ? 0 : failed[0]!.isCalm ? 2 : 1
  })
}

/** The scenarios that the catalogue of the mock can have, after one without faults: a user's own `calm` may have some. */
function calmFirst(scenarios: Mock['scenarios']): readonly Scenario[] {
  const all = scenarios.names.flatMap(name => tryTo(() => scenarios.get(name)) ?? [])
  const calm = all.find(({ name, faults }) => name === 'calm' && faults.length === 0)
  return [calm ?? scenarios.parse(NO_FAULTS, { faults: [] }), ...all.filter(scenario => scenario !== calm)]
}

function verdictOn({ faults }: Scenario, { failed, hits, requests }: Trial, isCalm: boolean): Verdict {
  if (failed || (isCalm && whyUseless(requests, NO_REQUEST) !== undefined)) return 'failed'
  return faults.length > 0 && hits.every(count => count === 0) ? 'not met' : 'passed'
}

function toRowLine({ scenario, trial, verdict }: Row, widths: readonly number[]): string {
  const exit = trial.end === 'late' ? 'late' : String(trial.exitCode)
  const met = trial.hits.filter(count => count > 0).length
  const faults = scenario.faults.length === 0 ? '–' : `${met} of ${scenario.faults.length}`
  const line = toColumns([scenario.name, verdict, exit, formatMs(trial.ms), faults], widths)
  return line.replace(`  ${verdict}`, shown => PAINT[verdict](shown))
}

const toDetails = (row: Row, again: string): string =>
  [
    resultColours.bold(`${row.scenario.name}: ${toEnding(row.trial)}`),
    `  ${toPrintable(reasonOf(row))}`,
    ...row.trial.output.map(line => resultColours.dim(`  | ${line}`)),
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

function reasonOf({ scenario, isCalm, trial }: Row): string {
  if (!isCalm) return scenario.why
  return trial.failed ? 'The command fails without any fault.' : whyUseless(trial.requests, NO_REQUEST)!
}

const toJUnit = (rows: readonly Row[], all: readonly Scenario[]): string =>
  toJUnitDocument({
    name: 'price-feed-mock, each scenario',
    classname: 'price-feed-mock.scenarios',
    cases: all.map((scenario, i) => toCase(scenario, rows[i])),
  })

const toCase = ({ name, title }: Scenario, row: Row | undefined): JUnitCase =>
  row === undefined
    ? { name, skipped: 'It did not run.' }
    : {
        name,
        seconds: row.trial.ms / 1000,
        ...(row.verdict === 'failed' && {
          failure: {
            type: 'scenario',
            message: `${title}: ${toEnding(row.trial)}. ${reasonOf(row)}`,
            text: [`${toEnding(row.trial)}. ${reasonOf(row)}`, ...row.trial.output].join('\n'),
          },
        }),
        ...(row.verdict === 'not met' && { skipped: 'The command met none of its faults.' }),
      }
