import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { rowsOf } from '../../../test/support/rows.js'

const target = (interval: string) => targetOf('candles').replace('1m', interval)

describeFault('series/other-interval', {
  effect({ wire }) {
    expect(JSON.parse(wire.body)).toMatchObject({ data: { queryType: '1', interval: '5m' } })
    expect(rowsOf(wire.body).every(({ time }) => time % 300_000 === 0)).toBe(true)
  },
})

it.each([
  ['1m', 5, '5m'],
  ['1h', 24, '24h'],
  ['1d', 7, '7d'],
  ['2w', 2, '4w'],
] as const)('args: %s with a factor of %i is the chart that a request for %s gets', async (asked, factor, interval) => {
  const faults = [{ fault: 'series/other-interval', options: { factor } }]
  const [wire, other] = [await mockWith(faults).ask(target(asked)), await mockWith([]).ask(target(interval))]
  expect(wire.body).toBe(other.body)
  expect(rowsOf(wire.body).length).toBeGreaterThan(10)
})

it.each([
  [1, '52w', '5200w'],
  [20, '52w', '5200w'],
  [20, '1s', '100000000s'],
])('args: %i of them make %s at most %s, a hundred years', async (count, asked, interval) => {
  const faults = Array.from({ length: count }, () => ({ fault: 'series/other-interval', options: { factor: 100 } }))
  const { status, body } = await mockWith(faults).ask(target(asked))
  expect(status).toBe(200)
  expect(JSON.parse(body).data.interval).toBe(interval)
  for (const { time, low, high } of rowsOf(body)) {
    expect(Number.isSafeInteger(time)).toBe(true)
    expect(low).toBeLessThanOrEqual(high!)
  }
})

it('args: beside other faults, which change its own candles, and both are named', async () => {
  const both = [{ fault: 'series/other-interval' }, { fault: 'series/duplicate', options: { every: 1 } }]
  const { faults, body } = await mockWith(both).ask(target('1m'))
  expect(faults).toEqual(both.map(({ fault }) => fault))
  const other = await mockWith(both.slice(1)).ask(target('5m'))
  expect(body).toBe(other.body)
})
