// The decision whether the program uses colours.
import { expect, it } from 'vitest'
import { hasColours } from './output.js'

it.each([
  [{}, false, false],
  [{}, true, true],
  [{ CI: 'true' }, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  [{ NO_COLOR: '' }, true, true],
])('args: %j, terminal: %s', (environment, isTerminal, expected) => {
  expect(hasColours(environment, isTerminal)).toBe(expected)
})
