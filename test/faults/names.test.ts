// The header names the faults that were applied to a reply, on errors as on prices, so that simulated errors are recognisable.
import { describe, expect, it } from 'vitest'
import { expectActed, expectCalm, pairOf, SIGNED, targetOf } from '../support/request-faults.js'

describe('simulated errors', () => {
  it.each([401, 404, 429, 503])('behavior: %i names its fault, on every endpoint', async status => {
    const { ask } = pairOf([{ fault: 'reply/status', options: { status } }])
    for (const endpoint of [...SIGNED, 'candles'] as const) {
      const pair = await ask(targetOf(endpoint))
      expectActed(pair, ['reply/status'])
      expect(pair.wire.status).toBe(status)
    }
  })

  it('behavior: one in the place of a real error names its fault, and the other faults that were applied', async () => {
    const { ask } = pairOf([
      { fault: 'reply/status' },
      { fault: 'reply/extra-field' },
      { fault: 'reply/latency', options: { ms: 1 } },
    ])
    const names = ['reply/status', 'reply/extra-field', 'reply/latency']
    for (const pair of [await ask(targetOf('latest'), { headers: {} }), await ask(targetOf('latest', ['NOPEUSD']))])
      expectActed(pair, names)
  })
})

describe('real errors', () => {
  const faults = ['tick/ts-skew', 'signature/bit-flip'].map(fault => ({ fault }))

  it('behavior: a missing key names no faults of prices', async () => {
    for (const endpoint of SIGNED) expectCalm(await pairOf(faults).ask(targetOf(endpoint), { headers: {} }), endpoint)
  })

  it('behavior: nor is an unknown feed beside others', async () => {
    for (const endpoint of ['batch', 'history', 'evm'] as const)
      expectCalm(await pairOf(faults).ask(targetOf(endpoint, ['BTCUSD', 'NOPEUSD', 'ETHUSD'])), endpoint)
  })
})

it.each(['reply/status', 'reply/html-error-page', 'reply/empty-body'])(
  'behavior: prices that are not sent: behind %s',
  async fault => expectActed(await pairOf([{ fault: 'tick/zero' }, { fault }]).ask(targetOf('latest')), [fault]),
)
