// GET /prices/batch: interface 4.2 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, type Batch, type Price, typesOf } from '../support/ask.js'
import { describeHosts, NOW } from '../support/hosts.js'

const batch = (feedIds: string): string => `/prices/batch?feedIds=${feedIds}`

describeHosts('GET /prices/batch', start => {
  const host = start()

  it('default (4.2)', async () => {
    const reply = await ask<Batch>(host, batch('BTCUSD,ETHUSD'))
    expect(typesOf(reply)).toEqual({ prices: 'array', signature: 'string', recoveryId: 'integer' })
  })

  it('behavior: a price has the fields of the table and no signature of its own (4.2)', async () => {
    for (const price of (await ask<Batch>(host, batch('BTCUSD,EURUSD,USDCUSD'))).prices)
      expect(typesOf(price)).toEqual({ feedId: 'string', price: 'integer', expo: 'integer', ts: 'integer' })
  })

  it('behavior: one signature for the whole batch (4.2)', async () => {
    const { signature, recoveryId } = await ask<Batch>(host, batch('BTCUSD,ETHUSD,SOLUSD'))
    expect(signature).toMatch(/^[0-9a-f]{128}$/)
    expect([0, 1]).toContain(recoveryId)
    expect((await ask<Batch>(host, batch('ETHUSD,BTCUSD,SOLUSD'))).signature).not.toBe(signature)
  })

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

  it('behavior: ts is in seconds and not in the future (2.1)', async () => {
    const { prices } = await ask<Batch>(host, batch('BTCUSD,ETHUSD,EURUSD,USDCUSD,FILUSD'))
    for (const { ts } of prices) {
      expect(ts).toBeLessThanOrEqual(NOW)
      expect(ts).toBeGreaterThan(NOW - 60)
    }
  })

  it('behavior: ids are accepted in any case, feedId has the spelling of the catalogue', async () => {
    expect(await ask(host, batch('btcusd,EthUsd'))).toEqual(await ask(host, batch('BTCUSD,ETHUSD')))
  })

  it('behavior: duplicates are dropped, in any case', async () => {
    expect(await ask(host, batch('ETHUSD,BTCUSD,ethusd,BTCUSD'))).toEqual(await ask(host, batch('ETHUSD,BTCUSD')))
  })

  it('behavior: empty items between commas are skipped', async () => {
    expect(await ask(host, batch(',ETHUSD,,BTCUSD,'))).toEqual(await ask(host, batch('ETHUSD,BTCUSD')))
  })

  it('behavior: escaped commas are separators', async () => {
    expect(await ask(host, batch('ETHUSD%2CBTCUSD'))).toEqual(await ask(host, batch('ETHUSD,BTCUSD')))
  })

  it('behavior: other parameters are ignored', async () => {
    expect(await ask(host, `${batch('BTCUSD')}&minutes=x&feedids=ETHUSD`)).toEqual(await ask(host, batch('BTCUSD')))
  })

  it.each([
    ['missing', '/prices/batch'],
    ['empty', '/prices/batch?feedIds='],
    ['commas alone', '/prices/batch?feedIds=,,'],
    ['given twice', '/prices/batch?feedIds=BTCUSD&feedIds=ETHUSD'],
    ['another name', '/prices/batch?feedids=BTCUSD'],
  ])('error: feedIds is %s', async (_title, path) => {
    expect((await askError(host, path, 400)).error).toBe('bad_request')
  })

  it('error: one unknown feed fails the whole request and is in the message', async () => {
    const { error, message } = await askError(host, batch('BTCUSD,NOUSD,ETHUSD,nixusd'), 404)
    expect(error).toBe('unknown_feed')
    expect(message).toContain('"NOUSD", "nixusd"')
    expect(message).not.toContain('BTCUSD')
  })
})
