// Requests of a run, as a hunt learns from them.
import { expect, it } from 'vitest'
import { profileOf, toHuntRequests } from './profile.js'

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

it('behavior: the usual time between two requests is the median of those that are not simultaneous', () => {
  const requests = [0, 1000, 1000, 11_000, 21_000, 90_000].map(at => ({
    at,
    endpoint: 'batch',
    feeds: [],
    status: 200,
    ordinal: 1,
    faults: [],
  }))
  expect(profileOf({ requests, ms: 100_000 }).endpoints).toMatchObject([{ interval: 10, requests: 6 }])
})
