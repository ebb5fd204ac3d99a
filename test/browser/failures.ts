// What can go wrong while a page runs, and what the ticker then says: the same on every host.

import { expect } from 'vitest'
import type { State, Ticker } from './open-ticker.js'

interface Failure {
  readonly fault: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly state: State
  readonly says: RegExp
}

/** The faults of one feed, in the order in which a page meets them. */
const FAILURES: readonly Failure[] = [
  { fault: 'market/stale', options: { age: '5m' }, state: 'stale', says: /5 min( \d+ s)? old market\/stale$/ },
  {
    fault: 'reply/status',
    options: { status: 401 },
    state: 'refused',
    says: /401: the API key was refused reply\/status$/,
  },
  { fault: 'market/gap', state: 'gap', says: /404: unknown feed, or no price now market\/gap$/ },
  {
    fault: 'signature/wrong-signer',
    state: 'forged',
    says: /no trusted key signed this price signature\/wrong-signer$/,
  },
  {
    fault: 'signature/tampered-price',
    state: 'forged',
    says: /no trusted key signed this price signature\/tampered-price$/,
  },
  {
    fault: 'reply/status',
    options: { status: 429, retryAfter: '30s' },
    state: 'failed',
    says: /429: asked too often, wait 30 s/,
  },
  { fault: 'reply/malformed-json', state: 'failed', says: /the answer holds no price reply\/malformed-json$/ },
  { fault: 'wire/reset', state: 'unreachable', says: /the connection failed$/ },
  { fault: 'wire/truncate', state: 'unreachable', says: /the connection failed$/ },
]

/** Changes the scenario of the mock that the ticker asks. */
export type SetScenario = (scenario: { readonly faults: readonly unknown[] }) => unknown

/** Lets everything happen to BTCUSD while ETHUSD stays well; in the end both are. */
export async function meetEveryFailure(
  { card, page, candles, picture }: Ticker,
  setScenario: SetScenario,
): Promise<void> {
  await card('BTCUSD', 'fresh')
  for (const { fault, options, state, says } of FAILURES) {
    await setScenario({ faults: [{ fault, feeds: ['BTCUSD'], ...(options && { options }) }] })
    expect(await card('BTCUSD', state, says), fault).toMatch(says)
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
