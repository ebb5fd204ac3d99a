// The relay keeps a contract on anvil up to date, and anvil and the mock on one clock, in both directions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMock } from 'price-feed-mock'
import { syncClock, toCalldata } from 'price-feed-mock/chain'
import { createClient } from 'price-feed-mock/client'
import { createFetch } from 'price-feed-mock/fetch'
import { testSigners } from 'price-feed-mock/verify'
import { startChain, startRelay } from './chain.js'

const SIGNER = testSigners()[0].address
const AT = 1_753_354_105
/** Of the names of feeds, bytes32 is what the contract sees. */
const ETH = `0x${Buffer.from('ETHUSD').toString('hex').padStart(64, '0')}`

test('in process: syncClock and toCalldata', { timeout: 60_000 }, async t => {
  const chain = await startChain(SIGNER, AT - 10)
  t.after(chain.stop)
  const mock = createMock({ clock: { at: AT, frozen: true } })
  const feed = createClient({ baseUrl: 'http://mock', apiKey: 'test-api-key', fetch: createFetch(mock) })
  await syncClock(mock.clock, chain.client)
  const { prices } = await feed.evm({ feedIds: ['ETHUSD'] })
  await chain.client.sendTransaction({ account: chain.account, to: chain.address, data: toCalldata(prices[0]) })
  const [price, ts, expo] = await chain.client.readContract({ ...chain, functionName: 'prices', args: [ETH] })
  assert.deepEqual({ price, ts, expo }, { price: BigInt(prices[0].price), ts: prices[0].ts, expo: -8 })
})

test('the mock leads: advancing a session warps the chain', { timeout: 60_000 }, async t => {
  const chain = await startChain(SIGNER, AT - 10)
  t.after(chain.stop)
  const clock = ['--at', String(AT), '--frozen', '--sync-clock']
  const relay = await startRelay(chain, '--feeds', 'BTCUSD,ETHUSD', ...clock)
  t.after(relay.stop)
  const first = await chain.nextUpdate(({ feedId }) => feedId === ETH)
  assert.equal(first.blockTime, AT)
  const session = `${relay.found}/_mock/sessions/default`
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ clock: { advance: '1h' } })
  assert.equal((await fetch(session, { method: 'PATCH', headers, body })).status, 200)
  const second = await chain.nextUpdate(({ feedId, ts }) => feedId === ETH && ts > AT)
  assert.equal(second.blockTime, AT + 3600)
  assert.ok(second.ts > AT + 3500 && second.ts <= AT + 3600)
})

test('the chain leads: warping it moves the mock', { timeout: 60_000 }, async t => {
  const chain = await startChain(SIGNER, AT)
  t.after(chain.stop)
  const relay = await startRelay(chain, '--feeds', 'ETHUSD', '--at', '0', '--sync-clock', '--clock', 'chain')
  t.after(relay.stop)
  await chain.nextUpdate(() => true)
  await chain.client.setNextBlockTimestamp({ timestamp: BigInt(AT + 7200) })
  await chain.client.mine({ blocks: 1 })
  const { ts } = await chain.nextUpdate(update => update.ts > AT + 3600)
  assert.ok(ts > AT + 7100 && ts <= AT + 7200)
  const { clock } = await (await fetch(`${relay.found}/_mock/sessions/default`)).json()
  assert.ok(clock.now >= AT + 7200)
})
