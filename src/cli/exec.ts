// Runs commands with a server beside them: that of `price-feed-mock exec`, so that a CI job needs one line, and those of trials,
// without a terminal, whose last output is kept.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { quote } from '../admin/reproduce-command.js'
import { PriceFeedMockError, shorten, toPrintable, tryTo, withoutStop } from '../errors.js'
import { MAX_TIMER_MS } from '../hosts/real-time.js'
import type { Mock } from '../index.js'
import type { Ready } from './banner.js'
import { kindAt } from './files.js'
import type { Config } from './options.js'

const IS_WINDOWS = process.platform === 'win32'
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
    // Most libraries verify by a key, and recover none.
    PRICE_FEED_SIGNER_PUBLIC_KEY: signer.publicKey,
    // Clients of Node trust the certificate, unless the caller has chosen certificates.
    ...(tlsCert === undefined || environment.NODE_EXTRA_CA_CERTS ? {} : { NODE_EXTRA_CA_CERTS: resolve(tlsCert) }),
    // The kits read it.
    ...(adminToken === undefined ? {} : { [ADMIN_TOKEN_VARIABLE]: adminToken }),
  }
}

/** Keeps the requests of the command from a proxy of the environment, which cannot reach its server. */
function pastProxy(url: string, environment: NodeJS.ProcessEnv): Record<string, string> {
  const listed = environment.no_proxy || environment.NO_PROXY
  // An asterisk stands for all hosts only where it is alone.
  if (listed === '*' || !Object.keys(environment).some(name => /^(https?|all)_proxy$/i.test(name))) return {}
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const hosts = listed ? `${listed},${host}` : host
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
  command: readonly string[],
  environment: Record<string, string>,
  atTerminal = isatty(0),
): Promise<number> {
  // A group of its own lets signals reach all processes of the command. At a terminal the command stays in this group, because
  // only the foreground group can read the keyboard. Windows has no groups.
  const detached = !atTerminal && !IS_WINDOWS
  let child: ChildProcess | undefined
  const forward = (signal: NodeJS.Signals): void => {
    // The terminal has already sent Ctrl-C to the whole group, including the command; that of Windows sends all there are.
    if (IS_WINDOWS || (signal === 'SIGINT' && atTerminal)) return
    if (detached) signalGroup(child?.pid, signal)
    else child?.kill(signal)
  }
  // Before the command starts: a signal in between would end only this process.
  for (const signal of SIGNALS) process.on(signal, forward)
  try {
    return await start(command, environment, { detached, stdio: 'inherit' }, 'exec', started => (child = started))
  } finally {
    if (detached) signalGroup(child?.pid, 'SIGTERM')
    for (const signal of SIGNALS) process.off(signal, forward)
  }
}

/**
 * Starts a command and returns its exit code, or 128 + n when signal n ended it.
 * @param by the command of this program that starts it, for errors
 * @throws PriceFeedMockError COMMAND_NOT_STARTED
 */
async function start(
  [file, ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: SpawnOptions,
  by: string,
  onStart: (child: ChildProcess) => void,
): Promise<number> {
  // Windows itself starts no `npm`: programs that are scripts need their full name, and a shell.
  const launch = IS_WINDOWS ? (await import('cross-spawn')).default : spawn
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(notStarted(file!, cause as NodeJS.ErrnoException, by))
    let child: ChildProcess
    try {
      child = launch(file!, args, { ...options, env: { ...process.env, ...environment } })
    } catch (cause) {
      // Most errors of the system are thrown, a few are events.
      return fail(cause)
    }
    child.once('error', fail).once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
    onStart(child)
  })
}

/**
 * Sends a signal to the remaining processes of a group.
 * @param signal 0 sends none
 * @returns whether there was one
 */
const signalGroup = (leader: number | undefined, signal: NodeJS.Signals | 0): boolean =>
  leader !== undefined && tryTo(() => process.kill(-leader, signal)) === true

