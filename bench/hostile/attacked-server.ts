// The program in a process of its own, with its reports: memory, handles, blocks of the event loop, and its end.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Report } from './report.js'
import { SYNTHETIC_FEEDS } from './volleys.js'

const REPORT = new URL('./report.js', import.meta.url).href
/** A leak ends the server and not the machine. */
const HEAP_MB = 512
const MAX_STOP_MS = 8_000

/** Handles of a process. */
export interface Handles {
  /** By type, as Node names them. */
  readonly resources: Readonly<Record<string, number>>
  readonly count: number
  /** File descriptors; undefined where the operating system does not list them. */
  readonly files: number | undefined
  /** Its connections in the table of the operating system, if that can be read. */
  readonly connections: readonly string[]
}

/** The program under attack. */
export interface AttackedServer {
  readonly port: number
  readonly url: string
  /** The newest report. */
  readonly report: Report
  /** Milliseconds since the newest report: a blocked event loop sends none. */
  readonly silentMs: number
  readonly handles: Handles
  /** How the process ended by itself; undefined while it runs. */
  readonly crash: string | undefined
  onReport(listener: (report: Report) => void): void
  /** Ends the process and resolves with the milliseconds that it took; undefined if it had to be killed. */
  stop(): Promise<number | undefined>
}

/** Starts the program as users do, with its log off and a frozen clock. */
export async function startAttacked(program: string, at: string): Promise<AttackedServer> {
  const flags = ['--port', '0', '--log', 'off', '--at', at, '--synthetic-feeds', String(SYNTHETIC_FEEDS)]
  const child: ChildProcess = fork(program, flags, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, '--import', REPORT],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let errors = ''
  let crash: string | undefined
  let isStopping = false
  let report: Report | undefined
  let reportedAt = performance.now()
  const listeners: ((report: Report) => void)[] = []
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  child.on('message', message => {
    report = message as Report
    reportedAt = performance.now()
    for (const listener of listeners) listener(report)
  })
  child.on('exit', (code, signal) => {
    if (!isStopping) crash = `exit ${code ?? signal}: ${errors.trim()}`
  })
  const ready = once(child.stdout!, 'data')
  const [line] = (await Promise.race([ready, once(child, 'exit').then(() => [])])) as [Buffer?]
  if (line === undefined) throw new Error(`${program} did not start: ${crash}`)
  const url = String(line).trim()
  while (report === undefined) await wait(50)

  return {
    url,
    port: Number(new URL(url).port),
    get report() {
      return report!
    },
    get silentMs() {
      return performance.now() - reportedAt
    },
    get handles() {
      const { resources } = report!
      const count = Object.values(resources).reduce((sum, n) => sum + n, 0)
      return { resources, count, files: countFiles(child.pid!), connections: connectionsOf(Number(new URL(url).port)) }
    },
    get crash() {
      return crash
    },
    onReport: listener => void listeners.push(listener),
    async stop() {
      if (crash !== undefined) return undefined
      isStopping = true
      const exit = once(child, 'exit')
      const started = performance.now()
      child.kill()
      const isStopped = await Promise.race([exit.then(() => true), wait(MAX_STOP_MS, false, { ref: false })])
      if (isStopped) return performance.now() - started
      child.kill('SIGKILL')
      await exit
      return undefined
    },
  }
}

/** The states of TCP by the number that Linux shows. */
const STATES: Readonly<Record<string, string>> = {
  '01': 'established',
  '04': 'fin-wait-1',
  '05': 'fin-wait-2',
  '08': 'close-wait',
}

/** The server's ends of its connections: the port of the client, the state, and the bytes that wait to be sent and to be read. */
function connectionsOf(port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  try {
    return readFileSync('/proc/net/tcp', 'latin1')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(([, from, , state]) => from?.endsWith(local) && STATES[state!] !== undefined)
      .map(([, , to, state, queues]) => {
        const [sent, received] = queues!.split(':').map(hex => Number.parseInt(hex, 16))
        return `${Number.parseInt(to!.split(':')[1]!, 16)} ${STATES[state!]} ${sent}:${received}`
      })
  } catch {
    return []
  }
}

function countFiles(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}
