// Bodies and queries with very many problems: a 400 that shows a few of them, with the work for a few of them.
import { beforeEach, expect, it, vi } from 'vitest'
import { createMock, type Mock } from '../../src/index.js'

// The costly part of a problem is the search for the nearest name.
const compared = vi.hoisted(() => ({ names: 0 }))
vi.mock('fastest-levenshtein', async load => {
  const { distance } = await load<typeof import('fastest-levenshtein')>()
  return { distance: (a: string, b: string) => ++compared.names && distance(a, b) }
})
beforeEach(() => (compared.names = 0))
const MAX_SHOWN = 100
/** More names than one problem can be compared with: the catalogue has 64 feeds. */
const MAX_CANDIDATES = 100

const SESSION = '/_mock/sessions/default'
const object = (count: number, value: string): string =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(',')}}`

async function answer(mock: Mock, method: string, target: string, body?: string) {
  const addresses = { baseUrl: 'http://127.0.0.1', historyUrl: 'http://127.0.0.1' }
  return mock.administer({ method, target, authorization: undefined, body, receivedAt: 0 }, addresses)
}

// Too large ones are refused before their schema finds any problem.
const TOO_LARGE = 'at most 12000 values in a list or object'
const BODIES: readonly (readonly [name: string, method: string, target: string, body: string, want: string])[] = [
  ['unknown keys', 'PATCH', SESSION, object(80_000, '1'), TOO_LARGE],
  ['prices of unknown feeds', 'PATCH', SESSION, `{"prices":${object(80_000, '1')}}`, TOO_LARGE],
  ['API keys that are numbers', 'PATCH', SESSION, `{"apiKeys":[${'1,'.repeat(400_000)}1]}`, TOO_LARGE],
  ['empty layouts', 'PATCH', SESSION, `{"signing":{"layouts":${object(80_000, '{}')}}}`, TOO_LARGE],
  [
    'empty layouts, few enough to check',
    'PATCH',
    SESSION,
    `{"signing":{"layouts":${object(9999, '{}')}}}`,
    'an array, in [ ]',
  ],
  ['unknown feeds, few enough to check', 'PATCH', SESSION, `{"prices":${object(9999, '1')}}`, 'the id of a feed'],
  [
    'empty overrides',
    'POST',
    `${SESSION}/restore`,
    `{"snapshot":{"overrides":{"A":[${'{},'.repeat(300_000)}{}]}}}`,
    TOO_LARGE,
  ],
  [
    'empty overrides of many feeds',
    'POST',
    `${SESSION}/restore`,
    `{"snapshot":{"overrides":${object(9, `[${'{},'.repeat(9000)}{}]`)}}}`,
    'data with fewer problems',
  ],
]

it.each(BODIES)('error: %s', async (_, method, target, body, want) => {
  const { status, body: text } = await answer(createMock(), method, target, body)
  expect(status).toBe(400)
  expect(text.length).toBeLessThan(100_000)
  const { problems } = JSON.parse(text)
  expect(problems[0].want).toBe(want)
  expect(problems.length).toBeLessThanOrEqual(MAX_SHOWN)
  expect(compared.names).toBeLessThanOrEqual(MAX_SHOWN * MAX_CANDIDATES)
})

it('error: a query of 25,000 unknown parameters', async () => {
  const query = Array.from({ length: 25_000 }, (_, i) => i.toString(36)).join('&')
  expect((await answer(createMock(), 'GET', `${SESSION}/requests?${query}`)).status).toBe(400)
  expect(compared.names).toBeGreaterThan(0)
  expect(compared.names).toBeLessThanOrEqual(MAX_SHOWN * MAX_CANDIDATES)
})
