import { describe, expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { describeFault } from '../../../test/support/request-faults.js'
import { exchange, firstOf, LATEST, open, requestOf, serveFaults, TRANSPORTS } from '../../../test/support/wire.js'

describeFault('wire/reset', {
  effect({ wire }) {
    expect(wire).toEqual({ status: 0, headers: {}, body: '', error: 'fetch failed', faults: ['wire/reset'] })
  },
})

describe.each(TRANSPORTS)('wire/reset on a socket of %s', transport => {
  const serve = serveFaults(transport)

  it.each(['GET', 'HEAD'])('behavior: %s is reset before the first byte of the answer', async method => {
    const { address, request, url } = await serve([{ fault: 'wire/reset' }])
    expect(await exchange(address, requestOf(LATEST, method))).toEqual({ received: '', how: 'ECONNRESET' })
    await expect(request(LATEST, { method, headers: KEY })).rejects.toThrow(
      /No whole reply .*"kind":"nothing","error":"ECONNRESET"/,
    )
    await expect(fetch(url + LATEST, { method, headers: KEY })).rejects.toThrow(new TypeError('fetch failed'))
  })

  it.each([0, 20])('behavior: of two pipelined whose second is reset, the first comes whole after %i ms', async ms => {
    const late = { fault: 'reply/latency', requests: '1', options: { ms } }
    const { address } = await serve([{ fault: 'wire/reset', requests: '2' }, late])
    const { received } = await exchange(address, requestOf() + requestOf())
    const { length, body, rest } = firstOf(received)
    expect([body.length, rest]).toEqual([length, ''])
    expect(JSON.parse(body).feedId).toBe('BTCUSD')
  })

  it('behavior: other connections stay open, and a new connection works', async () => {
    const { address, request } = await serve([{ fault: 'wire/reset', requests: '2' }])
    const other = open(address, requestOf())
    await other.until(received => received.endsWith('}'))
    expect((await exchange(address, requestOf())).how).toBe('ECONNRESET')
    other.socket.write(requestOf())
    await other.until(received => received.split('"BTCUSD"').length === 3)
    expect((await request(LATEST, { headers: KEY })).status).toBe(200)
    other.socket.destroy()
  })

  it('behavior: the reset follows the delay', async () => {
    const { address, server } = await serve([{ fault: 'wire/reset' }, { fault: 'reply/latency', options: { ms: 20 } }])
    expect((await exchange(address, requestOf())).how).toBe('ECONNRESET')
    const [entry] = server.mock.sessions.default.journal.entries()
    expect(entry).toMatchObject({ status: 0, faults: ['wire/reset', 'reply/latency'] })
    expect(entry!.durationMs).toBeGreaterThanOrEqual(20)
  })
})
