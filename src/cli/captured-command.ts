// Runs a command without a terminal: its last output is kept, its time has a limit, and its processes end with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { shorten } from '../errors.js'
import { MAX_TIMER_MS } from '../hosts/real-time.js'
import { notStarted, signalGroup } from './exec.js'
import { toPrintable } from './output.js'

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
const HAS_GROUPS = process.platform !== 'win32'

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
  [file, ...args]: readonly string[],
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
    const exitCode = await new Promise<number>((resolve, reject) => {
      const fail = (cause: unknown): void => reject(notStarted(file!, cause as NodeJS.ErrnoException, by))
      try {
        child = spawn(file!, args, {
          detached: HAS_GROUPS,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, ...environment },
        })
      } catch (cause) {
        return fail(cause)
      }
      if (running.size === 0) process.on('exit', killAll)
      running.add(child)
      for (const stream of [child.stdout!, child.stderr!])
        stream.setEncoding('utf8').on('data', (text: string) => tail.add(text))
      child.once('error', fail)
      child.once('exit', (code, name) => resolve(code ?? 128 + constants.signals[name!]))
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

/** Sends a signal to a command and to the processes that it has started. 0 only asks whether there are some. */
function send(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  return HAS_GROUPS ? signalGroup(child.pid, signal) : child.kill(signal)
}

/** Ends the processes that a command has left, and waits for the rest of their output. */
async function endRest(child: ChildProcess): Promise<void> {
  if (HAS_GROUPS) send(child, 'SIGTERM')
  const isOpen = (): boolean => [child.stdout!, child.stderr!].some(stream => !stream.readableEnded)
  const isLeft = (): boolean => isOpen() || (HAS_GROUPS && send(child, 0))
  for (let waitedMs = 0; isLeft() && waitedMs < GRACE_MS; waitedMs += LOOK_MS)
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  if (HAS_GROUPS) send(child, 'SIGKILL')
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
