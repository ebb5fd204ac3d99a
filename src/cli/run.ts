// One run of the program, from its arguments to its exit code. Standard output carries the result, standard error the messages.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { countOf, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { preloadModules } from '../hosts/node/preload.js'
import { type RunningServer, startServer } from '../hosts/node/server.js'
import { withSyntheticFeeds } from '../hosts/node/synthetic-feeds.js'
import { createMock, type MockOptions, type OwnScenario, ownScenario } from '../index.js'
import type { SeriesInput } from '../market/series-input.js'
import type { Restored } from '../service/saved-state.js'
import { parseDuration, toInstant } from '../settings/time.js'
import { testSigners } from '../signing/signers.js'
import { testKeyNumber } from '../signing/test-keys.js'
import { describe, type Ready, toBanner } from './banner.js'
import { type Invocation, readCommandLine } from './command.js'
import { withDocsPath } from './docs-path.js'
import { runCommand, toEnvironment } from './exec.js'
import { toFlags } from './flags.js'
import { readJsonFile } from './json-file.js'
import { writeDenyList, writeKeys } from './keys.js'
import type { ListKind } from './list.js'
import { toJsonLine, toPrettyLine } from './log.js'
import type { Config } from './options.js'
import type { RecordOptions } from './record.js'
import type { RelaySettings } from './relay.js'
import { describeUnknownVariables, type Resolved } from './sources.js'

/** The surroundings of a run, so that a test can run the program without a process. */
export interface RunContext {
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Writes text to standard output. */
  readonly print: (text: string) => void
  /** Writes text to standard error. */
  readonly report: (text: string) => void
  /** Receives the function that ends the work when a signal ends the program, and returns the exit code. */
  readonly onServing: (stop: (signal: NodeJS.Signals) => Promise<number>) => void
}

/** Runs the program once. Resolves to the exit code, or to undefined while a server keeps running. */
export async function run(context: RunContext): Promise<number | undefined> {
  const { args, environment, print, report } = context
  try {
    const invocation = withToken(readCommandLine(args, environment, print))
    if (invocation.kind === 'exit') return 0
    for (const line of describeUnknownVariables(environment)) report(`${line}\n`)
    switch (invocation.kind) {
      case 'serve':
        return await serve(invocation, context)
      case 'exec':
        return await exec(invocation, invocation.command, context)
      case 'keys':
        return keys(invocation, context)
      case 'verify':
        return await verify(invocation, invocation.path, context)
      case 'tape':
        return await tape(invocation, context)
      case 'relay':
        return await serve(invocation, context, invocation.relay)
      case 'check':
        return await check(invocation.paths, invocation, context)
      case 'list':
        return await list(invocation, invocation, context)
      case 'record':
        return await recordPrices(invocation.options, context)
    }
  } catch (error) {
    return reportError(error, report)
  }
}

/** Replaces `--admin-token auto` by a random token, which the banner shows. */
function withToken(invocation: Invocation): Invocation {
  if (!('config' in invocation) || invocation.config.adminToken !== 'auto') return invocation
  const madeToken = randomBytes(24).toString('base64url')
  return { ...invocation, madeToken, config: { ...invocation.config, adminToken: madeToken } }
}

const LOG_LINES = { pretty: toPrettyLine, json: toJsonLine }

