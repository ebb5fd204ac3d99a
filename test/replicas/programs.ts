// Programs of their own for tests of replicas: servers on one Redis, and nginx or HAProxy in front of them, configured as in
// docs/scale.md.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.js'

/** The program as it is published. */
export const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const PAGE = new URL('../../docs/scale.md', import.meta.url)

/** A started program. */
interface Running {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
  /** Sends a signal, by default SIGTERM, and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The load balancers whose configurations docs/scale.md shows. */
export const BALANCERS = ['nginx', 'haproxy'] as const
export type Balancer = (typeof BALANCERS)[number]

/**
 * Starts a server, as users do.
 * @throws Error with its exit code and its output if it ends instead of listening
 */
export function startProgram(...options: readonly string[]): Promise<Running & { readonly output: () => string }> {
  return startProgramWith({}, ...options)
}

/** Starts a server with environment variables of its own. */
export async function startProgramWith(
  environment: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<Running & { readonly output: () => string }> {
  const args = [PROGRAM, '--port', '0', '--log', 'off', ...options]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } })
  let output = ''
  const listening = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', chunk => (output += chunk))
    child.stdout.on('data', chunk => {
      output += chunk
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
    child.once('exit', code => reject(new Error(`exit code ${code}: ${output}`)))
  })
  const url = await listening
  return { ...running(child, Number(new URL(url).port)), output: () => output }
}

/** Starts a load balancer with the configuration of docs/scale.md before the servers at some ports. */
export async function startBalancer(balancer: Balancer, ports: readonly number[]): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `price-feed-mock-${balancer}-`))
  const port = await freePort()
  const file = join(folder, 'configuration')
  writeFileSync(file, configure(balancer, port, ports))
  const args = balancer === 'nginx' ? ['-p', folder, '-c', file, '-e', 'stderr', '-g', NGINX] : ['-db', '-f', file]
  const child = spawn(balancer, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let problem = ''
  child.stderr.on('data', chunk => (problem += chunk))
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  while (!(await accepts(port)))
    if (child.exitCode !== null) throw new Error(`${balancer} ended with ${child.exitCode}: ${problem}`)
  return running(child, port)
}

/** In the foreground, with one worker that may belong to root, and no file outside the folder. */
const NGINX = 'daemon off; master_process off; pid nginx.pid;'

/** The configuration of a load balancer in docs/scale.md with the ports of a test instead of its own. */
function configure(balancer: Balancer, port: number, ports: readonly number[]): string {
  const [, shown] = new RegExp(`^\`\`\`${balancer}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(PAGE, 'utf8')) ?? []
  if (shown === undefined) throw new Error(`docs/scale.md has no configuration of ${balancer}.`)
  const lines = shown.split('\n')
  const isServer = (line: string): boolean => line.includes('replica-')
  const first = lines.findIndex(isServer)
  const servers = ports.map((to, index) =>
    lines[first]!.replace(/\breplica-\d+:\d+/, `127.0.0.1:${to}`).replace(
      'server replica-1 ',
      `server replica-${index} `,
    ),
  )
  const rest = lines.filter(line => !isServer(line))
  return [...rest.slice(0, first), ...servers, ...rest.slice(first)]
    .join('\n')
    .replace(/(listen|bind) \S*?4700/, `$1 127.0.0.1:${port}`)
}

function running(child: ChildProcess, port: number): Running {
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    process: child,
    async stop(signal = 'SIGTERM') {
      process.off('exit', end)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
  }
}

/** Whether a port accepts connections. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise(resolve => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then(is => {
    socket.destroy()
    return is as boolean
  })
}

/** A reply as received. */
export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export type Asked = { readonly method?: string; readonly body?: unknown; readonly key?: string }

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Sends a request. A connection that ends without a whole reply fails. */
export function ask(url: string, { method = 'GET', body, key = 'test-api-key' }: Asked = {}): Promise<Seen> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = { authorization: key, ...(text !== undefined && { 'content-type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, reply => {
      let received = ''
      reply.setEncoding('utf8').on('data', chunk => (received += chunk))
      reply.on('error', reject)
      reply.on('end', () => resolve({ status: reply.statusCode!, headers: reply.headers, body: received }))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Waits until each server has found the store again. Served requests of several may all come from one. */
export async function untilHealthy(servers: readonly { readonly url: string }[]): Promise<void> {
  for (const { url } of servers) while ((await ask(`${url}/_mock/health`)).status !== 200);
}

/** The number of a request in its session, from the header of its reply. */
export function numberOf({ headers }: Seen): number {
  return Number(/\bn=(\d+)/.exec(String(headers['x-price-feed-mock']))?.[1])
}

/** The virtual second of a reply. */
export function secondOf({ headers }: Seen): number {
  return Number(/\bnow=(\d+)/.exec(String(headers['x-price-feed-mock']))?.[1])
}

/** The routes of one mock that the tests use. */
export function createRoutes(url: string) {
  const sessions = `${url}/_mock/sessions`
  return {
    url,
    create: (body: object) => ask(sessions, { method: 'POST', body }),
    change: (id: string, body: object) => ask(`${sessions}/${id}`, { method: 'PATCH', body }),
    latest: (id: string) => ask(`${url}/session/${id}/prices/BTCUSD/latest`),
    /** The whole journal of a session, page by page. */
    async journal(id: string): Promise<readonly Entry[]> {
      const entries: Entry[] = []
      let after: number | undefined = 0
      while (after !== undefined) {
        const { body } = await ask(`${sessions}/${id}/requests?after=${after}`)
        const page: { requests: Entry[]; next?: number } = JSON.parse(body)
        entries.push(...page.requests)
        after = page.next
      }
      return entries
    },
    async summary(id: string) {
      return JSON.parse((await ask(`${sessions}/${id}/requests/summary`)).body)
    },
  }
}

export type Routes = ReturnType<typeof createRoutes>

/** An entry of a journal, as far as these tests read it. */
export type Entry = { readonly n: number; readonly ordinal: number; readonly status: number; readonly now: number }

/** Servers on one store behind a load balancer. */
export interface Cluster extends Routes {
  readonly replicas: readonly (Awaited<ReturnType<typeof startProgram>> & { readonly routes: Routes })[]
  stop(): Promise<void>
}

/** Starts two servers on a store, and a load balancer before them. */
export async function startCluster(
  store: string,
  { balancer = 'nginx', options = [] }: { balancer?: Balancer; options?: readonly string[] } = {},
): Promise<Cluster> {
  const replicas: Cluster['replicas'][number][] = []
  for (let i = 0; i < 2; i++) {
    const program = await startProgram('--store', store, ...options)
    replicas.push({ ...program, routes: createRoutes(program.url) })
  }
  const front = await startBalancer(
    balancer,
    replicas.map(({ port }) => port),
  )
  return {
    ...createRoutes(front.url),
    replicas,
    async stop() {
      await front.stop('SIGKILL')
      await Promise.all(replicas.map(replica => replica.stop()))
    },
  }
}
