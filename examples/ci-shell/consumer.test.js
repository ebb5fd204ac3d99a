// The consumer's own tests. They know the mock only by four environment variables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closes, latestPrice } from './consumer.js'

const service = {
  baseUrl: process.env.PRICE_FEED_BASE_URL,
  historyUrl: process.env.PRICE_FEED_HISTORY_URL,
  apiKey: process.env.PRICE_FEED_API_KEY,
  signer: process.env.PRICE_FEED_SIGNER,
}

test('a price is signed, fresh and the same on every machine', async () => {
  assert.equal(await latestPrice('BTCUSD', service), 113_943.22)
})

test('the last candle closes at the latest price', async () => {
  const prices = await closes('BTCUSD', '1h', service)
  assert.equal(prices.at(-1), await latestPrice('BTCUSD', service))
})

test('a price signed by another key is rejected', async () => {
  const signer = '0x00000000000000000000000000000000000000aa'
  await assert.rejects(latestPrice('BTCUSD', { ...service, signer }), { code: 'SIGNATURE_MISMATCH' })
})

test('an old price is rejected', async () => {
  const baseUrl = `${service.baseUrl}/scenario/stale-btc`
  await assert.rejects(latestPrice('BTCUSD', { ...service, baseUrl }), { code: 'PRICE_REJECTED' })
})

test('a price of another feed, and one without the time of the service, are rejected', async t => {
  const { fetch } = globalThis
  const { mock } = t.mock.method(globalThis, 'fetch', (url, init) => fetch(url.replace('ETHUSD', 'BTCUSD'), init))
  await assert.rejects(latestPrice('ETHUSD', service), { code: 'PRICE_REJECTED' })
  mock.mockImplementation(async (url, init) => new Response((await fetch(url, init)).body))
  await assert.rejects(latestPrice('BTCUSD', service), { code: 'OPTIONS_INVALID' })
})

test('the price is the one that was verified, also in a reply of another form', async t => {
  const { fetch } = globalThis
  t.mock.method(globalThis, 'fetch', (_, init) => fetch(`${service.baseUrl}/prices/batch?feedIds=BTCUSD`, init))
  assert.equal(await latestPrice('BTCUSD', service), 113_943.22)
})

test('a wrong API key and an unknown feed are errors', async () => {
  await assert.rejects(latestPrice('BTCUSD', { ...service, apiKey: 'wrong' }), { message: 'BTCUSD: 401' })
  await assert.rejects(latestPrice('NOPEUSD', service), { message: 'NOPEUSD: 404' })
})
