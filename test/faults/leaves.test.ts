// Delays keep no process alive: neither after the caller left nor after the server stopped.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'

const SERVER = fileURLToPath(new URL('../../dist/hosts/node/server.js', import.meta.url))

/** A program that sends three requests on one connection, hangs up while all three wait, stops the server, and has to end by itself. */
const program = (fault: object): string => `
  import { once } from 'node:events'
  import { connect } from 'node:net'
  import { startServer } from ${JSON.stringify(SERVER)}
  let asked = 0
  let leave
  const all = new Promise(resolve => (leave = resolve))
  const onExchange = () => { if (++asked === 3) leave() }
  const server = await startServer({ port: 0, onExchange, scenario: { faults: [${JSON.stringify(fault)}] } })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /prices/BTCUSD/latest HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'.repeat(3))
  await all
  socket.destroy()
  await server.stop()
  process.stdout.write('stopped')
`

it.each([
  { fault: 'reply/latency', options: { ms: 600_000 } },
  { fault: 'wire/timeout' },
  { fault: 'wire/timeout', options: { closeAfterMs: 600_000 } },
  { fault: 'wire/dribble', options: { everyMs: 60_000 } },
])('behavior: $fault $options ends with the server', fault => {
  expect(inject('buildProblem')).toBe('')
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program(fault)],
    {
      encoding: 'utf8',
      timeout: 30_000,
    },
  )
  expect({ status, signal, stdout, stderr }).toEqual({ status: 0, signal: null, stdout: 'stopped', stderr: '' })
})
