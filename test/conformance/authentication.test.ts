// The API key: interface 5 and the 401 of 7.
import { expect, it } from 'vitest'
import { ask, askError, KEY } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'

const PROTECTED = [
  '/prices/batch?feedIds=BTCUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=5',
  '/prices/evm/crypto?feedIds=BTCUSD',
  '/prices/BTCUSD/latest',
]

describeHosts('the API key', start => {
  const host = start()

  it.each(PROTECTED)('default: the key itself is the value of Authorization (5): %s', async path => {
    expect((await host.request(path, { headers: { Authorization: 'test-api-key' } })).status).toBe(200)
  })

  it.each(PROTECTED)('error: 401 without a key (5, 7): %s', async path => {
    const { error, message } = await askError(host, path, 401, {})
    expect(error).toBe('unauthorized')
    expect(message).toContain('Authorization')
  })

  it.each(PROTECTED)('error: 401 with a wrong key (5, 7): %s', async path => {
    expect((await askError(host, path, 401, { authorization: 'wrong' })).error).toBe('unauthorized')
  })

  it('error: 401 for several values, also with a valid key among them', async () => {
    const { message } = await askError(host, PROTECTED[0]!, 401, { authorization: 'test-api-key, test-api-key' })
    expect(message).toContain('several values')
  })

  it('error: a key in another place is ignored', async () => {
    await askError(host, PROTECTED[0]!, 401, { 'x-api-key': 'test-api-key' })
    await askError(host, `${PROTECTED[0]}&Authorization=test-api-key&apiKey=test-api-key`, 401, {})
  })

  it('behavior: blanks around the key are ignored', async () => {
    expect((await host.request(PROTECTED[0]!, { headers: { authorization: ' test-api-key ' } })).status).toBe(200)
  })

  it('behavior: replies do not depend on the key', async () => {
    const host = start({ apiKeys: ['one', 'test-api-key'] })
    const { body } = await host.request(PROTECTED[3]!, { headers: { authorization: 'one' } })
    expect(await ask(host, PROTECTED[3]!)).toEqual(JSON.parse(body))
    expect((await host.request(PROTECTED[3]!, { headers: KEY })).body).toBe(body)
  })
})
