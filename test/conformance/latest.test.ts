// GET /prices/{feedId}/latest: interface 4.5 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, KEY, type Price } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

describeHosts('GET /prices/{feedId}/latest', start => {
  const host = start()

  it('behavior: the id is accepted in any case and returned as in the catalogue', async () => {
    const reply = await ask<Price>(host, '/prices/BTCUSD/latest')
    expect(reply.feedId).toBe('BTCUSD')
    for (const id of ['btcusd', 'BtcUsd', '%42TCUSD']) expect(await ask(host, `/prices/${id}/latest`)).toEqual(reply)
  })

  it('error: several feeds', async () => {
    await askError(host, '/prices/BTCUSD,ETHUSD/latest', 404)
  })

  it('error: the message escapes an id with a control character', async () => {
    const { body } = await host.request('/prices/%00%E2%82%AC/latest', { headers: KEY })
    expect(body).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(body).message).toContain('\0€')
  })
})
