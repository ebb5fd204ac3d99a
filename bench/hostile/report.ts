// Loaded before a server that is under attack: it reports memory, handles and blocks of the event loop to its parent.
import { createHook } from 'node:async_hooks'

/** A report on the process, sent some times a second. */
export interface Report {
  /** Resident memory in bytes. */
  readonly rss: number
  /** The most so far, measured by the operating system. */
  readonly maxRss: number
  /** Open handles and requests by type. */
  readonly resources: Readonly<Record<string, number>>
  /** The longest since the last report. */
  readonly block: Block
}

/** Blocks of the event loop, in milliseconds. */
export interface Block {
  /** The longest time between two turns. On a busy machine it is mostly the wait for a core, and for the events of that wait. */
  readonly ms: number
  /** The most CPU time of one callback, such as the answer to one request. */
  readonly cpuMs: number
}

const REPORT_EVERY_MS = 200
const LOOK_EVERY_MS = 5
const NO_BLOCK: Block = { ms: 0, cpuMs: 0 }

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let block = NO_BLOCK
let reportedAt = performance.now()
let lastLookAt = reportedAt

let depth = 0
let callback = { at: 0, cpu: 0 }
createHook({
  before() {
    if (depth++ === 0) callback = { at: performance.now(), cpu: cpuMs() }
  },
  after() {
    if (--depth > 0) return
    // The collector works on other threads too, so the process can have more CPU time than time has passed.
    const spent = Math.min(performance.now() - callback.at, cpuMs() - callback.cpu)
    if (spent > block.cpuMs) block = { ...block, cpuMs: spent }
  },
}).enable()

function look(): void {
  const now = performance.now()
  const ms = now - lastLookAt - LOOK_EVERY_MS
  if (ms > block.ms) block = { ...block, ms }
  lastLookAt = now
  if (now - reportedAt < REPORT_EVERY_MS) return
  reportedAt = now
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  const report: Report = {
    rss: process.memoryUsage.rss(),
    maxRss: process.resourceUsage().maxRSS * 1024,
    resources,
    block,
  }
  block = NO_BLOCK
  process.send?.(report)
}

setInterval(look, LOOK_EVERY_MS).unref()