async function start(resolved: Resolved, { report }: RunContext): Promise<RunningServer> {
  const {
    log = 'pretty',
    host,
    handlers,
    scenario: _,
    scenarios: __,
    watch: ___,
    drain: _____,
    tlsCert: _1,
    tlsKey: _2,
    snapshot,
    state,
    stateEvery = DEFAULT_STATE_EVERY,
    store,
    sessionIdle,
    lazySessions,
    series,
    as,
    seriesAt,
    ...rest
  } = resolved.config
  const { ready: ____, $schema: ______, relay: _______, report: junit, ...options } = rest
  const toLine = log === 'off' ? undefined : LOG_LINES[log]
  try {
    return await startServer({
      ...options,
      handlers: handlers === undefined ? undefined : await loadHandlers(handlers),
      // A URL writes an IPv6 address in brackets.
      host: host?.replace(/^\[(.*)\]$/, '$1'),
      feeds: resolved.feeds,
      tls: resolved.tls,
      snapshot: snapshot === undefined ? undefined : readSnapshotFile(snapshot),
      state: state === undefined ? undefined : { file: state, everyMs: toMs(stateEvery), onError: reportState(report) },
      store: store && {
        url: store,
        idleMs: sessionIdle === undefined ? undefined : toMs(sessionIdle),
        lazySessions,
        notesUse: junit !== undefined,
        onChange: message => report(`price-feed-mock: ${message}\n`),
      },
      seriesAt,
      series: await loadSeries({ series, as, seriesAt }, resolved.feeds),
      scenario: toScenario(resolved.chosen.scenario),
      scenarios: resolved.chosen.scenarios,
      scenarioFiles: resolved.chosen.files,
      flags: toFlags(resolved.config),
      onExchange: toLine && (exchange => report(`${toLine(exchange)}\n`)),
    })
  } catch (error) {
    throw withFlagAsFix(error, resolved.config)
  }
}

/** The snapshot of a file: a reply of `POST …/snapshot`, or the snapshot in it. */
function readSnapshotFile(file: string): unknown {
  const data = readJsonFile(file, '--snapshot')
  const { snapshot = data } = Object(data) as { readonly snapshot?: unknown }
  return snapshot
}

// Modules that only some runs need load on demand, which keeps the start short.
const loadHandlers = async (file: string) => (await import('../hosts/user-handlers.js')).loadUserHandlers(file)

async function loadSeries(
  config: Pick<Config, 'series' | 'as' | 'seriesAt'>,
  feeds: Resolved['feeds'],
): Promise<readonly SeriesInput[] | undefined> {
  if (Object.values(config).every(value => value === undefined)) return undefined
  return (await import('./series-files.js')).toSeriesInputs(config, feeds)
}

/** Adds the file of the certificate or of the snapshot to an error, and replaces the fix of a PORT_UNAVAILABLE error by one that names the flag. */
function withFlagAsFix(error: unknown, { historyPort, tlsCert, tlsKey, snapshot }: Config): unknown {
  if (isPriceFeedMockError(error) && snapshot !== undefined && /^(SNAPSHOT|SCENARIO)_INVALID$/.test(error.code))
    return new PriceFeedMockError(error.code, error.shortMessage, {
      cause: error,
      problems: error.problems,
      details: [...error.details, ['from', `--snapshot ${snapshot}`]],
    })
  if (isPriceFeedMockError(error) && error.code === 'TLS_INVALID')
    return new PriceFeedMockError(error.code, error.shortMessage, {
      cause: error,
      details: [...error.details, ['from', `--tls-cert ${tlsCert} --tls-key ${tlsKey}`]],
    })
  if (!isPriceFeedMockError(error) || error.code !== 'PORT_UNAVAILABLE' || error.details.length === 0) return error
  const { port } = error.cause as { readonly port?: number }
  const flag = port === historyPort ? '--history-port' : '--port'
  return new PriceFeedMockError(error.code, error.shortMessage, {
    cause: error,
    details: [['fix', `choose another with ${flag}; ${flag} 0 picks a free one`]],
  })
}

/** Reports that a state was not saved, on one line. */
const reportState =
  (report: RunContext['report']) =>
  ({ shortMessage }: PriceFeedMockError): void =>
    report(`price-feed-mock: the state was not saved. ${shortMessage}\n`)

/** The default of `--state-every`. */
const DEFAULT_STATE_EVERY = '10s'
/** The default of `--drain`. */
const DEFAULT_DRAIN = '5s'

const toMs = (duration: string | number): number => 1000 * (parseDuration(String(duration))?.seconds ?? 0)

