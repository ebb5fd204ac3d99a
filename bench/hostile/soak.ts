// The soak: hostile volleys and innocent clients against the program, with all measurements.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type AttackedServer, type Handles, startAttacked } from './attacked-server.js'
import { type Answers, createAnswers, createGun } from './fire.js'
import type { InnocentsOptions, InnocentsReport } from './innocents.js'
import type { Block } from './report.js'
import { createVolleys, type Kind, type Volley } from './volleys.js'

/** Options of a soak. */
export interface SoakOptions {
  /** Number of hostile requests. */
  readonly requests: number
  readonly seed: string
  /** Time limit of the whole run. */
  readonly seconds: number
  readonly kinds: readonly Kind[]
  /** The file of the program. */
  readonly program: string
}

/** A block of the event loop. */
export interface FoundBlock extends Block {
  /** The kinds of volleys under way since the report before. */
  readonly during: readonly Kind[]
}

/** Everything measured. Bytes and milliseconds. */
export interface SoakResult {
  readonly requests: number
  readonly volleys: number
  readonly seconds: number
  /** Hash of all volleys in their order. */
  readonly digest: string
  /** How the server ended by itself. */
  readonly crash: string | undefined
  /** Unplanned statuses above 499. */
  readonly unplanned: number
  readonly firstUnplanned: string | undefined
  readonly rss: { readonly before: number; readonly max: number; readonly after: number }
  /** Resident memory after each tenth of the requests. */
  readonly rssOverTime: readonly number[]
  readonly handles: { readonly before: Handles; readonly after: Handles }
  /** The longest between two turns, and the one with the longest callback. */
  readonly block: { readonly alone: FoundBlock; readonly wall: FoundBlock; readonly cpu: FoundBlock }
  readonly innocents: { readonly alone: InnocentsReport; readonly among: InnocentsReport }
  readonly byKind: ReadonlyMap<Kind, Answers>
  /** Milliseconds from SIGTERM to the end; undefined if it was not obeyed. */
  readonly stopMs: number | undefined
}

const AT = '2025-07-24T10:48:25Z'
const LANES = 8
/** The share of the time in which the innocents are alone. */
const ALONE = 0.1
/** Time for the server to close what its clients have left: more than an unfinished request may take. */
const SETTLE_SECONDS = 40
/** Time to leave for the end of the run: settling, stopping. */
const RESERVED_SECONDS = 10
/** A server without a report for so long counts as hung, and not as waiting for a core. */
const HUNG_MS = 5_000
const NO_BLOCK: FoundBlock = { ms: 0, cpuMs: 0, during: [] }

/** Runs a soak. */
export async function runSoak({ requests, seed, seconds, kinds, program }: SoakOptions): Promise<SoakResult> {
  const started = performance.now()
  const elapsed = (): number => (performance.now() - started) / 1000
  const server = await startAttacked(program, AT)
  const underWay = new Map<Volley, Kind>()
  /** Kinds of volleys that have ended since the last report. */
  const ended = new Set<Kind>()
  let wall = NO_BLOCK
  let cpu = NO_BLOCK
  server.onReport(({ block }) => {
    const found = { ...block, during: [...new Set([...underWay.values(), ...ended])] }
    ended.clear()
    if (block.ms > wall.ms) wall = found
    if (block.cpuMs > cpu.cpuMs) cpu = found
  })

  const innocents = await startInnocents({ url: server.url, seed, at: AT })
  await wait(Math.min(Math.max(seconds * ALONE, 2), 15) * 1000)
  const alone = await innocents.endPhase()
  const blockAlone = wall
  ;[wall, cpu] = [NO_BLOCK, NO_BLOCK]
  const before = { rss: server.report.rss, handles: server.handles }

  let unplanned = 0
  let firstUnplanned: string | undefined
  const gun = createGun(server.port, shown => {
    unplanned++
    firstUnplanned ??= shown
  })
  const create = createVolleys(seed, kinds)
  const digest = createHash('sha256')
  const byKind = new Map<Kind, Answers>()
  const rssOverTime: number[] = []
  const end = seconds - RESERVED_SECONDS
  const deadline = wait(Math.max(0, end - elapsed()) * 1000 + 1, '', { ref: false })
  let sent = 0
  let volleys = 0
  const lane = async (): Promise<void> => {
    while (sent < requests && elapsed() < end && server.crash === undefined) {
      let volley: Volley | undefined = create(volleys++)
      digest.update(volley.sent, 'latin1')
      while (volley !== undefined) {
        const answers = byKind.get(volley.kind) ?? createAnswers()
        byKind.set(volley.kind, answers)
        sent += volley.requests
        if (sent >= (requests / 10) * (rssOverTime.length + 1)) rssOverTime.push(server.report.rss)
        underWay.set(volley, volley.kind)
        // A blocked server must not end the run: its volleys are abandoned at the limit.
        const received: string = await Promise.race([gun.fire(volley, answers), deadline])
        underWay.delete(volley)
        ended.add(volley.kind)
        volley = volley.next?.(received)
      }
      // Held volleys resolve at once: without a turn of the event loop nothing would be sent.
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const hostileSeconds = elapsed()
  const among = await innocents.endPhase()
  gun.release()
  await untilSettled(server, before.handles, Math.min(SETTLE_SECONDS, seconds - elapsed()))
  // A server that sends no report is blocked at this moment: its callback has not ended.
  if (server.silentMs > wall.ms) wall = { ms: server.silentMs, cpuMs: 0, during: [] }
  if (server.silentMs > HUNG_MS) cpu = { ms: server.silentMs, cpuMs: server.silentMs, during: [] }
  const { rss, maxRss } = server.report
  const after = server.handles
  const { crash } = server
  await innocents.stop()
  const stopMs = await server.stop()
  return {
    requests: sent,
    volleys,
    seconds: hostileSeconds,
    digest: digest.digest('hex').slice(0, 16),
    crash,
    unplanned,
    firstUnplanned,
    rss: { before: before.rss, max: maxRss, after: rss },
    rssOverTime,
    handles: { before: before.handles, after },
    block: { alone: blockAlone, wall, cpu },
    innocents: { alone, among },
    byKind,
    stopMs,
  }
}

async function startInnocents(options: InnocentsOptions) {
  const worker = new Worker(new URL('./innocents.js', import.meta.url), { workerData: options })
  let ready = 0
  const isReady = new Promise<void>(resolve => {
    worker.on('message', message => {
      if (message === 'ready' && ++ready === 4) resolve()
    })
  })
  await isReady
  const ask = async (message: 'phase' | 'stop'): Promise<InnocentsReport> => {
    const reply = once(worker, 'message')
    worker.postMessage(message)
    return (await reply)[0] as InnocentsReport
  }
  return {
    endPhase: () => ask('phase'),
    async stop() {
      await ask('stop')
      await worker.terminate()
    },
  }
}

/** Waits until the server has no more handles than before, for some seconds at most. */
async function untilSettled(server: AttackedServer, before: Handles, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  const isSettled = (): boolean => {
    const { count, files } = server.handles
    return server.silentMs < 500 && count <= before.count && (files ?? 0) <= (before.files ?? 0)
  }
  // Two reports, because a handle may close and reopen.
  await wait(500)
  while (!isSettled() && performance.now() < until && server.crash === undefined) await wait(100)
}
