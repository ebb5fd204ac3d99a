// `price-feed-mock exec -- COMMAND`: a command with a server beside it, the whole recipe of a CI job in one line.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { quote } from '../admin/reproduce-command.js'
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

/** What asks a process to end, and is passed on to the command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command and returns its exit code; 128 + n when signal n ended it, as shells do. Away from a terminal, what it has started
 * gets the same signals, and is ended when it ends.
 * @param atTerminal whether stdin is a terminal
 * @throws PriceFeedMockError COMMAND_NOT_STARTED
 */
export async function runCommand(
  [file, ...args]: readonly string[],
  environment: Record<string, string>,
  atTerminal = isatty(0),
): Promise<number> {
  // Signals reach a whole group. But only one group reads the keys of a terminal: there the command stays in this one. On
  // Windows there are no groups.
  const detached = !atTerminal && process.platform !== 'win32'
  let child: ChildProcess | undefined
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to the whole group: the command has it already.
    if (signal === 'SIGINT' && atTerminal) return
    if (detached) signalGroup(child?.pid, signal)
    else child?.kill(signal)
  }
  // Before the command starts, or a signal in between would end this process alone.
  for (const signal of SIGNALS) process.on(signal, forward)
  try {
    return await new Promise<number>((resolve, reject) => {
      child = spawn(file!, args, { detached, stdio: 'inherit', env: { ...process.env, ...environment } })
      child.once('error', cause => reject(notStarted(file!, cause)))
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
    })
  } finally {
    if (detached) signalGroup(child?.pid, 'SIGTERM')
    for (const signal of SIGNALS) process.off(signal, forward)
  }
}

/** Sends a signal to what is left of the group that a process leads or has led. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal)
  } catch {
    // Nobody is left in it.
  }
}

/** Why a command did not start and what to do about it, by the code of the system. */
const REASONS: Readonly<Record<string, (file: string) => readonly [reason: string, fix: string]>> = {
  ENOENT: file => ['was not started: there is no such command.', toFindable(file)],
  EACCES: file => ['is not executable.', `chmod +x ${file}`],
}

function toFindable(file: string): string {
  if (file.startsWith('-')) return `options stand before the two dashes: price-feed-mock exec ${file} … -- npm test`
  // A whole command in quotes is one word.
  if (/[&|;<>$`*?()]/.test(file)) return `price-feed-mock exec -- sh -c ${quote(file)}`
  if (file.includes(' ')) return `price-feed-mock exec -- ${file}`
  return `check the name and PATH; for a program of node_modules: price-feed-mock exec -- npx ${file}`
}

function notStarted(file: string, cause: NodeJS.ErrnoException): PriceFeedMockError {
  const [reason, fix] = REASONS[cause.code ?? '']?.(file) ?? [`was not started: ${cause.message}.`]
  return new PriceFeedMockError('COMMAND_NOT_STARTED', `${file} ${reason}`, {
    cause,
    details: fix === undefined ? [] : [['fix', fix]],
  })
}
