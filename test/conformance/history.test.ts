// GET /prices/queryHistory: interface 4.3 and 2.1.
import { expect, it } from 'vitest'
import { ask, type History } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

const history = (feedIds: string, minutes: number | string): string =>
  `/prices/queryHistory?feedIds=${feedIds}&minutes=${minutes}`

describeHosts('GET /prices/queryHistory', start => {
  const host = start()

  it('behavior: keys are spelled as requested, feedId as in the catalogue (4.3)', async () => {
    const reply = await ask<History>(host, history('btcUSD,ETHUSD', 5))
    expect(Object.keys(reply)).toEqual(['btcUSD', 'ETHUSD'])
    expect(reply.btcUSD!.high.feedId).toBe('BTCUSD')
    expect(reply.btcUSD!.low.feedId).toBe('BTCUSD')
  })
})
