// The header names the faults that were applied to a reply, on errors as on prices, so that simulated errors are recognisable.
import { expect, it } from 'vitest'
import { expectActed, expectCalm, pairOf, targetOf } from '../support/request-faults.js'

it('behavior: one in the place of a real error names its fault, and the other faults that were applied', async () => {
  const { ask } = pairOf([
    { fault: 'reply/status', options: { status: 429 } },
    { fault: 'reply/extra-field' },
    { fault: 'reply/latency', options: { ms: 1 } },
  ])
  const names = ['reply/status', 'reply/extra-field', 'reply/latency']
  for (const pair of [await ask(targetOf('latest'), { headers: {} }), await ask(targetOf('latest', ['NOPEUSD']))]) {
    expectActed(pair, names)
    expect(pair.wire.status).toBe(429)
  }
})

it('behavior: an unknown feed beside others names no faults of prices', async () => {
  const faults = ['tick/ts-skew', 'signature/bit-flip'].map(fault => ({ fault }))
  for (const endpoint of ['batch', 'history', 'evm'] as const)
    expectCalm(await pairOf(faults).ask(targetOf(endpoint, ['BTCUSD', 'NOPEUSD', 'ETHUSD'])), endpoint)
})
