// Programs that a test starts outside of it: their environment and their output.
import { type SpawnOptions, spawn } from 'node:child_process'

/** The exit status and the output of a program, both streams in order of arrival. */
export type Ran = { readonly status: number | null; readonly output: string }

/** Variables that change test runners inside another one, and those by which npm sets options for the npm inside it. */
const OF_RUNNERS = /^(VITEST|TEST|MODE|NODE_ENV|NODE_OPTIONS|NODE_TEST|JEST|PW_|CI$|npm_)/

/** The environment of this process without its test runner, and further variables. */
export function outerEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !OF_RUNNERS.test(name))
  return { ...Object.fromEntries(inherited), NO_COLOR: '1', npm_config_update_notifier: 'false', ...own }
}

/** Runs a program to its end. */
export function runProgram(command: string, args: readonly string[], options: SpawnOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream!.setEncoding('utf8').on('data', (piece: string) => (output += piece))
    child.once('error', reject)
    child.once('close', status => resolve({ status, output }))
  })
}
