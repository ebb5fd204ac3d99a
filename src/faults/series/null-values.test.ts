import { expect, it } from 'vitest'
import { problemPaths } from '../../../test/support/problem-paths.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/null-values', {
  refused: { fields: [[], 'close'] },
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).map(row => (isNth(row, 3) ? { ...row, close: null } : row)))
  },
})

it('args: every and fields', async () => {
  const options = { every: 1, fields: ['open', 'volume'] }
  const { body } = await mockWith([{ fault: 'series/null-values', options }]).ask(targetOf('candles'))
  for (const row of rowsOf(body))
    expect(row).toMatchObject({ open: null, volume: null, close: expect.any(Number), time: expect.any(Number) })
})

it('args: as', async () => {
  const options = { every: 1, fields: ['open'], as: 'zero' }
  const { body } = await mockWith([{ fault: 'series/null-values', options }]).ask(targetOf('candles'))
  for (const row of rowsOf(body)) expect(row).toMatchObject({ open: 0, close: expect.any(Number) })
})

it('error: a field that no fault empties', () => {
  const call = () => mockWith([{ fault: 'series/null-values', options: { fields: ['time'] } }])
  expect(problemPaths(call)).toEqual(['SCENARIO_INVALID', 'faults[0].options.fields[0]'])
})