/** Reason and fix for a command that did not start, by the system's error code. */
const REASONS: Readonly<Record<string, (file: string, by: string) => readonly [reason: string, fix: string]>> = {
  ENOENT: (file, by) => ['was not started: command not found.', fixNotFound(file, by)],
  EACCES: file =>
    kindAt(file) === 'folder'
      ? ['is a folder, not a program.', `check the path: ${file}`]
      : ['is not executable.', `chmod +x ${file}`],
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
  if (/[&|;<>$`*?()]/.test(file))
    return `npx price-feed-mock ${by} -- ${IS_WINDOWS ? `cmd /c "${file}"` : `sh -c ${quote(file)}`}`
  if (file.includes(' ')) return `npx price-feed-mock ${by} -- ${file}`
  return `check the name and PATH, or run a program from node_modules with: npx price-feed-mock ${by} -- npx ${file}`
}

/** The error of a command that did not start. */
function notStarted(file: string, cause: NodeJS.ErrnoException, by: string): PriceFeedMockError {
  const [reason, fix] = REASONS[cause.code ?? '']?.(file, by) ?? [`was not started: ${withoutStop(cause.message)}.`]
  return new PriceFeedMockError('COMMAND_NOT_STARTED', `${shorten(file, 200)} ${reason}`, { cause, fix })
}

/** A command that has ended, or was ended. */
export interface CapturedRun {
  /** The exit code, or 128 + n after signal n, as in shells. */
  readonly exitCode: number
  /** `late`: it reached the limit. `stopped`: the signal was aborted. */
  readonly end: 'exited' | 'late' | 'stopped'
  /** The last lines of standard output and standard error, in the order of their arrival, safe to print. */
  readonly output: readonly string[]
  /** Real milliseconds. */
  readonly ms: number
}

interface CaptureOptions {
  readonly limitMs: number
  readonly signal?: AbortSignal | undefined
  /** The command of this program that starts it, for errors. */
  readonly by: string
}

/** Characters of output that are kept. */
const KEPT = 20_000
const MAX_LINES = 20
const MAX_LINE = 400
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1000
const LOOK_MS = 20

/** The running commands. If this process ends, so do they. */
const running = new Set<ChildProcess>()
const killAll = (): void => {
  for (const child of running) send(child, 'SIGKILL')
}

/**
 * Runs a command in a process group of its own, with nothing on its standard input.
 * @throws PriceFeedMockError COMMAND_NOT_STARTED
 */
export async function captureCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  { limitMs, signal, by }: CaptureOptions,
): Promise<CapturedRun> {
  const tail = createTail()
  const startedAt = performance.now()
  let end: CapturedRun['end'] = 'exited'
  let kill: NodeJS.Timeout | undefined
  let limit: NodeJS.Timeout | undefined
  let child: ChildProcess | undefined
  const stop = (reason: 'late' | 'stopped'): void => {
    if (end !== 'exited' || child === undefined) return
    end = reason
    send(child, 'SIGTERM')
    kill = setTimeout(send, GRACE_MS, child, 'SIGKILL')
  }
  const onAbort = (): void => stop('stopped')
  try {
    const options: SpawnOptions = { detached: !IS_WINDOWS, stdio: ['ignore', 'pipe', 'pipe'] }
    const exitCode = await start(command, environment, options, by, started => {
      child = started
      if (running.size === 0) process.on('exit', killAll)
      running.add(child)
      for (const stream of [child.stdout!, child.stderr!])
        stream.setEncoding('utf8').on('data', (text: string) => tail.add(text))
      limit = setTimeout(stop, Math.min(limitMs, MAX_TIMER_MS), 'late')
      signal?.addEventListener('abort', onAbort)
      if (signal?.aborted) onAbort()
    })
    const ms = performance.now() - startedAt
    clearTimeout(limit)
    await endRest(child!)
    return { exitCode, end, output: tail.lines(), ms }
  } finally {
    clearTimeout(limit)
    clearTimeout(kill)
    signal?.removeEventListener('abort', onAbort)
    if (child !== undefined) running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
  }
}

/**
 * Sends a signal to a command and to the processes that it has started; 0 only asks whether there are some. Windows knows them only
 * while the command runs, and any signal ends them.
 */
function send(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (!IS_WINDOWS) return signalGroup(child.pid, signal)
  if (signal === 0 || (child.exitCode ?? child.signalCode) !== null) return false
  return (
    spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { windowsHide: true }).status === 0 || child.kill()
  )
}

/** Ends the processes that a command has left, and waits for the rest of their output. */
async function endRest(child: ChildProcess): Promise<void> {
  send(child, 'SIGTERM')
  const isOpen = (): boolean => [child.stdout!, child.stderr!].some(stream => !stream.readableEnded)
  const isLeft = (): boolean => isOpen() || send(child, 0)
  for (let waitedMs = 0; isLeft() && waitedMs < GRACE_MS; waitedMs += LOOK_MS)
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  send(child, 'SIGKILL')
  // A process that has left the group may hold them open.
  child.stdout!.destroy()
  child.stderr!.destroy()
}

/** Keeps the end of a text of any length. */
function createTail() {
  let text = ''
  return {
    add(more: string): void {
      text += more
      if (text.length > 2 * KEPT) text = text.slice(-KEPT)
    },
    lines: (): string[] =>
      stripVTControlCharacters(text.slice(-KEPT))
        .trimEnd()
        .split(/\r?\n/)
        .slice(-MAX_LINES)
        .map(line => shorten(toPrintable(line.replaceAll('\t', '  ')).trimEnd(), MAX_LINE))
        .filter((line, i) => i > 0 || line !== ''),
  }
}
