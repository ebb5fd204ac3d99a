// GET /prices/batch: interface 4.2 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, type Batch, type Price } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

const batch = (feedIds: string): string => `/prices/batch?feedIds=${feedIds}`

describeHosts('GET /prices/batch', start => {
  const host = start()

  it('behavior: a batch of one carries the signature of the single price', async () => {
    const { feedId, price, expo, ts, signature, recoveryId } = await ask<Price>(host, '/prices/BTCUSD/latest')
    const reply = await ask<Batch>(host, batch('BTCUSD'))
    expect(reply).toEqual({ prices: [{ feedId, price, expo, ts }], signature, recoveryId })
  })

  it('behavior: prices are in the order of the request, with the values of latest', async () => {
    const { prices } = await ask<Batch>(host, batch('SOLUSD,BTCUSD,EURUSD'))
    expect(prices.map(({ feedId }) => feedId)).toEqual(['SOLUSD', 'BTCUSD', 'EURUSD'])
    for (const price of prices) expect(await ask(host, `/prices/${price.feedId}/latest`)).toMatchObject(price)
  })

  it('error: one unknown feed fails the whole request and is in the message', async () => {
    const { error, message } = await askError(host, batch('BTCUSD,NOUSD,ETHUSD,nixusd'), 404)
    expect(error).toBe('unknown_feed')
    expect(message).toContain('"NOUSD", "nixusd"')
    expect(message).not.toContain('BTCUSD')
  })
})
