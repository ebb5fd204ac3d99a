// Delays keep no process alive: neither after the caller left nor after the server stopped.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'

const SERVER = fileURLToPath(new URL('../../dist/hosts/node/server.js', import.meta.url))

const FAULTS = [
  { fault: 'reply/latency', options: { ms: 600_000 } },
  { fault: 'wire/timeout' },
  { fault: 'wire/timeout', options: { closeAfterMs: 600_000 } },
  { fault: 'wire/dribble', options: { everyMs: 60_000 } },
]

/**
 * A program that has a server for each fault, sends it three requests on one connection, hangs up while all three wait, stops it,
 * and has to end by itself.
 */
const PROGRAM = `
  import { connect } from 'node:net'
  import { startServer } from ${JSON.stringify(SERVER)}
  for (const fault of ${JSON.stringify(FAULTS)}) {
    let asked = 0
    let leave
    const all = new Promise(resolve => (leave = resolve))
    const onExchange = () => { if (++asked === 3) leave() }
    const server = await startServer({ port: 0, onExchange, scenario: { faults: [fault] } })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /prices/BTCUSD/latest HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'.repeat(3))
    await all
    socket.destroy()
    await server.stop()
    console.log(fault.fault)
  }
`

it('behavior: latency, silence and a slow body end with the server', () => {
  expect(inject('buildProblem')).toBe('')
  const options = { encoding: 'utf8', timeout: 30_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], options)
  const stopped = FAULTS.map(({ fault }) => `${fault}\n`).join('')
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: stopped, stderr: '' })
})
