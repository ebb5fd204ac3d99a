import { expect, it } from 'vitest'
import { requestOf } from '../../../test/support/calls.js'
import {
  describeFault,
  ENDPOINTS,
  expectActed,
  mockWith,
  pairOf,
  targetOf,
} from '../../../test/support/request-faults.js'
import type { MockOptions } from '../../index.js'
import { createMock } from '../../index.js'

describeFault('reply/latency', {
  options: { ms: 1 },
  paceOnly: true,
  effect({ wire, calm }) {
    expect(wire.body).toBe(calm.body)
  },
})

/** The delays of the first answers of each endpoint, in milliseconds. */
function delaysOf(faults: readonly object[], options: MockOptions = {}, count = 200): number[] {
  const mock = createMock({
    clock: { at: 1_753_354_105, frozen: true },
    ...options,
    scenario: { faults: [...faults] as never },
  })
  return ENDPOINTS.flatMap(endpoint =>
    Array.from({ length: count }, () => mock.serve(requestOf(targetOf(endpoint, ['BTCUSD'])))!.outcome.delayMs),
  )
}

it('args: ms: the delay is real time, whatever the clock does', async () => {
  const { mock, ask } = mockWith([{ fault: 'reply/latency', options: { ms: 20 } }])
  // The timer of the test starts later and is shorter, so without a delay the answer would come first.
  const answer = ask(targetOf('latest')).then(() => 'answer')
  const first = await Promise.race([answer, new Promise(resolve => setTimeout(resolve, 5, 'timer'))])
  expect(first).toBe('timer')
  await answer
  expect(mock.sessions.default.journal.entries().at(-1)!.durationMs).toBeGreaterThanOrEqual(20)
})

it('args: jitterMs: from 0 to the maximum, the same on every run', () => {
  const faults = [{ fault: 'reply/latency', options: { ms: 10, jitterMs: 30 } }]
  const delays = delaysOf(faults)
  expect(Math.min(...delays)).toBe(10)
  expect(Math.max(...delays)).toBe(40)
  expect(delays.reduce((sum, one) => sum + one, 0) / delays.length).toBeCloseTo(25, -0.5)
  expect(delaysOf(faults)).toEqual(delays)
  expect(delaysOf(faults, { seed: '43' })).not.toEqual(delays)
  const [latest, batch] = [delays.slice(0, 200), delays.slice(200, 400)]
  expect(latest).not.toEqual(batch)
})

it('behavior: delays add up', async () => {
  const two = [
    { fault: 'reply/latency', options: { ms: 7 } },
    { fault: 'reply/latency', options: { ms: 5, jitterMs: 9 } },
  ]
  const [one, other] = [delaysOf([two[0]!], {}, 20), delaysOf([{ fault: 'reply/empty-body' }, two[1]!], {}, 20)]
  expect(delaysOf(two, {}, 20)).toEqual(one.map((ms, i) => ms + other[i]!))
})

it('behavior: a delay of 0 is not reported', async () => {
  const pair = await pairOf([{ fault: 'reply/latency', options: { ms: 0 } }]).ask(targetOf('latest'))
  expectActed(await pairOf([{ fault: 'reply/latency', options: { ms: 1 } }]).ask(targetOf('latest')), ['reply/latency'])
  expect(pair.wire).toEqual(pair.calm)
})