async function serve(resolved: Resolved, context: RunContext, relay?: RelaySettings): Promise<undefined> {
  const { print, report, onServing } = context
  const server = await start(resolved, context)
  let unwatch = (): void => {}
  const endRelay = relay === undefined ? () => {} : await relayFrom(server, relay, report)
  onServing(async () => {
    unwatch()
    endRelay()
    return stopServer(server, toMs(resolved.config.drain ?? DEFAULT_DRAIN), report)
  })
  const { watch, scenarios: folder } = resolved.config
  if (watch) {
    const { toWatchMessage, watchScenarios } = await import('./watch.js')
    unwatch = watchScenarios(server.mock, { files: resolved.chosen.files, folder }, event =>
      report(withDocsPath(`price-feed-mock: ${toWatchMessage(event)}\n`)),
    )
  }
  const { ready } = resolved.config
  // Before the banner, which takes time: a script that waits for this line can go on.
  if (ready !== 'json') print(`${server.url}\n`)
  const details = describe(server, resolved.config, undefined, resolved.madeToken)
  report(`${toBanner(details)}\n\n`)
  if (server.restored !== undefined) report(`price-feed-mock: ${toRestoredMessage(server.restored, resolved.config)}\n`)
  if (ready === 'json') print(`${JSON.stringify(details)}\n`)
  await preloadModules()
}

