// A server in a process of its own, so that its CPU time and memory are its own. The parent speaks to it over IPC.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepHeapSmall } from '../src/cli/small-heap.js'
import { startServer } from '../src/hosts/node/server.js'

/** What the parent asks for: a mock, or a bare server that writes one response whatever it is asked. */
export type Start = { kind: 'mock'; syntheticFeeds?: number } | { kind: 'bare'; headers: string[]; body: string }

/** What the child tells: where it listens, or what it has used so far. */
export type Report = { url: string } | { cpuMicros: number; rss: number }

const tell = (report: Report): boolean => process.send!(report)

// As the program does.
keepHeapSmall()

async function start(what: Start): Promise<string> {
  if (what.kind === 'mock') {
    // As the program runs with its log off.
    const clock = { at: '2025-07-24T10:48:25Z' }
    const { url } = await startServer({ port: 0, seed: '42', clock, syntheticFeeds: what.syntheticFeeds })
    return url
  }
  const body = Buffer.from(what.body)
  const server = createServer((_request, response) => {
    response.sendDate = false
    response.writeHead(200, what.headers)
    response.end(body)
  })
  server.keepAliveTimeout = 75_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

process.on('message', async (message: Start | 'report') => {
  if (message !== 'report') return void tell({ url: await start(message) })
  const { user, system } = process.cpuUsage()
  tell({ cpuMicros: user + system, rss: process.memoryUsage().rss })
})
process.on('disconnect', () => process.exit(0))
