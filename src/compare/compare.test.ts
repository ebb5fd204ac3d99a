// The configuration of ours: the settings of the user with a change.
import { expect, it } from 'vitest'
import { LAYOUTS } from '../settings/layouts.js'
import { toConfig } from './compare.js'

it('default: no settings and no change give an empty configuration', () =>
  expect(toConfig({ settings: { policy: {}, signing: {} }, feeds: undefined }, {})).toEqual({}))

it('behavior: a change is merged with the settings and the feeds of the user, whatever the case of their ids', () => {
  const settings = { policy: { candles: 5 }, signing: { layouts: { mine: LAYOUTS.svm } } }
  const feeds = { feeds: [{ id: 'BtcUsd', heartbeat: 4, expo: -7 }, { id: 'EURUSD' }] }
  const patch = { policy: { maxFeedIds: 3 }, feeds: { BTCUSD: { expo: -6 }, ETHUSD: { lag: 2 } }, signer: 3 }
  expect(toConfig({ settings, feeds }, patch)).toEqual({
    policy: { candles: 5, maxFeedIds: 3 },
    signing: { layouts: { mine: LAYOUTS.svm } },
    signer: 3,
    feeds: {
      feeds: [{ id: 'BTCUSD', heartbeat: 4, expo: -6 }, { id: 'EURUSD' }, { id: 'ETHUSD', lag: 2 }],
    },
  })
  expect(toConfig({ settings: {}, feeds: undefined }, { signing: { svm: 'mine' } })).toEqual({
    signing: { svm: 'mine' },
  })
})
