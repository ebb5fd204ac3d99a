import { expect, it } from 'vitest'
import { NOW } from '../../../test/support/hosts.js'
import { describeFault, pairOf, targetOf } from '../../../test/support/request-faults.js'
import { rowsOf } from '../../../test/support/rows.js'

describeFault('series/late-revision', {
  effect({ wire, calm }) {
    const honest = rowsOf(calm.body)
    for (const [i, row] of rowsOf(wire.body).entries()) {
      const isRevised = NOW >= row.time / 1000 + 60 + 30
      const close = isRevised ? honest[i]!.close! * 1.01 : honest[i]!.close!
      expect(row.close).toBeCloseTo(close, 6)
      expect(row).toMatchObject({ ...honest[i], close: row.close, high: Math.max(honest[i]!.high!, row.close!) })
    }
  },
})

it('args: after and by: a candle changes once, that long after its end', async () => {
  const { ask, advance } = pairOf([{ fault: 'series/late-revision', options: { after: '50s', by: -0.1 } }])
  // 10:47, which closed 25 seconds ago.
  const closed = async () => {
    const { wire, calm } = await ask(targetOf('candles'))
    const [row, honest] = [wire, calm].map(({ body }) => rowsOf(body).find(({ time }) => time === (NOW - 85) * 1000)!)
    return { row: row!, honest: honest! }
  }
  const before = await closed()
  expect(before.row).toEqual(before.honest)
  advance(24)
  expect(await closed()).toEqual(before)
  advance(1)
  const { row, honest } = await closed()
  expect(honest).toEqual(before.honest)
  expect(row.close).toBeCloseTo(honest.close! * 0.9, 6)
  expect(row.low).toBe(row.close)
  advance('10m')
  expect((await closed()).row).toEqual(row)
})
