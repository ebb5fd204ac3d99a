// One run of a command in a scenario, on a server of its own: what it asked, which faults it met, and how it ended.
import { formatMs } from '../admin/report/check.js'
import type { RunningServer } from '../hosts/node/server.js'
import { collectEntries, toHuntRequests } from '../hunt/profile.js'
import type { HuntRequest, HuntRun } from '../hunt/types.js'
import { type MockOptions, ownScenario } from '../index.js'
import { readClock } from '../service/clock.js'
import type { Session } from '../service/sessions.js'
import { describe } from './banner.js'
import type { ResolvedInvocation } from './command-line.js'
import { type CapturedRun, captureCommand, toEnvironment } from './exec.js'
import type { RunContext } from './run-context.js'
import { prepareServer, toMs } from './serve.js'

/** A run that has ended. */
export interface Trial extends CapturedRun, Pick<HuntRun, 'failed' | 'hits'> {
  /** Its longest time in real milliseconds. */
  readonly limitMs: number
  /** Requests of all sessions of its server, oldest first. */
  readonly requests: readonly HuntRequest[]
  /** Virtual milliseconds of the whole run. */
  readonly virtualMs: number
}

/** The reason why a run without a request shows nothing of the command. */
export const NO_REQUEST =
  'The command sent no request to the mock. It finds the address in PRICE_FEED_BASE_URL and the key in PRICE_FEED_API_KEY.'

const MAX_CALM_MS = 600_000

/**
 * Creates a function that runs the command of an invocation in a scenario: one by name, or one as its file has it.
 * @param timeLimit the longest time of one run; by default it follows from the time of the runs without faults
 */
export async function createTrials(resolved: ResolvedInvocation, context: RunContext, timeLimit: string | undefined) {
  const { kind, operands: command } = resolved
  // Each server begins anew, and the output is that of this program, also with the config file of a lasting server.
  const config = { ...resolved.config, log: 'off' as const, snapshot: undefined, state: undefined, store: undefined }
  const start = await prepareServer({ ...resolved, config }, context)
  let calmMs = 0
  const limitOf = (isCalm: boolean): number => {
    if (timeLimit !== undefined) return toMs(timeLimit)
    return isCalm ? MAX_CALM_MS : 1000 * Math.ceil((5 * calmMs) / 1000 + 10)
  }

  /** @param isCalm whether it has no faults; the limit of the others follows from its time */
  return async (scenario: string | object, isCalm: boolean, signal?: AbortSignal): Promise<Trial> => {
    const server = await start(
      (typeof scenario === 'string' ? scenario : ownScenario(scenario)) as MockOptions['scenario'],
    )
    try {
      const environment = toEnvironment(server.mock, describe(server, config), config, context.environment)
      const finish = observe(server)
      const limit = limitOf(isCalm)
      const run = await captureCommand(command, environment, { limitMs: limit, signal, by: kind })
      if (isCalm) calmMs = Math.max(calmMs, run.ms)
      const failed = run.end !== 'exited' || run.exitCode !== 0
      return { ...run, ...finish(Date.now()), failed, limitMs: limit }
    } finally {
      await server.stop()
    }
  }
}

/** Collects the requests and the hits of all sessions of a server, from now on. */
function observe({ mock }: RunningServer): (realMs: number) => Pick<Trial, 'requests' | 'hits' | 'virtualMs'> {
  const { sessions } = mock
  const { clock } = sessions.default.record.counters
  const { source, faults } = sessions.default.runtime.scenario.definition
  const entries = collectEntries(sessions.default.journal)
  const hits = faults.map(() => 0)
  const add = ({ id, journal, runtime, record }: Session): void => {
    if (id !== 'default') entries.push(...journal.entries())
    // A session may have another scenario.
    if (runtime.scenario.definition.source !== source) return
    for (const i of hits.keys()) hits[i]! += record.counters.faults[i]?.hits ?? 0
  }
  sessions.onEnd(add)
  return realMs => {
    for (const session of sessions.list()) add(session)
    entries.sort((a, b) => a.receivedAt - b.receivedAt)
    const requests = toHuntRequests(entries, clock.virtualMs).map((request, i) => {
      // The journal has whole seconds, of a clock that the session may have moved.
      const { now, receivedAt } = entries[i]!
      const ms = readClock(clock, receivedAt)
      return Math.floor(ms / 1000) === now ? { ...request, at: Math.max(0, ms - clock.virtualMs) } : request
    })
    return { requests, hits, virtualMs: sessions.default.nowMs(realMs) - clock.virtualMs }
  }
}

/** How a run ended, in a few words. */
export function toEnding({ end, exitCode, limitMs }: Pick<Trial, 'end' | 'exitCode' | 'limitMs'>): string {
  if (end === 'late') return `did not end in ${formatMs(limitMs)}`
  return end === 'stopped' ? 'was stopped' : `exit code ${exitCode}`
}
