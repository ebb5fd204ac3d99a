// The lists of what exists, as text: each thing with all that it says of itself.
import { expect, it } from 'vitest'
import { FAULTS } from '../faults/index.js'
import { createMock } from '../index.js'
import { toList } from './list.js'

const mock = createMock({
  scenarios: { mine: { title: 'Mine', why: 'Nobody else has it.', faults: [{ fault: 'wire/reset', requests: '2' }] } },
})

it('default: scenarios with their title, and what they catch below it', () => {
  const lines = toList('scenarios', mock).split('\n')
  const at = lines.findIndex(line => line.startsWith('mine '))
  expect(lines.slice(at, at + 2).map(line => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ['mine', 'Mine'],
    ['', 'Nobody else has it.'],
  ])
  expect(lines[at]!.indexOf('Mine')).toBe(lines[at + 1]!.indexOf('Nobody'))
  expect(lines).toHaveLength(2 * mock.scenarios.list().length)
})

it('default: faults in one line each', () => {
  const lines = toList('faults', mock).split('\n')
  expect(lines.map(line => line.split('  ')[0])).toEqual(FAULTS.map(({ name }) => name))
})

it('args: of two names that differ in case, the one that is spelled so', () => {
  const own = { why: 'Nobody else has it.', faults: [] }
  const both = createMock({ scenarios: { Mine: { ...own, title: 'Upper' }, mine: { ...own, title: 'Lower' } } })
  const titles = ['mine', 'Mine', 'MINE'].map(name => toList('scenarios', both, name).split('\n')[1])
  expect(titles).toEqual(['Lower', 'Upper', 'Upper'])
})
