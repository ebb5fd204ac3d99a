// The consumer in program/ accepts calm prices, and rejects each fault of signatures and ticks by a check of its own.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createMock } from 'price-feed-mock'
import { syncClock } from 'price-feed-mock/chain'
import { createFetch } from 'price-feed-mock/fetch'
import { parseExact, testSigners } from 'price-feed-mock/verify'
import { createChain } from './chain.js'

const SIGNER = testSigners()[0].address
const NOW = '2025-07-24T10:48:25Z'

/** A mock, and a chain on its clock. */
async function start(signer = SIGNER) {
  const mock = createMock({ clock: { at: NOW, frozen: true } })
  const chain = await createChain({ signer, feedId: 'ETHUSD' })
  await syncClock(mock.clock, chain.svm)
  const fetch = createFetch(mock)
  /** A batch, with or without a fault. */
  const ask = async fault => {
    mock.setScenario({ title: 'test', faults: fault ? [{ requests: { every: 1 }, ...fault }] : [] })
    const reply = await fetch('http://mock/prices/batch?feedIds=BTCUSD,ETHUSD', {
      headers: { authorization: 'test-api-key' },
    })
    return reply.json()
  }
  return { mock, chain, ask }
}

test('a calm batch is accepted by the program and by the precompile, and its price is stored', async () => {
  const { chain, ask } = await start()
  const batch = await ask()
  assert.equal(await chain.consume(batch), 'ok')
  assert.equal(await chain.precompile(batch), 'ok')
  const { price, ts } = batch.prices.find(({ feedId }) => feedId === 'ETHUSD')
  assert.deepEqual(chain.stored(), { price: BigInt(price), ts })
})

/** Every fault that reaches the chain, with the error of the program. */
const REJECTED = {
  'signature/wrong-signer': 'WrongSigner',
  'signature/tampered-price': 'WrongSigner',
  'signature/tampered-ts': 'WrongSigner',
  'signature/wrong-recovery-id': 'WrongSigner',
  'signature/high-s': 'HighS',
  'signature/all-zero': 'NotRecovered',
  'signature/truncated': 'InvalidLength',
  'signature/0x-prefix': 'InvalidLength',
  'signature/replay': 'WrongSigner',
  'signature/batch-reordered': 'WrongSigner',
  'signature/batch-swapped': 'WrongSigner',
  'tick/ts-skew': 'Future',
  'tick/zero': 'NotPositive',
  'tick/negative': 'NotPositive',
  'tick/wrong-expo': 'WrongExpo',
  'tick/missing-feed': 'MissingFeed',
}
for (const [fault, error] of Object.entries(REJECTED))
  test(`${fault}: ${error}`, async () => {
    const { chain, ask } = await start()
    assert.equal(await chain.consume(await ask({ fault })), error)
    assert.equal(await chain.consume(await ask()), 'ok')
  })

test('signature/bit-flip: no key or another one', async () => {
  const { chain, ask } = await start()
  assert.match(await chain.consume(await ask({ fault: 'signature/bit-flip' })), /^(WrongSigner|NotRecovered)$/)
})

test('signature/other-feed: MissingFeed', async () => {
  const { chain, ask } = await start()
  assert.equal(await chain.consume(await ask({ fault: 'signature/other-feed', feeds: ['ETHUSD'] })), 'MissingFeed')
  assert.equal(await chain.consume(await ask()), 'ok')
})

test('tick/ts-backwards: Older', async () => {
  const { chain, ask } = await start()
  assert.equal(await chain.consume(await ask()), 'ok')
  assert.equal(await chain.consume(await ask({ fault: 'tick/ts-backwards' })), 'Older')
})

test('signature/batch-duplicate: the newest of both prices is stored', async () => {
  const { chain, ask } = await start()
  const batch = await ask({ fault: 'signature/batch-duplicate', feeds: ['ETHUSD'] })
  assert.equal(await chain.consume(batch), 'ok')
  const [newest, older] = batch.prices.filter(({ feedId }) => feedId === 'ETHUSD').map(({ ts }) => ts)
  assert.ok(newest > older)
  assert.equal(chain.stored().ts, newest)
})

test('prices at the limits of int64', async () => {
  const { chain } = await start()
  const { limits } = JSON.parse(readFileSync('node_modules/price-feed-mock/fixtures/format-vectors.json', 'utf8'))
  assert.ok(limits.length >= 7)
  for (const { title, price, batch, consumers } of limits) {
    const reply = parseExact(batch)
    if (consumers === 'out of range') {
      await assert.rejects(chain.consume(reply), { code: 'ERR_OUT_OF_RANGE' }, title)
      await assert.rejects(chain.precompile(reply), { code: 'RESPONSE_UNRECOGNISED' }, title)
      continue
    }
    const isAccepted = consumers === 'accepted'
    assert.equal(await chain.consume(reply), isAccepted ? 'ok' : 'NotPositive', title)
    assert.equal(await chain.precompile(reply), 'ok', title)
    if (isAccepted) assert.equal(chain.stored().price, BigInt(price))
  }
})

test('an old price: Stale, and a chain at its default time: Future', async () => {
  const { mock, chain, ask } = await start()
  const batch = await ask()
  mock.clock.advance('5m')
  await syncClock(mock.clock, chain.svm)
  assert.equal(await chain.consume(batch), 'Stale')
  const fresh = await createChain({ signer: SIGNER, feedId: 'ETHUSD' })
  assert.equal(await fresh.consume(batch), 'Future')
})

test('a signer that was never set', async () => {
  const { chain, ask } = await start(`0x${'0'.repeat(40)}`)
  assert.equal(await chain.consume(await ask()), 'SignerUnset')
})

test('the precompile compares with the address that it is given: take it from your configuration', async () => {
  const { chain, ask } = await start()
  const forged = await ask({ fault: 'signature/wrong-signer' })
  assert.match(await chain.precompile(forged), /InstructionErrorCustom \{ code: 2 \}/)
  assert.equal(await chain.precompile(forged, testSigners()[1].address), 'ok')
})
