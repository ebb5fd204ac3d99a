#!/usr/bin/env node
// The program: arguments in, a running server out. stdout is for what was asked for, stderr for people.
import { isPriceFeedMockError } from '../errors.js'
import { type RunningServer, startServer } from '../hosts/node/server.js'
import { type FeedsFile, readFeeds } from '../market/feeds-file.js'
import { createMock } from '../mock.js'
import { describe, type Ready, toBanner } from './banner.js'
import { readCommandLine, readJsonFile } from './command.js'
import { runCommand, toEnvironment } from './exec.js'
import { type KeyFormat, writeKeys } from './keys.js'
import { toJsonLine, toPrettyLine } from './log.js'
import type { Config } from './options.js'

const LOG_LINES = { pretty: toPrettyLine, json: toJsonLine }

async function start(config: Config): Promise<{ server: RunningServer; facts: Ready }> {
  const { feeds, log = 'pretty', ready: _, $schema: __, ...options } = config
  const toLine = log === 'off' ? undefined : LOG_LINES[log]
  const server = await startServer({
    ...options,
    feeds: feeds === undefined ? undefined : readFeedsFile(feeds),
    onExchange: toLine && (exchange => process.stderr.write(`${toLine(exchange)}\n`)),
  })
  return { server, facts: describe(server, config, Date.now()) }
}

/** Checked here so that its problems are reported under the name of the file. */
function readFeedsFile(path: string): FeedsFile {
  const data = readJsonFile(path)
  readFeeds(data, path)
  return data as FeedsFile
}

async function serve(config: Config): Promise<void> {
  const { server, facts } = await start(config)
  const end = (): void => {
    server.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  process.stderr.write(`${toBanner(facts)}\n`)
  process.stdout.write(`${config.ready === 'json' ? JSON.stringify(facts) : facts.url}\n`)
}

async function exec(config: Config, command: readonly string[]): Promise<void> {
  const { server, facts } = await start(config)
  try {
    process.exitCode = await runCommand(command, toEnvironment(facts))
  } finally {
    await server.stop()
  }
}

function keys(config: Config, format: KeyFormat): void {
  const { settings, signer } = createMock({ ...config, feeds: undefined }).session(0).world
  const testKey = settings.signerKeyUnsafe === undefined ? settings.signer : null
  process.stdout.write(`${writeKeys(format, { signer, testKey, apiKey: settings.apiKeys[0]! })}\n`)
}

try {
  const invocation = readCommandLine(process.argv.slice(2), process.env)
  if (invocation.kind === 'serve') await serve(invocation.config)
  else if (invocation.kind === 'exec') await exec(invocation.config, invocation.command)
  else if (invocation.kind === 'keys') keys(invocation.config, invocation.format)
  else process.exitCode = invocation.code
} catch (error) {
  if (!isPriceFeedMockError(error)) throw error
  process.stderr.write(`${error.name}: ${error.message}\n`)
  process.exitCode = error.code === 'PORT_UNAVAILABLE' || error.code === 'COMMAND_NOT_STARTED' ? 1 : 2
}
