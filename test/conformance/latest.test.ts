// GET /prices/{feedId}/latest: interface 4.5 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, KEY, type Price, typesOf } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

describeHosts('GET /prices/{feedId}/latest', start => {
  const host = start()

  it('default (4.5)', async () => {
    expect(typesOf(await ask<Price>(host, '/prices/BTCUSD/latest'))).toEqual({
      feedId: 'string',
      price: 'integer',
      ts: 'integer',
      expo: 'integer',
      signature: 'string',
      recoveryId: 'integer',
    })
  })

  it('behavior: price is scaled by expo (2.1)', async () => {
    for (const [id, low, high] of [
      ['BTCUSD', 50_000, 250_000],
      ['EURUSD', 0.8, 1.6],
      ['USDCUSD', 0.97, 1.03],
    ] as const) {
      const { price, expo } = await ask<Price>(host, `/prices/${id}/latest`)
      expect(price * 10 ** expo).toBeGreaterThan(low)
      expect(price * 10 ** expo).toBeLessThan(high)
    }
  })

  it('behavior: the id is accepted in any case and returned as in the catalogue', async () => {
    const reply = await ask<Price>(host, '/prices/BTCUSD/latest')
    expect(reply.feedId).toBe('BTCUSD')
    for (const id of ['btcusd', 'BtcUsd', '%42TCUSD']) expect(await ask(host, `/prices/${id}/latest`)).toEqual(reply)
  })

  it('error: an unknown feed', async () => {
    const { error, message } = await askError(host, '/prices/NOUSD/latest', 404)
    expect(error).toBe('unknown_feed')
    expect(message).toContain('NOUSD')
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
