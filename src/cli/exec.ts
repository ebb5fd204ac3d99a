// `price-feed-mock exec -- COMMAND`: a command with a server beside it, the whole recipe of a CI job in one line.
import { spawn } from 'node:child_process'
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
  const child = spawn(file!, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', forward)
  process.on('SIGTERM', forward)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', cause => reject(notStarted(file!, cause)))
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : (SIGNALS[signal] ?? 0))))
    })
  } finally {
    process.off('SIGINT', forward)
    process.off('SIGTERM', forward)
  }
}

/** Numbers of the signals that end commands, https://man7.org/linux/man-pages/man7/signal.7.html */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
}

function notStarted(file: string, cause: NodeJS.ErrnoException): PriceFeedMockError {
  const reason = cause.code === 'ENOENT' ? 'there is no such command' : cause.message
  return new PriceFeedMockError('COMMAND_NOT_STARTED', `${file} was not started: ${reason}.`, {
    cause,
    facts: [['fix', 'price-feed-mock exec -- npm test']],
  })
}
