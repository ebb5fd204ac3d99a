// The built program by its name, in a POSIX shell, with an empty folder and a clean environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

/** The output of a command, and its exit code or the name of the signal that ended it. */
export type Finished = { readonly stdout: string; readonly stderr: string; readonly exit: string }

/** A command in the background that has printed its first line. */
export interface Running {
  readonly firstLine: string
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Finished>
}

export interface Shell {
  /** The working folder of commands, empty at first. */
  readonly folder: string
  write(file: string, text: string): void
  /** Runs a command to its end. */
  run(command: string): Promise<Finished>
  /** Runs a command in the background. Resolves after its first line of stdout. */
  start(command: string): Promise<Running>
  /** Ends the remaining processes and removes the folder. */
  end(): void
}

const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
/** Ends a hanging command; not a performance limit. */
const LIMIT_MS = 240_000

/**
 * Creates a shell.
 * @param environment variables in addition to PATH and HOME
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
  // As in a project that has the package installed: the command is found, and nothing is downloaded.
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
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
      // A process group of its own, so that child processes end with the command.
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
      // `exec` replaces the shell by the program, which then receives signals and sets the exit code.
      const { child, printed, finished } = spawnCommand(command.replace(/(?=\b(?:npx )?price-feed-mock\b)/, 'exec '))
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
    // The group has already ended.
  }
}
