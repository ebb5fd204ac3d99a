// Duplicate keys of a JSON text, by their paths.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PROPERTY_SEED } from '../../test/support/seed.js'
import { scanJson } from './files.js'

it.each([
  ['{"a":1,"a":2,"b":1,"a":3}', ['a', 'a']],
  [
    '{"faults":[{"x":1},{"fault":"a","options":{"s":1,"s":[2]},"fault":"b"}]}',
    ['faults[1].options.s', 'faults[1].fault'],
  ],
  ['[[1,{"a":{},"a":[]}]]', ['[0][1].a']],
  ['{"a\\"b":1,"a\\u0022b":2}', ['a"b']],
  ['{"a":"a","b":"a","c":{"a":1},"d":["a","a"]}', []],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"a"', []],
])('default: %s', (json, paths) => {
  expect(scanJson(json).duplicates.map(({ at }) => at)).toEqual(paths)
})

it('behavior: no text of JSON.stringify has any', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(scanJson(JSON.stringify(value, undefined, 1)).duplicates).toEqual([])
    }),
    { seed: PROPERTY_SEED },
  )
})
