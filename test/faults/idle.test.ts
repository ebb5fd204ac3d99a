// A fault without effect leaves the reply unchanged and is not named: the header names applied faults, not planned ones.
import { expect, it } from 'vitest'
import {
  type EndpointName,
  expectActed,
  expectCalm,
  mockWith,
  pairOf,
  SIGNED,
  targetOf,
} from '../support/request-faults.js'

const idle: readonly [fault: string, options: object, on: readonly EndpointName[]][] = [
  ['tick/ts-skew', { seconds: 0 }, SIGNED],
  ['tick/wrong-expo', { by: 0 }, SIGNED],
  ['tick/other-expo', { by: 0 }, SIGNED],
  ['tick/missing-feed', {}, ['latest']],
  ['signature/evm-v-parity', {}, ['latest', 'batch', 'history']],
  ['signature/truncated', { bytes: 64 }, ['latest', 'batch', 'history']],
  ['series/missing', { every: 1000 }, ['candles']],
  ['series/duplicate', { every: 1000 }, ['candles']],
  ['series/out-of-order', { every: 1000 }, ['candles']],
  ['series/null-values', { every: 1000 }, ['candles']],
  ['series/negative-volume', { every: 1000 }, ['candles']],
  ['series/high-below-low', { every: 1000 }, ['candles']],
  ['series/time-unit', { every: 1000 }, ['candles']],
  ['series/time-skew', { seconds: 0 }, ['candles']],
  ['series/late-revision', { after: '1d' }, ['candles']],
  ['series/late-revision', { by: 0 }, ['candles']],
  ['reply/missing-field', { field: 'confidence' }, ['latest', 'candles']],
  ['reply/extra-field', { field: 'price' }, ['latest']],
  ['reply/latency', { ms: 0 }, ['latest', 'candles']],
  ['reply/rate-limit', { limit: 1 }, ['latest']],
  ['reply/wrong-content-type', { mediaType: 'application/json; charset=utf-8' }, ['latest']],
]

it.each(idle)('behavior: %s %j', async (fault, options, on) => {
  for (const endpoint of on) {
    const { mock, ask } = pairOf([{ fault, options }])
    expectCalm(await ask(targetOf(endpoint)))
    expect(mock.sessions.default.record.counters.faults[0]).toMatchObject({
      hits: 0,
      misses: 1,
      lastMiss: 'nothing to change',
    })
  }
})

it('behavior: numbers as strings, on an error without numbers', async () => {
  expectCalm(await pairOf([{ fault: 'reply/numbers-as-strings' }]).ask(targetOf('latest'), { headers: {} }))
})

it('behavior: a change that another fault has made already', async () => {
  const cases = [
    ['tick/zero', 'tick/zero'],
    ['tick/zero', 'tick/negative'],
    ['series/empty', 'series/missing', 'series/duplicate', 'series/empty', 'series/late-revision'],
    ['reply/empty-body', 'reply/malformed-json', 'reply/empty-body', 'reply/missing-field', 'reply/extra-field'],
    ['reply/no-cors', 'reply/no-cors'],
    ['reply/status', 'reply/html-error-page', 'reply/numbers-as-strings', 'reply/rate-limit'],
  ]
  for (const [first, ...others] of cases) {
    const { mock, ask } = pairOf([first, ...others].map(fault => ({ fault })))
    expectActed(await ask(targetOf(first!.startsWith('series/') ? 'candles' : 'latest')), [first!])
    const hits = mock.sessions.default.record.counters.faults.map(count => count.hits)
    expect(hits).toEqual([1, ...others.map(() => 0)])
  }
})

it('behavior: in 1970, where nothing is older', async () => {
  const clock = { at: '1970-01-01T00:00:30Z', frozen: true }
  for (const fault of ['tick/ts-backwards', 'signature/replay']) {
    const options = fault.startsWith('tick') ? { by: '1h' } : { age: '1h' }
    const [wire, calm] = [mockWith([{ fault, options, requests: '1' }], { clock }), mockWith([], { clock })]
    expectCalm({ wire: await wire.ask(targetOf('latest')), calm: await calm.ask(targetOf('latest')) })
  }
})
