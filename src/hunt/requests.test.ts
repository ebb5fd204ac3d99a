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
  ['behavior: so does a refused one', entry(BATCH, 400), ['BTCUSD', 'ETHUSD']],
  ['behavior: one of no endpoint names none', entry('/nowhere?feedIds=BTCUSD', 200), []],
])('%s', (_, given, feeds) => {
  expect(toHuntRequests([given], 98_500)).toEqual([
    { at: 1500, endpoint: 'batch', feeds, parameters: [], status: given.status, ordinal: 1, faults: [] },
  ])
})

it('behavior: a profile has the feeds of answered requests, since a refused one may name unknown feeds', () => {
  const requests = toHuntRequests([entry('/prices/batch?feedIds=NOPEUSD', 404), entry(BATCH, 200)], 0)
  const { feeds, endpoints } = profileOf({ requests, ms: 100_000 })
  expect([feeds, endpoints[0]!.feeds]).toEqual([
    ['BTCUSD', 'ETHUSD'],
    ['BTCUSD', 'ETHUSD'],
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
