// The form of a key that is not accepted. src/admin/report/request-checks.test.ts has it in requests.
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { findKeyProblem } from './key-problem.js'

const session = {
  settings: { ...DEFAULT_SETTINGS, apiKeys: ['Abc-1'] },
  acceptsKey: (key: string) => key === 'session.a',
}

it.each([
  [undefined, [], 'missing'],
  ['', [['feedIds', 'BTCUSD']], 'missing'],
  [undefined, [['apikey', 'x']], 'query'],
  [undefined, [['Access_Token', 'x']], 'query'],
  [undefined, [['monkey', 'x']], 'missing'],
  [undefined, [['apikey', '']], 'missing'],
  ['Bearer abc', [['key', 'x']], 'scheme'],
  ['Token  abc', [], 'scheme'],
  ['Bearer', [], 'unknown'],
  ['a, b', [], 'several'],
  ["'Abc-1'", [], 'quotes'],
  ['`Abc-1`', [], 'quotes'],
  ["Abc'1'", [], 'unknown'],
  ['ABC-1', [], 'case'],
  ['SESSION.A', [], 'case'],
  ['abc-2', [], 'unknown'],
] as const)('args: %j with the query %j: %s', (authorization, query, problem) => {
  expect(findKeyProblem(authorization, query, session)).toBe(problem)
})
