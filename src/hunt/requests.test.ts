// Requests of a run, as a hunt learns from them.
import { expect, it } from 'vitest'
import { toHuntRequests } from './profile.js'

const entry = (target: string, status: number) => ({
  endpoint: 'batch',
  target,
  status,
  now: 100,
  ordinal: 1,
  faults: [],
})
const BATCH = '/prices/batch?feedIds=BTCUSD,ETHUSD'

it.each([
  ['default: an answered one names its feeds', entry(BATCH, 200), ['BTCUSD', 'ETHUSD']],
  ['behavior: a refused one may name unknown feeds', entry(BATCH, 400), []],
  ['behavior: one of no endpoint names none', entry('/nowhere?feedIds=BTCUSD', 200), []],
])('%s', (_, given, feeds) => {
  expect(toHuntRequests([given], 98_500)).toEqual([
    { at: 1500, endpoint: 'batch', feeds, status: given.status, ordinal: 1, faults: [] },
  ])
})
