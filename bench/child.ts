// A server in a process of its own, so that its CPU time and memory are its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The program as it is published. */
export const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const BARE = fileURLToPath(new URL('./bare.js', import.meta.url))
const REPORT_USAGE = new URL('./report-usage.js', import.meta.url).href

/** CPU time since the start of the process, and resident memory. */
export interface Usage {
  /** Of all threads: the collector and the compiler count as well. */
  readonly cpuMicros: number
  /** Of the main thread, where the system has a figure for it. */
  readonly threadMs: number
  readonly rss: number
}

/** A server in a process of its own. */
export interface Child {
  readonly url: string
  usage(): Promise<Usage>
  stop(): Promise<void>
}

/** Starts the program as users do, with its log off. */
export async function startProgram(...flags: string[]): Promise<Child> {
  return start(PROGRAM, ['--port', '0', '--log', 'off', '--at', '2025-07-24T10:48:25Z', ...flags])
}

/** Starts a plain server of Node with default V8 settings, which sends one fixed reply. */
export async function startBare(headers: readonly string[], body: string): Promise<Child> {
  return start(BARE, [JSON.stringify(headers), body])
}

async function start(file: string, args: readonly string[]): Promise<Child> {
  const child: ChildProcess = fork(file, args, {
    execArgv: ['--import', REPORT_USAGE],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return {
    url: String(line).trim(),
    async usage() {
      const report = once(child, 'message')
      child.send('usage')
      return (await report)[0] as Usage
    },
    async stop() {
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}
