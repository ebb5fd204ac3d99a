import { expect, it } from 'vitest'
import { blocksOf, expectForged, expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

const NEXT: Readonly<Record<string, string>> = nextFeeds()

function nextFeeds(): Record<string, string> {
  const { feeds } = mockWith([]).mock.sessions.default.runtime.market
  return Object.fromEntries(feeds.map(({ id }, i) => [id, feeds[(i + 1) % feeds.length]!.id]))
}

describeFault('signature/other-feed', {
  effect({ wire, calm }) {
    // The signature is good, so only the id gives it away.
    expectGenuineOfOthers(wire.body)
    expect(pricesOf(wire.body).map(({ feedId }) => feedId)).toEqual(
      pricesOf(calm.body).map(({ feedId }) => NEXT[feedId]),
    )
  },
})

/** Genuine blocks, one by one: the verifier refuses a history under another key. */
function expectGenuineOfOthers(body: string): void {
  for (const { form, prices, signature, recoveryId } of blocksOf(body))
    expectGenuine(
      JSON.stringify(form === 'evm' ? { prices: [{ ...prices[0], signature }] } : { prices, signature, recoveryId }),
    )
}

it('behavior: it is the price that the other feed has, and the last feed gets that of the first', async () => {
  const last = Object.keys(NEXT).at(-1)!
  for (const id of ['BTCUSD', last]) {
    const other = mockWith([{ fault: 'signature/other-feed' }])
    const { feedId, price } = pricesOf((await other.ask(`/prices/${id}/latest`)).body)[0]!
    expect(feedId).toBe(NEXT[id])
    const calm = pricesOf((await mockWith([]).ask(`/prices/queryHistory?feedIds=${feedId}&minutes=1`)).body)
    const [high, low] = calm.map(one => Number(one.price)) as [number, number]
    expect(Number(price)).toBeGreaterThanOrEqual(low)
    expect(Number(price)).toBeLessThanOrEqual(high)
  }
})

it('args: relabel: the id is the one that was asked for, so the signature is not valid', async () => {
  const { ask } = mockWith([{ fault: 'signature/other-feed', options: { relabel: true } }])
  for (const endpoint of ['latest', 'batch', 'evm'] as const) {
    const { body } = await ask(targetOf(endpoint))
    expectForged(body)
    expect(pricesOf(body)[0]!.feedId).toBe('BTCUSD')
  }
})

it('behavior: a market of one feed has no other', async () => {
  const feeds = { extends: 'none' as const, feeds: [{ id: 'ONEUSD', base: 5, drivers: { ONEUSD: 0.5 } }] }
  const { ask } = mockWith([{ fault: 'signature/other-feed' }], { feeds })
  expect((await ask('/prices/ONEUSD/latest')).faults).toEqual([])
})
