// Loaded before a server that is measured: it reports the usage of the process to its parent on request.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMicros: user + system, rss: process.memoryUsage.rss() })
})
