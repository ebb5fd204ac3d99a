// The scenarios that a hunt tries, for some consumers.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Polls, runHunted } from '../../test/support/hunted.js'
import { FAULTS } from '../faults/index.js'
import { profileOf } from './profile.js'
import { createSearch } from './search.js'
import type { HuntFault, HuntScenario } from './types.js'
import { VALUES } from './values.js'

const faults = FAULTS.filter(({ name }) => Object.hasOwn(VALUES, name))
/** Leaves out endpoints that are added to the five of the interface. */
const ofInterface = (key: string, value: unknown): unknown =>
  key === 'endpoints' ? (value as string[]).filter(name => /^(candles|batch|history|evm|latest)$/.test(name)) : value
/** Faults of a built-in scenario are placed anew for each consumer. */
const scenarios: Readonly<Record<string, HuntScenario>> = {
  mix: {
    title: 'A mix',
    why: 'A test.',
    faults: [
      { fault: 'market/stale', from: '60s', for: '30s', repeat: '2m' },
      { fault: 'tick/wrong-expo', feeds: ['ETHUSD'], requests: { every: 3 } },
    ],
  },
}

// They are behind the figures of docs/hunt.md: where a hash changes, `npm run hunt:zoo` measures them again.
it.each<[string, Polls, string, fallback?: string]>([
  ['of several endpoints', { batch: 2, evm: 2, latest: 2, candles: 4, history: 20 }, '79c8201ed5ae3f2f'],
  ['with a fallback and rare requests', { batch: 2, candles: 15, history: 20 }, 'a38c131abe2f3494', 'latest'],
  ['of one endpoint', { latest: 1 }, '30784d151a91c52b'],
])('default: the same trials for a consumer %s', (_, polls, hash, fallback) => {
  const calm = runHunted({ title: 'Calm', why: '', faults: [] }, () => undefined, polls)
  const search = createSearch(faults, scenarios, profileOf(calm), '42', name => name === 'market/gap')
  const trials: unknown[] = []
  for (let trial = search.next(); trial !== undefined && trials.length < 400; trial = search.next()) {
    trials.push(trial)
    // Some faults are not met, and some trials fail.
    const hits = trial.scenario.faults.map((_, i) => (i + trials.length) % 3)
    // In some it asks another endpoint, the longer the more often.
    const asked = fallback !== undefined && trials.length % 5 === 1 ? calm.requests.slice(0, trials.length) : []
    const others = asked.map(request => ({ ...request, endpoint: fallback }))
    const requests = [...calm.requests, ...others]
    search.done(trial, { ...calm, requests, hits, failed: trials.length % 7 === 0 })
  }
  expect(createHash('sha256').update(JSON.stringify(trials, ofInterface)).digest('hex').slice(0, 16)).toBe(hash)
})

it('behavior: an endpoint that is asked only in trouble, with feeds that are asked for nowhere else', () => {
  const calm = runHunted({ title: 'Calm', why: '', faults: [] }, () => undefined, { latest: 1 })
  const own = calm.requests.map(request => ({ ...request, feeds: ['BTCUSD'] }))
  const fallback = own.map(request => ({ ...request, endpoint: 'batch', feeds: ['BTCUSD', 'ETHUSD', 'NOPEUSD'] }))
  const search = createSearch(FAULTS, {}, profileOf({ ...calm, requests: own }), '42', () => false)
  const tried: HuntFault[] = []
  for (let trial = search.next(); trial !== undefined && tried.length < 2000; trial = search.next()) {
    tried.push(...trial.scenario.faults)
    const hits = trial.scenario.faults.map(() => 1)
    search.done(trial, { ...calm, requests: [...own, ...fallback], hits })
  }
  // Only a reply with several feeds shows it.
  expect(tried).toContainEqual(expect.objectContaining({ fault: 'signature/batch-swapped', endpoints: ['batch'] }))
  expect(JSON.stringify(tried)).not.toContain('NOPEUSD')
})
