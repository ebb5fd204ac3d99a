// `price-feed-mock exec -- COMMAND`: a command with a server beside it, the whole recipe of a CI job in one line.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { PriceFeedMockError } from '../errors.js'
import type { Ready } from './banner.js'

/** Names of the environment in which the command finds the server. */
export function toEnvironment({ url, historyUrl, apiKey, signer }: Ready): Record<string, string> {
  return {
    PRICE_FEED_BASE_URL: url,
    PRICE_FEED_HISTORY_URL: historyUrl,
    PRICE_FEED_API_KEY: apiKey,
    PRICE_FEED_SIGNER: signer.address,
  }
}

/**
 * Runs a command and returns its exit code; 128 + n when signal n ended it, as shells do.
 * @throws PriceFeedMockError COMMAND_NOT_STARTED
 */
export async function runCommand(
  [file, ...args]: readonly string[],
  environment: Record<string, string>,
): Promise<number> {
  let child: ChildProcess | undefined
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to the whole group: the command has it already.
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child?.kill(signal)
  }
  // Before the command starts, or a signal in between would end this process alone.
  process.on('SIGINT', forward)
  process.on('SIGTERM', forward)
  try {
    return await new Promise<number>((resolve, reject) => {
      child = spawn(file!, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
      child.once('error', cause => reject(notStarted(file!, cause)))
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
    })
  } finally {
    process.off('SIGINT', forward)
    process.off('SIGTERM', forward)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'was not started: there is no such command.',
  EACCES: 'is not executable.',
}

function notStarted(file: string, cause: NodeJS.ErrnoException): PriceFeedMockError {
  const reason = REASONS[cause.code ?? ''] ?? `was not started: ${cause.message}.`
  return new PriceFeedMockError('COMMAND_NOT_STARTED', `${file} ${reason}`, {
    cause,
    facts: [['fix', 'price-feed-mock exec -- npm test']],
  })
}
