// Writes tape.json: a calm price and its faulty twin for every signature and tick fault, as calldata, with the time of the chain.
import { writeFileSync } from 'node:fs'
import { createMock } from 'price-feed-mock'
import { toBytes32, toCalldata } from 'price-feed-mock/chain'
import { createFetch } from 'price-feed-mock/fetch'
import { testSigners } from 'price-feed-mock/verify'

const NOW = 1_753_354_105
const FEED = 'ETHUSD'
/** Left out: faults of batches, of the JSON text, and one that leaves out the price itself. */
const FAULTS = [
  ...['wrong-signer', 'tampered-price', 'tampered-ts', 'bit-flip', 'wrong-recovery-id', 'high-s', 'all-zero'],
  ...['truncated', 'evm-v-parity', 'replay'],
].map(name => `signature/${name}`)
const TICK_FAULTS = ['ts-skew', 'ts-backwards', 'zero', 'negative', 'wrong-expo', 'unsafe-integer'].map(
  name => `tick/${name}`,
)

const mock = createMock({ clock: { at: NOW, frozen: true } })
const fetch = createFetch(mock)

async function ask(feedId, fault) {
  mock.setScenario({ title: 'tape', faults: fault === undefined ? [] : [{ fault, requests: { every: 1 } }] })
  const reply = await fetch(`http://mock/prices/evm/crypto?feedIds=${feedId}`, {
    headers: { authorization: 'test-api-key' },
  })
  // The number of unsafe-integer is above 2^53: read as text, it stays exact.
  const exact = (await reply.text()).replace(/"price":(-?\d+)/, '"price":"$1"')
  const [price] = JSON.parse(exact).prices
  return { ...price, price: BigInt(price.price) }
}

const cases = {}
for (const fault of [...FAULTS, ...TICK_FAULTS]) cases[fault] = toCalldata(await ask(FEED, fault))
const good = await ask(FEED)
const tape = {
  now: NOW,
  signer: testSigners()[0].address,
  feedId: toBytes32(FEED),
  price: String(good.price),
  ts: good.ts,
  good: toCalldata(good),
  otherFeed: toCalldata(await ask('BTCUSD')),
  names: Object.keys(cases),
  calldata: Object.values(cases),
}
writeFileSync(new URL('tape.json', import.meta.url), `${JSON.stringify(tape, null, 2)}\n`)
