// GET /prices/queryHistory: interface 4.3 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, type History } from '../support/ask.js'
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

  it('behavior: of duplicates the first spelling is kept', async () => {
    expect(Object.keys(await ask<History>(host, history('btcusd,BTCUSD,ETHUSD', 5)))).toEqual(['btcusd', 'ETHUSD'])
  })

  it.each(['queryhistory', 'QUERYHISTORY', 'QueryHistory'])(
    'behavior: the path is matched in any case: %s',
    async name => {
      expect(await ask(host, `/prices/${name}?feedIds=BTCUSD&minutes=5`)).toEqual(await ask(host, history('BTCUSD', 5)))
    },
  )

  it.each([
    ['feedIds is missing', '/prices/queryHistory?minutes=5'],
    ['feedIds is empty', '/prices/queryHistory?feedIds=&minutes=5'],
    ['feedIds is given twice', '/prices/queryHistory?feedIds=BTCUSD&feedIds=BTCUSD&minutes=5'],
    ['minutes is missing', '/prices/queryHistory?feedIds=BTCUSD'],
    ['minutes is empty', '/prices/queryHistory?feedIds=BTCUSD&minutes='],
    ['minutes is given twice', '/prices/queryHistory?feedIds=BTCUSD&minutes=5&minutes=5'],
  ])('error: %s', async (_title, path) => {
    expect((await askError(host, path, 400)).error).toBe('bad_request')
  })

  it.each(['0', '-5', '%2B5', '+5', '05', '5.0', '1e3', '0x5', '5%20', 'five', '525601', '99999999999999999999'])(
    'error: minutes=%s',
    async minutes => {
      expect((await askError(host, history('BTCUSD', minutes), 400)).message).toContain('525600')
    },
  )

  it('error: an unknown feed fails the whole request and is in the message', async () => {
    expect((await askError(host, history('BTCUSD,NOUSD', 5), 404)).message).toContain('NOUSD')
  })
})
