// The compiled program as a user has it: by its name, in a POSIX shell, in an empty folder, with a clean environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

/** What a command has printed, and its exit code, or the name of the signal that ended it. */
export interface Finished {
  readonly stdout: string
  readonly stderr: string
  readonly exit: string
}

/** A command in the background that has printed its first line. */
export interface Running {
  readonly firstLine: string
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Finished>
}

export interface Shell {
  /** Where commands run; empty at first. */
  readonly folder: string
  write(file: string, text: string): void
  /** Runs a command to its end. */
  run(command: string): Promise<Finished>
  /** Runs a command in the background, from its first line of stdout on. */
  start(command: string): Promise<Running>
  /** Ends every process that is left and removes the folder. */
  end(): void
}

const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
/** There to end a hang, not to measure. */
const LIMIT_MS = 60_000

/**
 * Creates a shell.
 * @param environment variables besides PATH and HOME
 */
export function createShell(environment: Readonly<Record<string, string>> = { NO_COLOR: '1' }): Shell {
  const problem = inject('buildProblem')
  if (problem !== '') throw new Error(`The program was not compiled: ${problem}`)
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
  const folder = join(root, 'work')
  const bin = join(root, 'bin')
  mkdirSync(folder)
  mkdirSync(bin)
  writeFileSync(join(bin, 'price-feed-mock'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  })
  const env = {
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    HOME: folder,
    ...environment,
  }
  const children = new Set<ChildProcess>()

  const spawnCommand = (command: string) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: folder,
      env,
      // A group of its own, so that what a command has started ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    const limit = setTimeout(() => killGroup(child), LIMIT_MS)
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => (printed[name] += chunk))
    const finished = new Promise<Finished>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        clearTimeout(limit)
        children.delete(child)
        resolve({ ...printed, exit: String(code ?? signal) })
      })
    })
    return { child, printed, finished }
  }

  return {
    folder,
    write(file, text) {
      const path = join(folder, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    },
    run: command => spawnCommand(command).finished,
    async start(command) {
      // The program in place of the shell, so that a signal reaches it and the exit code is its own.
      const { child, printed, finished } = spawnCommand(command.replace(/(?=\bprice-feed-mock\b)/, 'exec '))
      const ready = new Promise<void>(resolve => {
        child.stdout.on('data', () => {
          if (printed.stdout.includes('\n')) resolve()
        })
      })
      const early = await Promise.race([ready, finished])
      if (early) throw new Error(`${command} ended with ${early.exit} before it was ready.\n${early.stderr}`)
      return {
        firstLine: printed.stdout.split('\n', 1)[0]!,
        kill(signal) {
          child.kill(signal)
          return finished
        },
      }
    },
    end() {
      for (const child of children) killGroup(child)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
