// `serve`, `exec` and `relay`: a server, and what runs beside it.
import { countOf, type Detail, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { preloadModules } from '../hosts/node/listener.js'
import { type RunningServer, type ServerOptions, startServer } from '../hosts/node/server.js'
import { type MockOptions, ownScenario } from '../index.js'
import type { Restored } from '../service/saved-state.js'
import { secondsOf, toInstant } from '../settings/time.js'
import { describe, type Ready, toBanner, toFlags } from './banner.js'
import type { ResolvedInvocation } from './command-line.js'
import { runCommand, toEnvironment } from './exec.js'
import { readJsonFile } from './files.js'
import { toSeriesInputs } from './input-files.js'
import { type Config, optionsOf } from './options.js'
import { toJsonLine, toPrettyLine } from './output.js'
import type { RelaySettings } from './relay.js'
import { createTell, type RunContext, reportError, withDocsPath } from './run-context.js'
import type { Resolved } from './sources.js'

const LOG_LINES = { pretty: toPrettyLine, json: toJsonLine }

/** The options of a mock: those of its sessions, and the content of files. */
export function toMockOptions({ config, feeds, chosen }: Resolved): MockOptions {
  const { scenario, scenarios, files } = chosen
  return {
    ...optionsOf(config).session,
    feeds,
    seriesAt: config.seriesAt,
    series: toSeriesInputs(config, feeds),
    // Names come from flags and files, so the mock checks them.
    scenario: scenario === undefined ? undefined : ownScenario(scenario),
    scenarios,
    scenarioFiles: files,
  }
}

/** The options of a server. Those that are no plain values in a configuration are converted. */
async function toServerOptions(resolved: Resolved, { report }: RunContext): Promise<ServerOptions> {
  const { config } = resolved
  const { log = 'pretty', handlers, snapshot, state, stateEvery = '10s', store, sessionIdle, lazySessions } = config
  const toLine = log === 'off' ? undefined : LOG_LINES[log]
  const tell = createTell(report)
  const onError = ({ shortMessage }: PriceFeedMockError): void => tell(`the state was not saved. ${shortMessage}`)
  return {
    ...toMockOptions(resolved),
    ...optionsOf(config).server,
    // They are among the feeds.
    syntheticFeeds: undefined,
    tls: resolved.tls,
    // Modules that only some runs need load on demand, which keeps the start short.
    handlers:
      handlers === undefined ? undefined : await (await import('../hosts/user-handlers.js')).loadUserHandlers(handlers),
    snapshot: snapshot === undefined ? undefined : readSnapshotFile(snapshot),
    state: state === undefined ? undefined : { file: state, everyMs: toMs(stateEvery), onError },
    store: store && {
      url: store,
      idleMs: sessionIdle === undefined ? undefined : toMs(sessionIdle),
      lazySessions,
      notesUse: config.report !== undefined,
      onChange: tell,
    },
    flags: toFlags(config),
    onExchange: toLine && (exchange => report(`${toLine(exchange)}\n`)),
  }
}

/**
 * Reads the files of the options once.
 * @returns a function that starts a server, with another scenario if one is given, and calls back for each request
 */
export async function prepareServer(resolved: Resolved, context: RunContext) {
  const options = await toServerOptions(resolved, context)
  return async (scenario = options.scenario, onRequest?: () => void): Promise<RunningServer> => {
    const onExchange: ServerOptions['onExchange'] =
      onRequest === undefined
        ? options.onExchange
        : exchange => {
            onRequest()
            options.onExchange?.(exchange)
          }
    try {
      return await startServer({ ...options, scenario, onExchange })
    } catch (error) {
      throw withFlagAsFix(error, resolved.config)
    }
  }
}

const start = async (resolved: Resolved, context: RunContext, onRequest?: () => void): Promise<RunningServer> =>
  (await prepareServer(resolved, context))(undefined, onRequest)

/** The snapshot of a file: a reply of `POST …/snapshot`, or the snapshot in it. */
function readSnapshotFile(file: string): unknown {
  const data = readJsonFile(file, '--snapshot')
  const { snapshot = data } = Object(data) as { readonly snapshot?: unknown }
  return snapshot
}

/** Adds the file of the certificate or of the snapshot to an error, and replaces the fix of a PORT_UNAVAILABLE error by one that names the flag. */
function withFlagAsFix(error: unknown, { historyPort, tlsCert, tlsKey, snapshot }: Config): unknown {
  if (!isPriceFeedMockError(error)) return error
  const { code, shortMessage, problems, details } = error
  const withDetails = (changed: readonly Detail[]): PriceFeedMockError =>
    new PriceFeedMockError(code, shortMessage, { cause: error, problems, details: changed })
  if (snapshot !== undefined && /^(SNAPSHOT|SCENARIO)_INVALID$/.test(code))
    return withDetails([...details, ['from', `--snapshot ${snapshot}`]])
  if (code === 'TLS_INVALID') return withDetails([...details, ['from', `--tls-cert ${tlsCert} --tls-key ${tlsKey}`]])
  if (code !== 'PORT_UNAVAILABLE' || details[0]?.[0] !== 'fix') return error
  const { port } = error.cause as { readonly port?: number }
  const flag = port === historyPort ? '--history-port' : '--port'
  return withDetails([['fix', `choose another with ${flag}; ${flag} 0 picks a free one`]])
}

/** Milliseconds of a duration such as 90s. */
export const toMs = (duration: string | number): number => 1000 * secondsOf(String(duration))

/** Serves, and brings the prices to a contract. */
export const relay = (resolved: ResolvedInvocation, context: RunContext): Promise<undefined> =>
  serve(resolved, context, resolved.config.relay as RelaySettings)

/** Serves until a signal ends the program. */
export async function serve(
  resolved: ResolvedInvocation,
  context: RunContext,
  relay?: RelaySettings,
): Promise<undefined> {
  const { print, report, onServing } = context
  const server = await start(resolved, context)
  let unwatch = (): void => {}
  const endRelay = relay === undefined ? () => {} : await relayFrom(server, relay, report)
  onServing(async () => {
    unwatch()
    endRelay()
    return stopServer(server, toMs(resolved.config.drain ?? '5s'), report)
  })
  const { watch, scenarios: folder } = resolved.config
  if (watch) {
    const { watchScenarios } = await import('./watch.js')
    unwatch = watchScenarios(server.mock, { files: resolved.chosen.files, folder }, message =>
      report(withDocsPath(`price-feed-mock: ${message}\n`)),
    )
  }
  const { ready } = resolved.config
  // Before the banner, which takes time: a script that waits for this line can go on.
  if (ready !== 'json') print(`${server.url}\n`)
  const details = describe(server, resolved.config, undefined, resolved.madeToken)
  report(`${toBanner(details)}\n\n`)
  if (server.restored !== undefined) createTell(report)(toRestoredMessage(server.restored, resolved.config))
  if (ready === 'json') print(`${JSON.stringify(details)}\n`)
  await preloadModules()
}

/** Starts a relay beside a server, which ends if that fails. */
async function relayFrom(server: RunningServer, settings: RelaySettings, report: RunContext['report']) {
  try {
    const { startRelay } = await import('./relay.js')
    return await startRelay(server.mock, settings, createTell(report))
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A cache of results makes a run pass that has seen nothing of the mock. */
const NOT_ASKED =
  'the command passed without a request to this server. Did it take a cached result, or ask another address?'

/** Runs a command once beside a server. */
export async function execOnce(resolved: ResolvedInvocation, context: RunContext): Promise<number> {
  const { operands: command } = resolved
  let isAsked = false
  const server = await start(resolved, context, () => {
    isAsked = true
  })
  try {
    const ready = describe(server, resolved.config, command)
    const environment = toEnvironment(server.mock, ready, resolved.config, context.environment)
    const tell = createTell(context.report)
    const tellReproduce = (): void => tell(toReproduceMessage(server, ready, resolved.config))
    const runAndReproduce = async (): Promise<number> => {
      if (resolved.config.log !== 'off') tellReproduce()
      const exitCode = await runCommand(command, environment)
      if (exitCode !== 0) tellReproduce()
      else if (!isAsked) tell(NOT_ASKED)
      return exitCode
    }
    const { report } = resolved.config
    if (report === undefined) return await runAndReproduce()
    const { collectReports, usedOf, writeReport } = await import('./report.js')
    const toReports = collectReports(server.used ?? usedOf(server.mock))
    const exitCode = await runAndReproduce()
    try {
      writeReport(report, await toReports(), tell)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      tell(`the report was not written to ${report}. ${error.shortMessage}`)
    }
    return exitCode
  } finally {
    await stopServer(server, 0, context.report)
  }
}

/** The command that repeats a run, unless it changes what it has started from. */
function toReproduceMessage({ restored, store }: RunningServer, { reproduce }: Ready, { state }: Config): string {
  if (store !== undefined) return 'no command reproduces this run: its sessions are in a store that others can change.'
  if (restored !== undefined) return `no command reproduces this run: it changes ${state}, from which it has started.`
  return `reproduce this run with: ${reproduce}`
}

/** Stops a server and returns the exit code: the state may be impossible to save. */
async function stopServer(server: RunningServer, drainMs: number, report: RunContext['report']): Promise<number> {
  try {
    await server.stop({ drainMs })
    return 0
  } catch (error) {
    return reportError(error, report)
  }
}

const toRestoredMessage = ({ sessions, savedAt }: Restored, { state }: Config): string =>
  `restored ${countOf(sessions, 'session')} from ${state}, saved at ${toInstant(savedAt)}. Options for the market and the scenario apply to new sessions.`
