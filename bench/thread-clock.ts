// The CPU time of the main thread of this process.
import { openSync, readSync } from 'node:fs'

/** CPU time of the main thread. Where the system does not tell, of all threads: then the collector and the compiler count as well. */
export const threadCpuMs =
  openThreadClock() ?? (() => Object.values(process.cpuUsage()).reduce((sum, us) => sum + us, 0) / 1000)

function openThreadClock(): (() => number) | undefined {
  try {
    // Linux: its first number is the CPU time of the thread in nanoseconds, and the first thread has the number of the process.
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    const buffer = Buffer.alloc(64)
    return () => Number.parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)), 10) / 1e6
  } catch {
    return undefined
  }
}
