// Loaded before a server that is measured: it reports the usage of the process to its parent on request.
import { threadCpuMs } from './thread-clock.js'

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMicros: user + system, threadMs: threadCpuMs(), rss: process.memoryUsage.rss() })
})
