// `price-feed-mock exec -- COMMAND`: runs a command with a server beside it, so that a CI job needs one line.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { quote } from '../admin/reproduce-command.js'
import { PriceFeedMockError, shorten } from '../errors.js'
import type { Mock } from '../index.js'
import type { Ready } from './banner.js'
import type { Config } from './options.js'

const ADMIN_TOKEN_VARIABLE = 'PRICE_FEED_MOCK_ADMIN_TOKEN'

/** The environment variables through which a command finds its server. */
export function toEnvironment(
  mock: Pick<Mock, 'sessions'>,
  { url, historyUrl, signer }: Ready,
  { adminToken, tlsCert }: Config,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  return {
    ...pastProxy(url, environment),
    PRICE_FEED_BASE_URL: url,
    PRICE_FEED_HISTORY_URL: historyUrl,
    // The banner does not show a key of the user.
    PRICE_FEED_API_KEY: mock.sessions.default.runtime.settings.apiKeys[0]!,
    PRICE_FEED_SIGNER: signer.address,
    // Clients of Node trust the certificate, unless the caller has chosen certificates.
    ...(tlsCert === undefined || environment.NODE_EXTRA_CA_CERTS ? {} : { NODE_EXTRA_CA_CERTS: resolve(tlsCert) }),
    // The kits read it.
    ...(adminToken === undefined ? {} : { [ADMIN_TOKEN_VARIABLE]: adminToken }),
  }
}

/** Keeps the requests of the command from a proxy of the environment, which cannot reach its server. */
function pastProxy(url: string, environment: NodeJS.ProcessEnv): Record<string, string> {
  if (!Object.keys(environment).some(name => /^(https?|all)_proxy$/i.test(name))) return {}
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const hosts = [environment.no_proxy || environment.NO_PROXY, host].filter(Boolean).join(',')
  return { NO_PROXY: hosts, no_proxy: hosts }
}

/** Signals that end a process. They are forwarded to the command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command and returns its exit code, or 128 + n when signal n ended it, as shells do. Without a terminal, the processes it
 * started receive the same signals and end with it.
 * @param atTerminal whether standard input is a terminal
 * @throws PriceFeedMockError COMMAND_NOT_STARTED
 */
export async function runCommand(
  [file, ...args]: readonly string[],
  environment: Record<string, string>,
  atTerminal = isatty(0),
): Promise<number> {
  // A group of its own lets signals reach all processes of the command. At a terminal the command stays in this group, because
  // only the foreground group can read the keyboard. Windows has no groups.
  const detached = !atTerminal && process.platform !== 'win32'
  let child: ChildProcess | undefined
  const forward = (signal: NodeJS.Signals): void => {
    // The terminal has already sent Ctrl-C to the whole group, including the command.
    if (signal === 'SIGINT' && atTerminal) return
    if (detached) signalGroup(child?.pid, signal)
    else child?.kill(signal)
  }
  // Before the command starts: a signal in between would end only this process.
  for (const signal of SIGNALS) process.on(signal, forward)
  try {
    return await new Promise<number>((settle, reject) => {
      try {
        child = spawn(file!, args, { detached, stdio: 'inherit', env: { ...process.env, ...environment } })
      } catch (cause) {
        // Most errors of the system are thrown, a few are events.
        return reject(notStarted(file!, cause as NodeJS.ErrnoException))
      }
      child.once('error', cause => reject(notStarted(file!, cause)))
      child.once('exit', (code, signal) => settle(code ?? 128 + constants.signals[signal!]))
    })
  } finally {
    if (detached) signalGroup(child?.pid, 'SIGTERM')
    for (const signal of SIGNALS) process.off(signal, forward)
  }
}

/**
 * Sends a signal to the remaining processes of a group.
 * @param signal 0 sends none
 * @returns whether there was one
 */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return leader !== undefined && process.kill(-leader, signal)
  } catch {
    return false
  }
}

/** Reason and fix for a command that did not start, by the system's error code. */
const REASONS: Readonly<Record<string, (file: string, by: string) => readonly [reason: string, fix: string]>> = {
  ENOENT: (file, by) => ['was not started: command not found.', fixNotFound(file, by)],
  EACCES: file => ['is not executable.', `chmod +x ${file}`],
  ENOTDIR: file => ['was not started: a part of its path is a file, not a folder.', `check the path: ${file}`],
  ELOOP: file => ['was not started: its path is a loop of symbolic links.', `readlink ${quote(file)}`],
  ENAMETOOLONG: (_, by) => [
    'was not started: its name is too long.',
    `put two dashes before the command: npx price-feed-mock ${by} -- npm test`,
  ],
  E2BIG: () => ['was not started: its arguments and environment are too long.', 'pass them in a file'],
}

function fixNotFound(file: string, by: string): string {
  if (file.startsWith('-')) return `put options before the two dashes: npx price-feed-mock ${by} ${file} … -- npm test`
  // The whole command line was quoted.
  if (/[&|;<>$`*?()]/.test(file)) return `npx price-feed-mock ${by} -- sh -c ${quote(file)}`
  if (file.includes(' ')) return `npx price-feed-mock ${by} -- ${file}`
  return `check the name and PATH, or run a program from node_modules with: npx price-feed-mock ${by} -- npx ${file}`
}

/**
 * The error of a command that did not start.
 * @param by the command of this program that starts it
 */
export function notStarted(file: string, cause: NodeJS.ErrnoException, by = 'exec'): PriceFeedMockError {
  const [reason, fix] = REASONS[cause.code ?? '']?.(file, by) ?? [`was not started: ${cause.message}.`]
  return new PriceFeedMockError('COMMAND_NOT_STARTED', `${shorten(file, 200)} ${reason}`, { cause, fix })
}
