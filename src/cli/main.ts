#!/usr/bin/env node
// The program: arguments in, a running server out. stdout is for what was asked for, stderr for people.
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { type RunningServer, startServer } from '../hosts/node/server.js'
import { createMock } from '../index.js'
import { describe, toBanner } from './banner.js'
import { readCommandLine } from './command.js'
import { runCommand, toEnvironment } from './exec.js'
import { type KeyFormat, writeKeys } from './keys.js'
import { toJsonLine, toPrettyLine } from './log.js'
import { type Config, toFlags } from './options.js'
import { keepHeapSmall } from './small-heap.js'
import { describeUnknownVariables, type Resolved } from './sources.js'

const LOG_LINES = { pretty: toPrettyLine, json: toJsonLine }

async function start(resolved: Resolved): Promise<RunningServer> {
  const { log = 'pretty', host, handlers, scenario: _, scenarios: __, watch: ___, ...rest } = resolved.config
  const { ready: ____, $schema: _____, format: ______, ...options } = rest
  const toLine = log === 'off' ? undefined : LOG_LINES[log]
  try {
    return await startServer({
      ...options,
      handlers: handlers === undefined ? undefined : await loadHandlers(handlers),
      // As a URL writes it.
      host: host?.replace(/^\[(.*)\]$/, '$1'),
      feeds: resolved.feeds,
      scenario: resolved.chosen.scenario,
      scenarios: resolved.chosen.scenarios,
      scenarioFiles: resolved.chosen.files,
      flags: toFlags(resolved.config),
      onExchange: toLine && (exchange => process.stderr.write(`${toLine(exchange)}\n`)),
    })
  } catch (error) {
    throw inFlags(error, resolved.config)
  }
}

// What only some runs need is loaded by them: a start is waited for.
const loadHandlers = async (file: string) => (await import('../hosts/user-handlers.js')).loadUserHandlers(file)

/** A port that cannot be had, with a fix in the words of the command line. */
function inFlags(error: unknown, { historyPort }: Config): unknown {
  if (!isPriceFeedMockError(error) || error.code !== 'PORT_UNAVAILABLE' || error.details.length === 0) return error
  const { port } = error.cause as { readonly port?: number }
  const flag = port === historyPort ? '--history-port' : '--port'
  return new PriceFeedMockError(error.code, error.shortMessage, {
    cause: error,
    details: [['fix', `choose another with ${flag}, or let ${flag} 0 take a free one`]],
  })
}

async function serve(resolved: Resolved): Promise<void> {
  const server = await start(resolved)
  let unwatch = (): void => {}
  const end = (): void => {
    unwatch()
    server.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  const { watch, scenarios: folder } = resolved.config
  if (watch) {
    const { watchScenarios } = await import('./watch.js')
    const tellLine = (line: string): boolean => process.stderr.write(`price-feed-mock: ${line}\n`)
    unwatch = watchScenarios(server.mock, { files: resolved.chosen.files, folder }, tellLine)
  }
  const { ready } = resolved.config
  // Who waits for the line can go on before the banner is made.
  if (ready !== 'json') process.stdout.write(`${server.url}\n`)
  const details = describe(server, resolved.config)
  process.stderr.write(`${toBanner(details)}\n\n`)
  if (ready === 'json') process.stdout.write(`${JSON.stringify(details)}\n`)
}

async function exec(resolved: Resolved, command: readonly string[]): Promise<void> {
  const server = await start(resolved)
  try {
    process.exitCode = await runCommand(command, toEnvironment(describe(server, resolved.config)))
  } finally {
    await server.stop()
  }
}

function keys({ signer: number, signerKeyUnsafe, apiKeys }: Config, format: KeyFormat): void {
  const mock = createMock({ signer: number, signerKeyUnsafe, apiKeys })
  const { settings, signer } = mock.sessions.default.context
  const testKey = settings.signerKeyUnsafe === undefined ? settings.signer : null
  process.stdout.write(`${writeKeys(format, { signer, testKey, apiKey: settings.apiKeys[0]! })}\n`)
}

async function check(paths: readonly string[], { feeds }: Resolved): Promise<void> {
  const { checkScenarios } = await import('./check.js')
  const { lines, errors } = checkScenarios(paths, feeds)
  for (const line of lines) process.stdout.write(`${line}\n`)
  if (errors.length > 0) throw new AggregateError(errors)
}

async function scenarios({ feeds, chosen }: Resolved): Promise<void> {
  const { describeScenarios } = await import('./check.js')
  const mock = createMock({ feeds, scenarios: chosen.scenarios, scenarioFiles: chosen.files })
  process.stdout.write(`${describeScenarios(mock.scenarios)}\n`)
}

/** A reader that has gone, as in `--help | head`, is no failure. */
function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Tells an error of ours and returns the exit code; any other is a bug and keeps its stack. */
function tell(error: unknown): number {
  if (error instanceof AggregateError) return Math.max(...error.errors.map(tell))
  if (!isPriceFeedMockError(error)) throw error
  process.stderr.write(`${error.name}: ${error.message}\n`)
  return error.code === 'PORT_UNAVAILABLE' || error.code === 'COMMAND_NOT_STARTED' ? 1 : 2
}

keepHeapSmall()
process.stdout.on('error', ignoreGone)
process.stderr.on('error', ignoreGone)
try {
  const invocation = readCommandLine(process.argv.slice(2), process.env)
  if (invocation.kind !== 'exit')
    for (const line of describeUnknownVariables(process.env)) process.stderr.write(`${line}\n`)
  if (invocation.kind === 'serve') await serve(invocation)
  else if (invocation.kind === 'exec') await exec(invocation, invocation.command)
  else if (invocation.kind === 'keys') keys(invocation.config, invocation.format)
  else if (invocation.kind === 'check') await check(invocation.paths, invocation)
  else if (invocation.kind === 'scenarios') await scenarios(invocation)
} catch (error) {
  process.exitCode = tell(error)
}
