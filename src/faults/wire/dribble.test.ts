import { describe, expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { untilNoSockets } from '../../../test/support/raw.js'
import { describeFault, mockWith } from '../../../test/support/request-faults.js'
import { firstOf, HEAD_END, LATEST, open, requestOf, serveFaults, TRANSPORTS } from '../../../test/support/wire.js'
import { createFetch } from '../../hosts/fetch.js'

describeFault('wire/dribble', {
  options: { pieces: 2, everyMs: 1 },
  paceOnly: true,
  effect({ wire, calm }) {
    expect([wire.status, wire.body]).toEqual([calm.status, calm.body])
  },
})

const CANDLES = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m'

describe.each(TRANSPORTS)('wire/dribble on a socket of %s', transport => {
  const serve = serveFaults(transport)

  it.each([LATEST, CANDLES])('behavior: %s comes in pieces and whole, on a connection that lives on', async target => {
    const { address, server, request } = await serve([
      { fault: 'wire/dribble', requests: '1', options: { pieces: 4, everyMs: 15 } },
    ])
    const { chunks, socket, until } = open(address, requestOf(target))
    const received = await until(text => text.includes(HEAD_END) && firstOf(text).body.length === firstOf(text).length)
    expect(chunks.length).toBeGreaterThan(1)
    expect(server.mock.sessions.default.journal.entries()[0]!.durationMs).toBeGreaterThanOrEqual(45)
    expect(firstOf(received).body).toBe((await request(target, { headers: KEY })).body)
    socket.write(requestOf(target))
    await until(text => text.length >= 2 * received.length - 100)
    socket.destroy()
  })

  it('args: more pieces than characters', async () => {
    const { request } = await serve([{ fault: 'wire/dribble', options: { pieces: 1000, everyMs: 1 } }])
    expect(JSON.parse((await request(LATEST, { headers: {} })).body).error).toBe('unauthorized')
  })

  it('behavior: HEAD and empty bodies arrive at once', async () => {
    const slow = { fault: 'wire/dribble', options: { everyMs: 60_000 } }
    const { request } = await serve([slow, { fault: 'reply/empty-body', endpoints: ['evm'] }])
    expect(await request(LATEST, { method: 'HEAD', headers: KEY })).toMatchObject({ status: 200, body: '' })
    expect(await request('/prices/evm/crypto?feedIds=BTCUSD', { headers: KEY })).toMatchObject({
      status: 200,
      body: '',
    })
  })

  it('behavior: a client that disconnects between two pieces leaks nothing', async () => {
    const { address, stop } = await serve([{ fault: 'wire/dribble', options: { pieces: 1000, everyMs: 5 } }])
    const { socket, until } = open(address, requestOf(CANDLES))
    await until(received => received.includes('"time"'))
    socket.destroy()
    expect(await untilNoSockets()).toBe(true)
    await stop()
  })
})

describe('wire/dribble in process', () => {
  it('args: pieces: the chunks that a stream reader receives', async () => {
    const { mock } = mockWith([{ fault: 'wire/dribble', requests: '1', options: { pieces: 7, everyMs: 1 } }])
    const fetch = createFetch(mock)
    const pieces: string[] = []
    const response = await fetch(`http://mock${LATEST}`, { headers: KEY })
    for await (const piece of response.body!) pieces.push(Buffer.from(piece).toString('latin1'))
    expect(pieces).toHaveLength(7)
    expect(pieces.join('')).toBe(await (await fetch(`http://mock${LATEST}`, { headers: KEY })).text())
  })

  it('behavior: an aborted signal ends the body between two pieces', async () => {
    const { mock } = mockWith([{ fault: 'wire/dribble', options: { everyMs: 60_000 } }])
    const giveUp = new AbortController()
    const response = await createFetch(mock)(`http://mock${LATEST}`, { headers: KEY, signal: giveUp.signal })
    const reader = response.body!.getReader()
    expect((await reader.read()).value!.length).toBeGreaterThan(0)
    const next = reader.read()
    giveUp.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })
})
