import { describe, expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { untilNoSockets } from '../../../test/support/raw.js'
import { describeFault, mockWith } from '../../../test/support/request-faults.js'
import { exchange, LATEST, open, requestOf, serveFaults, TRANSPORTS } from '../../../test/support/wire.js'
import { createFetch } from '../../hosts/fetch.js'
import { timeout } from './timeout.js'

describeFault('wire/timeout', {
  options: { closeAfterMs: 1 },
  effect({ wire }) {
    expect(wire).toEqual({ status: 0, headers: {}, body: '', error: 'fetch failed', faults: ['wire/timeout'] })
  },
})

/** One endpoint hangs, the others answer. */
const HANGS = [{ fault: 'wire/timeout', endpoints: ['latest'] }]
const EVM = '/prices/evm/crypto?feedIds=BTCUSD'

describe.each(TRANSPORTS)('wire/timeout on a socket of %s', transport => {
  const serve = serveFaults(transport)

  it.each(['GET', 'HEAD'])(
    'default: %s gets no byte until the caller gives up; other callers are served',
    async method => {
      const { address, url, request } = await serve(HANGS)
      const waiting = open(address, requestOf(LATEST, method))
      const giveUp = new AbortController()
      const fetched = fetch(url + LATEST, { method, headers: KEY, signal: giveUp.signal })
      for (let i = 0; i < 3; i++) expect((await request(EVM, { headers: KEY })).status).toBe(200)
      expect(waiting.chunks).toEqual([])
      expect(waiting.socket.readyState).toBe('open')
      giveUp.abort()
      await expect(fetched).rejects.toThrow(/aborted/)
      waiting.socket.destroy()
    },
  )

  it.each(['destroy', 'end'] as const)('behavior: a caller that disconnects (%s) leaks no socket', async how => {
    const { address, stop } = await serve(HANGS)
    const connections = [requestOf(), requestOf(), requestOf(EVM) + requestOf() + requestOf(EVM)].map(sent =>
      open(address, sent),
    )
    await connections[2]!.until(received => received.endsWith('}'))
    for (const { socket } of connections) socket[how]()
    // The server is still running, so its end did not close the sockets.
    expect(await untilNoSockets()).toBe(true)
    await stop()
  })

  it.each(['GET', 'HEAD'])('args: closeAfterMs: the connection of a %s is closed without a byte', async method => {
    const { address, server } = await serve([{ fault: 'wire/timeout', options: { closeAfterMs: 20 } }])
    expect(await exchange(address, requestOf(LATEST, method))).toEqual({ received: '', how: 'end' })
    expect(server.mock.sessions.default.journal.entries()[0]!.durationMs).toBeGreaterThanOrEqual(20)
  })

  it('behavior: stopping the server closes waiting connections', async () => {
    const { address, request, stop } = await serve([
      ...HANGS,
      { fault: 'reply/latency', endpoints: ['batch'], options: { ms: 600_000 } },
    ])
    const waiting = [requestOf(), requestOf('/prices/batch?feedIds=BTCUSD')].map(sent => open(address, sent))
    await request(EVM, { headers: KEY })
    await stop()
    for (const { ended, chunks } of waiting) expect([await ended, chunks]).toEqual(['end', []])
  })
})

it.each(['GET', 'HEAD'])('behavior: in process: an aborted signal ends a %s with its reason', async method => {
  const { mock } = mockWith(HANGS)
  const giveUp = new AbortController()
  const fetched = createFetch(mock)(`http://mock${LATEST}`, { method, headers: KEY, signal: giveUp.signal })
  giveUp.abort(new Error('enough'))
  await expect(fetched).rejects.toThrow('enough')
  await expect(createFetch(mock)(`http://mock${LATEST}`, { signal: AbortSignal.timeout(5) })).rejects.toThrow(/timeout/)
})

it('behavior: a delay of the reply stays', () => {
  const reply = { kind: 'reply', status: 200, headers: [], body: '', delayMs: 7 } as const
  const outcome = timeout.apply(reply, { options: { closeAfterMs: 5 } } as never)
  expect(outcome).toEqual({ kind: 'timeout', delayMs: 7, closeAfterMs: 5 })
})
