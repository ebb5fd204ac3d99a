// Loaded before a server that is under attack: it reports memory, handles and blocks of the event loop to its parent.

/** A report on the process, sent some times a second. */
export interface Report {
  /** Resident memory in bytes. */
  readonly rss: number
  /** The most so far, measured by the operating system. */
  readonly maxRss: number
  /** Open handles and requests by type. */
  readonly resources: Readonly<Record<string, number>>
  /** The longest block of the event loop since the last report, in milliseconds. */
  readonly block: Block
}

/** A time in which no event was handled. */
export interface Block {
  readonly ms: number
  /** CPU time that the process had meanwhile. On a busy machine it is less: the rest is waiting for a core. */
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
let last = { at: reportedAt, cpu: cpuMs() }

function look(): void {
  const now = { at: performance.now(), cpu: cpuMs() }
  const ms = now.at - last.at - LOOK_EVERY_MS
  // The collector works on other threads too, so the process can have more CPU time than time has passed.
  if (ms > block.ms) block = { ms, cpuMs: Math.min(ms, now.cpu - last.cpu) }
  last = now
  if (now.at - reportedAt < REPORT_EVERY_MS) return
  reportedAt = now.at
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
