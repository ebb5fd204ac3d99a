// A Redis of the tests' own: on a free port of loopback, without persistence, ended with the process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { findPrograms, missingProgram } from './needs.js'

/** A running Redis. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  /** Its present process. */
  readonly process: ChildProcess
  /** Runs a command of Redis and returns its reply as text. */
  command(...args: readonly string[]): Promise<string>
  /** Ends it without a warning; its files stay. */
  kill(): Promise<void>
  /** Starts it again after `kill`, at the same port and with its files, or without them. */
  restart(files: 'kept' | 'removed'): Promise<void>
  stop(): Promise<void>
}

/** Every reply is in a file before it is sent. A flush to the disk in progress would put writes off, and a kill would lose them. */
export const KEEPS_WRITES = ['--appendonly', 'yes', '--appendfsync', 'no'] as const

// Valkey takes the same options.
const NAMES = ['redis-server', 'valkey-server']

/** The program of Redis, or of Valkey. */
export const [PROGRAM] = findPrograms(NAMES)

/** The reason to skip tests with Redis; undefined where they run. */
export const NO_REDIS = missingProgram(...NAMES)

/** Starts a Redis. The caller stops it. */
export async function startRedis(...options: readonly string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-redis-'))
  const start = async (port: number): Promise<ChildProcess | undefined> => {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    const child = spawn(PROGRAM!, [...own, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    return (await isReady(child)) ? child : undefined
  }
  let child: ChildProcess | undefined
  let port = 0
  for (let attempt = 1; child === undefined; attempt++) {
    // Another process may take the port in between.
    if (attempt > 10) throw new Error(`${PROGRAM} does not start.`)
    port = await freePort()
    child = await start(port)
  }
  const kill = async (): Promise<void> => {
    if (child!.exitCode !== null || child!.signalCode !== null) return
    child!.kill('SIGKILL')
    await once(child!, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get process() {
      return child!
    },
    command: (...args) => command(port, args),
    kill,
    async restart(files) {
      if (files === 'removed') for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
      child = await start(port)
      if (child === undefined) throw new Error(`${PROGRAM} does not start again.`)
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isReady(child: ChildProcess): Promise<boolean> {
  const exited = once(child, 'exit').then(() => false)
  const ready = new Promise<boolean>(resolve => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', chunk => {
      text += chunk
      if (/ready to accept connections/i.test(text)) resolve(true)
    })
  })
  return Promise.race([ready, exited])
}

const NO_QUIT = /-ERR unknown command 'QUIT'.*\r\n$/

/** Sends one command by the protocol of Redis. */
export async function command(port: number, args: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const parts = args.map(arg => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`)
  socket.write(`*${args.length}\r\n${parts.join('')}*1\r\n$4\r\nQUIT\r\n`)
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk
    // A sentinel has no QUIT and keeps the connection.
    if (NO_QUIT.test(text)) break
  }
  return text.replace(/\+OK\r\n$/, '').replace(NO_QUIT, '')
}
