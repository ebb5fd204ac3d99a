// A Redis of the tests' own: on a free port of loopback, without persistence, ended with the process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A running Redis. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
  /** Runs a command of Redis and returns its reply as text. */
  command(...args: readonly string[]): Promise<string>
  stop(): Promise<void>
}

/** The program of Redis, or of Valkey, which takes the same options. */
const PROGRAM = ['redis-server', 'valkey-server'].find(name => spawnSync(name, ['--version']).status === 0)

/** The reason why tests with Redis are skipped; undefined where they run. */
export const NO_REDIS =
  PROGRAM === undefined ? 'there is no Redis: apt-get install redis-server, or valkey-server' : undefined

/** Starts a Redis. The caller stops it. */
export async function startRedis(...options: readonly string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-redis-'))
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const child = spawn(
      PROGRAM!,
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, ...options],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    if (!(await isReady(child))) {
      process.off('exit', end)
      // Another process has taken the port in between.
      if (attempt < 10) continue
      throw new Error(`${PROGRAM} does not start.`)
    }
    return {
      url: `redis://127.0.0.1:${port}`,
      port,
      process: child,
      command: (...args) => command(port, args),
      async stop() {
        process.off('exit', end)
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }
        rmSync(folder, { recursive: true, force: true })
      },
    }
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Sends one command by the protocol of Redis. */
async function command(port: number, args: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const parts = args.map(arg => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`)
  socket.write(`*${args.length}\r\n${parts.join('')}*1\r\n$4\r\nQUIT\r\n`)
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += chunk
  return text.replace(/\+OK\r\n$/, '')
}
