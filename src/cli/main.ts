#!/usr/bin/env node
// The program: arguments in, a running server out. stdout is for the one line when ready, stderr for people.
import { isPriceFeedMockError } from '../errors.js'
import { startServer } from '../hosts/node/server.js'
import { type FeedsFile, readFeeds } from '../market/feeds-file.js'
import { describe, toBanner } from './banner.js'
import { readCommandLine, readJsonFile } from './command.js'
import { toJsonLine, toPrettyLine } from './log.js'
import type { Config } from './options.js'

const LOG_LINES = { pretty: toPrettyLine, json: toJsonLine }

async function serve(config: Config): Promise<void> {
  const { feeds, log = 'pretty', ready = 'url', $schema: _, ...options } = config
  const feedsFile = feeds === undefined ? undefined : readFeedsFile(feeds)
  const toLine = log === 'off' ? undefined : LOG_LINES[log]
  const server = await startServer({
    ...options,
    feeds: feedsFile,
    onExchange: toLine && (exchange => process.stderr.write(`${toLine(exchange)}\n`)),
  })
  const end = (): void => {
    server.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)

  const now = Date.now()
  const facts = describe(server, config, now)
  const first = server.mock.session(now).world.market.feeds.slice(0, 3)
  process.stderr.write(
    `${toBanner(
      facts,
      first.map(feed => feed.id),
    )}\n`,
  )
  process.stdout.write(`${ready === 'json' ? JSON.stringify(facts) : facts.url}\n`)
}

/** Checked here so that its problems are reported under the name of the file. */
function readFeedsFile(path: string): FeedsFile {
  const data = readJsonFile(path)
  readFeeds(data, path)
  return data as FeedsFile
}

try {
  const invocation = readCommandLine(process.argv.slice(2), process.env)
  if (invocation.kind === 'exit') process.exitCode = invocation.code
  else await serve(invocation.config)
} catch (error) {
  if (!isPriceFeedMockError(error)) throw error
  process.stderr.write(`${error.name}: ${error.message}\n`)
  process.exitCode = error.code === 'PORT_UNAVAILABLE' ? 1 : 2
}
