// Failures while a page runs, and the texts of the ticker: the same on every host.

import { expect } from 'vitest'
import type { State, Ticker } from './open-ticker.js'

interface Failure {
  readonly fault: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly state: State
  readonly says: string
  /** Whether no answer arrives, and so no header that names the fault. */
  readonly silent?: true
}

const UNTRUSTED = 'no trusted key signed it'

/** The faults of one feed in their order, each distinguishable from the one before. */
const FAILURES: readonly Failure[] = [
  { fault: 'market/stale', options: { age: '5m' }, state: 'stale', says: '5 min old' },
  { fault: 'reply/status', options: { status: 401 }, state: 'refused', says: '401: the API key was refused' },
  { fault: 'market/gap', state: 'gap', says: '404: unknown feed, or no price now' },
  { fault: 'signature/wrong-signer', state: 'forged', says: UNTRUSTED },
  { fault: 'signature/tampered-price', state: 'forged', says: UNTRUSTED },
  { fault: 'wire/reset', state: 'unreachable', says: 'the connection failed', silent: true },
  { fault: 'reply/malformed-json', state: 'failed', says: 'the answer holds no price' },
  { fault: 'wire/truncate', state: 'unreachable', says: 'the connection failed', silent: true },
  {
    fault: 'reply/rate-limit',
    options: { limit: 1, window: '1m' },
    state: 'failed',
    says: '429: asked too often, wait',
  },
]

/** Changes the scenario of the mock of the ticker. */
export type SetScenario = (scenario: { readonly faults: readonly unknown[] }) => unknown

/** Applies every failure to BTCUSD while ETHUSD stays fresh; in the end both are. */
export async function meetEveryFailure(
  { card, page, candles, picture }: Ticker,
  setScenario: SetScenario,
): Promise<void> {
  await card('BTCUSD', 'fresh')
  for (const { fault, options, state, says, silent } of FAILURES) {
    await setScenario({ faults: [{ fault, feeds: ['BTCUSD'], ...(options && { options }) }] })
    await card('BTCUSD', state, says, silent ? '' : fault)
    await card('ETHUSD', 'fresh')
  }
  await setScenario({ faults: [{ fault: 'series/null-values', options: { every: 10 } }] })
  await page.locator('.count', { hasText: '30 left out' }).waitFor()
  await setScenario({ faults: [{ fault: 'series/empty' }] })
  await page.locator('.notice', { hasText: 'the list holds none' }).waitFor()
  await setScenario({ faults: [] })
  await card('BTCUSD', 'fresh')
  expect(await candles()).toMatch(/300 candles$/)
  await picture('after-every-failure')
}
