import { describe, expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { describeFault } from '../../../test/support/request-faults.js'
import {
  exchange,
  firstOf,
  HEAD_END,
  LATEST,
  open,
  requestOf,
  serveFaults,
  TRANSPORTS,
} from '../../../test/support/wire.js'

describeFault('wire/truncate', {
  refused: { fraction: [-0.1, 1, '0.5'] },
  effect({ wire, calm }) {
    // The head announces the whole body; reading it fails.
    expect([wire.status, wire.error]).toEqual([200, 'terminated'])
    expect(wire.headers['content-length']).toBe(String(calm.body.length))
  },
})

describe.each(TRANSPORTS)('wire/truncate on a socket of %s', transport => {
  const serve = serveFaults(transport)

  it.each([0, 0.5, 0.999])('args: fraction %s of the body arrives, then the connection is closed', async fraction => {
    const { address, request, url } = await serve([{ fault: 'wire/truncate', options: { fraction } }])
    const { received, how } = await exchange(address, requestOf())
    const { length, body } = firstOf(received)
    expect([how, body.length]).toEqual(['end', Math.floor(length * fraction)])
    expect(received).toContain('faults=("wire/truncate")')
    await expect(request(LATEST, { headers: KEY })).rejects.toThrow(
      /No whole reply .*"kind":"broken","error":"ECONNRESET"/,
    )
    const response = await fetch(url + LATEST, { headers: KEY })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(new TypeError('terminated'))
  })

  it.each([0, 20])('behavior: of a pipelined pair whose second is cut, the first comes whole after %i ms', async ms => {
    const late = { fault: 'reply/latency', requests: '1', options: { ms } }
    const { address } = await serve([{ fault: 'wire/truncate', requests: '2' }, late])
    const { received, how } = await exchange(address, requestOf() + requestOf())
    const { body, rest } = firstOf(received)
    expect(JSON.parse(body).feedId).toBe('BTCUSD')
    const second = firstOf(rest)
    expect(second.body).toBe(body.slice(0, Math.floor(second.length / 2)))
    expect(how).toBe('end')
  })

  it('behavior: HEAD is not truncated', async () => {
    const { address } = await serve([{ fault: 'wire/truncate' }])
    const { socket, until } = open(address, requestOf(LATEST, 'HEAD'))
    expect(firstOf(await until(received => received.endsWith(HEAD_END))).body).toBe('')
    socket.destroy()
  })

  it('behavior: an empty body arrives complete', async () => {
    const { request } = await serve([{ fault: 'reply/empty-body' }, { fault: 'wire/truncate' }])
    expect(await request(LATEST, { headers: KEY })).toMatchObject({ status: 200, body: '' })
  })
})
