// GET /prices/evm/crypto: interface 4.4 and 2.1.
import { expect, it } from 'vitest'
import { ask, type Evm, type Price } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

const evm = (feedIds: string): string => `/prices/evm/crypto?feedIds=${feedIds}`

describeHosts('GET /prices/evm/crypto', start => {
  const host = start()

  it('behavior: each price has its own signature, independent of the others (4.4)', async () => {
    const { prices } = await ask<Evm>(host, evm('BTCUSD,ETHUSD'))
    expect(prices[0]!.signature).not.toBe(prices[1]!.signature)
    expect((await ask<Evm>(host, evm('ETHUSD'))).prices[0]).toEqual(prices[1])
  })

  it('behavior: prices are in the order of the request, with the values of latest', async () => {
    const { prices } = await ask<Evm>(host, evm('SOLUSD,BTCUSD'))
    expect(prices.map(({ feedId }) => feedId)).toEqual(['SOLUSD', 'BTCUSD'])
    for (const { feedId, price, ts, expo } of prices)
      expect(await ask<Price>(host, `/prices/${feedId}/latest`)).toMatchObject({ feedId, price, ts, expo })
  })
})
