// Loaded before a server that is under attack: it reports memory, handles and blocks of the event loop to its parent.
import { AsyncResource, createHook, executionAsyncResource } from 'node:async_hooks'
import { threadCpuMs as cpuMs } from '../thread-clock.js'

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
  /** The most CPU time of one callback with all that follows before the next event, such as the answers to the requests of one read. */
  readonly cpuMs: number
}

const REPORT_EVERY_MS = 200
const LOOK_EVERY_MS = 5
const NO_BLOCK: Block = { ms: 0, cpuMs: 0 }

let block = NO_BLOCK
let reportedAt = performance.now()
let lastLookAt = reportedAt

let depth = 0
/** The callback under way. `id` is that of its asynchronous resource, until something else runs. */
let callback: { id: number | undefined; readonly at: number; readonly cpu: number } = { id: undefined, at: 0, cpu: 0 }

/**
 * Whether nobody else could run since the callback before: ticks and promises run before the next event, and Node reports each request
 * of one read by itself, under the identity of the connection.
 */
function continues(id: number): boolean {
  const resource = executionAsyncResource() as object
  const isTask = resource instanceof Promise || resource instanceof AsyncResource || 'args' in resource
  const isContinued = isTask || id === callback.id
  if (isTask) callback.id = undefined
  return isContinued
}

createHook({
  before(id) {
    if (depth++ === 0 && !continues(id)) callback = { id, at: performance.now(), cpu: cpuMs() }
  },
  after() {
    // The hook is created within a callback, which then ends without a beginning.
    if (depth === 0 || --depth > 0) return
    const passed = performance.now() - callback.at
    // The operating system is asked only about callbacks that can be the longest.
    if (passed <= block.cpuMs) return
    const spent = Math.min(passed, cpuMs() - callback.cpu)
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