/** Starts a relay beside a server, which ends if that fails. */
async function relayFrom(
  server: RunningServer,
  settings: RelaySettings,
  report: RunContext['report'],
): Promise<() => void> {
  try {
    const { startRelay } = await import('./relay.js')
    return await startRelay(server.mock, settings, line => report(`price-feed-mock: ${line}\n`))
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function exec(resolved: Resolved, command: readonly string[], context: RunContext): Promise<number> {
  const server = await start(resolved, context)
  try {
    const [apiKey] = server.mock.sessions.default.context.settings.apiKeys
    const { adminToken, tlsCert } = resolved.config
    // Trusted by the command, unless its caller has chosen certificates.
    const caFile = context.environment.NODE_EXTRA_CA_CERTS ? undefined : tlsCert && resolve(tlsCert)
    const ready = describe(server, resolved.config, command)
    const environment = toEnvironment(ready, { apiKey: apiKey!, adminToken, caFile })
    const printLine = (line: string): void => context.report(`price-feed-mock: ${line}\n`)
    const printReproduce = (): void => printLine(toReproduceMessage(server, ready, resolved.config))
    const runAndReproduce = async (): Promise<number> => {
      if (resolved.config.log !== 'off') printReproduce()
      const exitCode = await runCommand(command, environment)
      if (exitCode !== 0) printReproduce()
      return exitCode
    }
    const { report } = resolved.config
    if (report === undefined) return await runAndReproduce()
    const { collectReports, collectStoredReports, writeReport } = await import('./report.js')
    const toReports = server.used === undefined ? collectReports(server.mock) : collectStoredReports(server.used)
    const exitCode = await runAndReproduce()
    try {
      writeReport(report, await toReports(Date.now()), printLine)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      printLine(`the report was not written to ${report}. ${error.shortMessage}`)
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

/** The key that signs by the flags, the layouts and the feeds. */
function signingOf({ signer, signerKeyUnsafe, apiKeys, signing }: Config, feeds?: MockOptions['feeds']) {
  return createMock({ signer, signerKeyUnsafe, apiKeys, signing, feeds }).sessions.default.context
}

function keys({ config }: Resolved, { print }: RunContext): number {
  const { settings, signer, testSigner } = signingOf(config)
  const { all, format = 'env' } = config
  const text = all
    ? writeDenyList(
        format,
        testSigners().map(({ number }) => {
          const { address, publicKey, uncompressedPublicKey } = testSigner(number)
          return { testKey: number, address, publicKey, uncompressedPublicKey }
        }),
      )
    : writeKeys(format, { signer, testKey: testKeyNumber(settings) ?? null, apiKey: settings.apiKeys[0]! })
  print(`${text}\n`)
  return 0
}

async function verify({ config, feeds }: Resolved, path: string, { print }: RunContext): Promise<number> {
  const { verifyFile } = await import('./verify.js')
  const context = signingOf(config, await withSyntheticFeeds(feeds, config.syntheticFeeds, config.seed))
  const { lines, isGood } = await verifyFile(path, config.verify ?? {}, context)
  for (const line of lines) print(`${line}\n`)
  return isGood ? 0 : 1
}

async function tape({ config, feeds, chosen }: Resolved, context: RunContext): Promise<number> {
  const { toTapeSettings, writeTape } = await import('./tape.js')
  const { seed, clock, policy, signing, signer, signerKeyUnsafe, series, as, seriesAt } = config
  const startedAt = 1000 * Math.floor(Date.now() / 1000)
  const mock = createMock({
    ...{ seed, policy, signing, signer, signerKeyUnsafe, seriesAt, startedAt },
    clock: { at: clock?.at },
    feeds: await withSyntheticFeeds(feeds, config.syntheticFeeds, seed),
    series: await loadSeries({ series, as, seriesAt }, feeds),
    scenario: toScenario(chosen.scenario),
    scenarios: chosen.scenarios,
    scenarioFiles: chosen.files,
  })
  const onUnfinished = (discard: () => void): void =>
    context.onServing(async signal => {
      discard()
      return 128 + constants.signals[signal]
    })
  await writeTape(mock, toTapeSettings(config.tape ?? {}), { ...context, onUnfinished })
  return 0
}

async function check(paths: readonly string[], { feeds }: Resolved, { print }: RunContext): Promise<number> {
  const { checkScenarios } = await import('./check.js')
  const { lines, errors } = checkScenarios(paths, feeds)
  for (const line of lines) print(`${line}\n`)
  if (errors.length > 0) throw new AggregateError(errors)
  return 0
}

async function list(
  { list: kind, name }: { readonly list: ListKind; readonly name?: string | undefined },
  { feeds, chosen, config }: Resolved,
  { print }: RunContext,
): Promise<number> {
  const { toList } = await import('./list.js')
  const all = await withSyntheticFeeds(feeds, config.syntheticFeeds, config.seed)
  const mock = createMock({ feeds: all, scenarios: chosen.scenarios, scenarioFiles: chosen.files })
  print(`${toList(kind, mock, name, config.list?.json)}\n`)
  return 0
}

async function recordPrices(options: RecordOptions, { print, report, onServing }: RunContext): Promise<number> {
  const { record } = await import('./record.js')
  const { wait } = await import('../hosts/timers.js')
  const ended = new AbortController()
  const done = record(options, {
    fetch: (url, init) => fetch(url, init),
    now: () => Date.now(),
    wait,
    report: line => report(`price-feed-mock: ${line}\n`),
    // A script that waits for this line can go on.
    onReady: () => print(`${options.out}\n`),
    signal: ended.signal,
  })
  onServing(() => {
    ended.abort()
    return done.then(() => 0)
  })
  await done
  return 0
}

/** Reports an error of this package and returns the exit code. Any other error is a bug and keeps its stack. */
function reportError(error: unknown, report: RunContext['report']): number {
  if (error instanceof AggregateError) return Math.max(...error.errors.map(each => reportError(each, report)))
  if (!isPriceFeedMockError(error)) throw error
  report(`${withDocsPath(`${error.name}: ${error.message}`)}\n`)
  const { code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException
  return FAILURES.has(error.code) || (error.code === 'FILE_UNWRITABLE' && FULL.test(code)) ? 1 : 2
}

/** Errors of the surroundings, not of the invocation. */
const FAILURES: ReadonlySet<string> = new Set([
  'PORT_UNAVAILABLE',
  'COMMAND_NOT_STARTED',
  'STATE_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'SERVICE_REFUSED',
])

/** A disk that takes no more, as opposed to a path that cannot be written. */
const FULL = /^(ENOSPC|EDQUOT|EFBIG|EIO)$/

/** Names come from flags and files, so the mock checks them. */
function toScenario(given: string | object | undefined): OwnScenario | undefined {
  return given === undefined ? undefined : ownScenario(given)
}
