// The mock as a value: what it serves and what it leaves to the admin, and its clock.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../test/support/calls.js'

const request = (target: string) => ({ method: 'GET', target, authorization: undefined, receivedAt: 0 })

it('default: the five endpoints are served, other paths are not', () => {
  const { mock } = createCalls()
  expect(mock.serve(request('/prices/BTCUSD/latest'))!.outcome).toMatchObject({ status: 401 })
  for (const path of ['/', '/_mock/health', '/prices', '/index.html', '/scenario/nope/prices/BTCUSD/latest'])
    expect(mock.serve(request(path)), path).toBeUndefined()
})

it('args: base limits what is served', () => {
  const { mock } = createCalls()
  expect(mock.serve(request('/prices/BTCUSD/latest'), 'history')).toBeUndefined()
  expect(mock.serve(request('/prices/BTCUSD/latest'), 'prices')).toBeDefined()
})

it('behavior: the clock is set, advanced, frozen and let run', () => {
  const { mock } = createCalls()
  const { clock, sessions } = mock
  const known = () => [clock.now(), sessions.default.record.counters.clock.frozen]
  clock.advance('2m')
  expect(known()).toEqual([(NOW + 120) * 1000, true])
  clock.set(NOW)
  clock.run(2)
  expect(known()).toEqual([NOW * 1000, false])
  clock.freeze()
  expect(known()).toEqual([NOW * 1000, true])
})
