// Parsing of untrusted data: all problems at once, each with path, value, valid values and the closest name.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { anyCharacter } from '../../test/support/characters.js'
import { check } from '../../test/support/seed.js'
import { PriceFeedMockError } from '../errors.js'
import {
  assertNoProblems,
  countJsonValues,
  DOCUMENTATION,
  documented,
  findExcess,
  findPrototypes,
  findUnknownKeys,
  integer,
  number,
  parseOrThrow,
  read,
  text,
} from './schema.js'

const schema = z.strictObject({
  title: z.string(),
  size: z.optional(integer(1, 10)),
  mode: z.optional(z.enum(['reject', 'omit'])),
  items: z.optional(
    z.array(z.strictObject({ status: integer(100, 599), options: z.optional(z.strictObject({ limit: z.number() })) })),
  ),
  byName: z.optional(z.record(z.string().check(z.regex(/^[a-z]+$/, { error: 'a name of a to z' })), number(0, 1))),
  layouts: z.optional(z.record(z.string(), z.strictObject({ digest: z.string() }))),
})

const problemsOf = (data: unknown) => read(schema, data).problems

const KEYS = 'title, size, mode, items, byName, layouts'

describe('read', () => {
  it('default', () => {
    const data = { title: 'a', size: 10, items: [{ status: 404 }], byName: { a: 0.5 } }
    expect(read(schema, data)).toEqual({ value: data })
  })

  it('behavior: every problem is reported at once', () => {
    const problems = problemsOf({ size: 11, mode: 'x', items: [{ status: '4o1' }, { status: 99 }], byName: { a: 2 } })
    expect(problems).toEqual([
      { at: 'title', got: undefined, want: 'a string' },
      { at: 'size', got: 11, want: 'an integer from 1 to 10' },
      { at: 'mode', got: 'x', want: 'one of "reject", "omit"' },
      { at: 'items[0].status', got: '4o1', want: 'an integer from 100 to 599' },
      { at: 'items[1].status', got: 99, want: 'an integer from 100 to 599' },
      { at: 'byName.a', got: 2, want: 'a number from 0 to 1' },
    ])
  })

  it.each<[title: string, data: object, unknown: [at: string, want: string, closest?: string][]]>([
    ['with the closest', { sizes: 5 }, [['sizes', 'size', 'size']]],
    ['several', { x: 1, y: 2 }, ['x', 'y'].map(at => [at, `one of the keys ${KEYS}`])],
    ['in records', { layouts: { mine: { digest: 'x', dijest: 'y' } } }, [['layouts.mine.dijest', 'digest', 'digest']]],
    [
      'in lists and optional objects',
      { items: [{ status: 200 }, { status: 200, options: { limit: 1, limt: 2 } }] },
      [['items[1].options.limt', 'limit', 'limit']],
    ],
    [
      'beside their place',
      { status: 1, items: [{ status: 200, limit: 2 }] },
      [
        ['items[0].limit', 'it in "options"'],
        ['status', 'it in "items"'],
      ],
    ],
  ])('behavior: unknown keys are reported: %s', (_, data, unknown) => {
    expect(problemsOf({ title: 'a', ...data })).toEqual(
      unknown.map(([at, want, closest]) => ({ at, got: 'an unknown key', want, ...(closest && { closest }) })),
    )
  })

  it('behavior: unknown keys in a union, whose keys are none of the object around it', () => {
    const price = z.strictObject({ price: z.number(), alone: z.optional(z.boolean()) })
    const either = z.strictObject({
      prices: z.optional(z.record(z.string(), z.union([z.number(), z.nullable(price)]))),
    })
    const wantOf = (data: object) => read(either, data).problems!.map(({ at, want }) => [at, want])
    expect(wantOf({ prices: { A: { price: 1, alon: true } } })).toEqual([['prices.A.alon', 'alone']])
    expect(wantOf({ prices: { A: { price: 1, x: 2 } } })).toEqual([['prices.A.x', 'one of the keys price, alone']])
    expect(wantOf({ price: { A: 1 } })).toEqual([['price', 'prices']])
  })

  it('behavior: after a thousand problems no other is looked up', () => {
    const items = Array.from({ length: 1500 }, () => ({ a: 1, b: 2 }))
    const { problems } = read(z.strictObject({ items: z.array(z.strictObject({})) }), { items })
    expect(problems).toHaveLength(1000)
    expect(() => assertNoProblems('SCENARIO_INVALID', 'The body', problems!)).toThrow(
      'The body has 1000 problems or more.',
    )
  })

  it('behavior: of the unknown keys of an object, a thousand are looked up', () => {
    const data = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`x${i}`, 1]))
    expect(read(z.strictObject({}), data).problems).toHaveLength(1000)
  })

  it('behavior: more problems than a parser can list are one', () => {
    const values = Array.from({ length: 200_000 }, () => 0)
    expect(read(z.array(z.array(z.string())), [values]).problems).toEqual([
      { at: '(the whole)', got: undefined, want: 'data with fewer problems' },
    ])
  })

  it('behavior: the closest name is found in any case', () => {
    expect(problemsOf({ title: 'a', mode: 'Reject' })).toEqual([
      { at: 'mode', got: 'Reject', want: 'one of "reject", "omit"', closest: 'reject' },
    ])
  })

  it('behavior: an invalid key of a record is shown', () => {
    expect(problemsOf({ title: 'a', byName: { A1: 0.5 } })).toEqual([
      { at: 'byName.A1', got: 'A1', want: 'a name of a to z' },
    ])
  })

  it('behavior: a language that another user of zod has set does not change the texts', () => {
    onTestFinished(() => void z.config({ localeError: undefined } as never))
    z.config(z.locales.de())
    expect(problemsOf({ title: 1, size: 20 })?.map(({ want }) => want)).toEqual(['a string', 'an integer from 1 to 10'])
  })

  it.each([
    ['a string', z.string(), 1],
    ['a number', z.number(), '1'],
    ['true or false', z.boolean(), 'yes'],
    ['an array, in [ ]', z.array(z.string()), {}],
    ['an object', z.record(z.string(), z.string()), 5],
  ])('behavior: another type than %s', (want, type, got) => {
    expect(read(type, got).problems).toEqual([{ at: '(the whole)', got, want }])
  })

  it('behavior: names of Object.prototype are unknown keys', () => {
    const data = JSON.parse('{"title":"a","__proto__":{"title":"b"},"constructor":1}')
    expect(
      problemsOf(data)
        ?.map(({ at }) => at)
        .sort(),
    ).toEqual(['__proto__', 'constructor'])
  })
})

it('default: findPrototypes: each with its path', () => {
  const data = JSON.parse('{"__proto__": 1, "a": [{"b": 1}, {"__proto__": {}}], "c": {"__proto__": {}}}')
  expect(findPrototypes(data)).toEqual(
    ['__proto__', 'c.__proto__', 'a[1].__proto__'].map(at => ({
      at,
      got: 'an unknown key',
      want: 'another key: `__proto__` is not allowed',
    })),
  )
})

describe('building blocks', () => {
  it.each([0, 11, 1.5, '5', Number.NaN, null, 2 ** 60])('error: integer refuses %j with one problem', value => {
    expect(read(integer(1, 10), value).problems).toEqual([
      { at: '(the whole)', got: value, want: 'an integer from 1 to 10' },
    ])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '0.5', -0.1, 1.1])('error: number refuses %j', value => {
    expect(read(number(0, 1), value).problems).toEqual([
      { at: '(the whole)', got: value, want: 'a number from 0 to 1' },
    ])
  })

  it('error: text has one message for every mistake', () => {
    const seed = text(/^[a-z]+$/, 'a word')
    for (const got of ['A', 5]) expect(read(seed, got).problems).toEqual([{ at: '(the whole)', got, want: 'a word' }])
  })
})

describe('parseOrThrow', () => {
  const size = integer(1, 10)

  it('default', () => {
    expect(parseOrThrow(size, 5, 'CONFIG_INVALID', 'mine.json')).toBe(5)
    expect(parseOrThrow(z.undefined(), undefined, 'CONFIG_INVALID', 'mine.json')).toBeUndefined()
  })

  it('error: all problems with the given code and subject', () => {
    expect(() => parseOrThrow(size, 0, 'CONFIG_INVALID', 'mine.json')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        shortMessage: expect.stringMatching(/^mine\.json /),
        problems: [expect.objectContaining({ got: 0 })],
      }),
    )
  })
})

describe('documented', () => {
  it('default: adds a description, and a name for shared schemas', () => {
    const schema = z.string()
    expect(documented(schema, 'A name.')).toBe(schema)
    expect(DOCUMENTATION.get(schema)).toEqual({ description: 'A name.' })
    expect(DOCUMENTATION.get(documented(z.string(), 'A name.', 'Name'))).toEqual({ description: 'A name.', id: 'Name' })
  })

  it('error: a second text for a shared schema, which would replace the first', () => {
    const schema = documented(z.string(), 'A name.')
    expect(() => documented(schema, 'A title.')).toThrow('This schema is "A name." already.')
  })
})

describe('assertNoProblems', () => {
  it('error: all problems in one', () => {
    const problems = problemsOf({ title: 5, siz: 1 })!
    expect(() => assertNoProblems('CONFIG_INVALID', 'mine.json', problems, { docs: 'README.md' })).toThrow(
      PriceFeedMockError,
    )
    expect(() =>
      assertNoProblems('CONFIG_INVALID', 'mine.json', problems, { docs: 'README.md' }),
    ).toThrowErrorMatchingInlineSnapshot(`
        [ConfigInvalidError: mine.json has 2 problems.
          at    title
          got   5
          want  a string
          at    siz
          got   an unknown key
          want  size (closest)
          docs  README.md
          code  CONFIG_INVALID]
      `)
  })
})

/** The same counts of parsed data. */
function countValues(data: unknown): { values: number; widest: number } {
  if (data === null || typeof data !== 'object') return { values: 0, widest: 0 }
  const items = Object.values(data)
  const counts = items.map(countValues)
  return {
    values: items.length + counts.reduce((sum, { values }) => sum + values, 0),
    widest: Math.max(items.length, ...counts.map(({ widest }) => widest)),
  }
}

describe('findUnknownKeys', () => {
  it('error: a key with a near one, one without, and one where there are no options', () => {
    const got = 'an unknown key'
    expect(findUnknownKeys({ titel: 1, title: 1, x: 1 }, ['title', 'size'])).toEqual([
      { at: 'titel', got, want: 'title', closest: 'title' },
      { at: 'x', got, want: 'one of the keys title, size' },
    ])
    expect(findUnknownKeys({ x: 1 }, ['title'])).toEqual([{ at: 'x', got, want: 'the key title' }])
    expect(findUnknownKeys({ x: 1 }, [])).toEqual([{ at: 'x', got, want: 'nothing: it has no options' }])
  })

  it('error: a text, which may have a password, is one problem', () => {
    const problems = [{ at: 'options', got: 'a text', want: 'an object' }]
    expect(findUnknownKeys('https://me:secret@host' as never, ['url'])).toEqual(problems)
  })
})

describe('countJsonValues', () => {
  it('property: as many as in the parsed data, with and without spaces', () => {
    check([fc.json({ maxDepth: 4, stringUnit: anyCharacter })], text => {
      const data: unknown = JSON.parse(text)
      expect(countJsonValues(JSON.stringify(data))).toEqual(countValues(data))
      expect(countJsonValues(JSON.stringify(data, null, 2))).toEqual(countValues(data))
    })
  })

  it('behavior: brackets, commas and escaped quotes in strings are no values', () => {
    expect(countJsonValues(JSON.stringify(['[,{', '\\"],[', '\\', 1]))).toEqual({ values: 4, widest: 4 })
  })

  it.each(['', ',,,', ']]]]', '"', '"\\', '[1,2', '}{'])('behavior: invalid text ends: %j', text => {
    expect(countJsonValues(text).values).toBeLessThan(4)
  })

  it('behavior: endless nesting stops where there are too many', () => {
    expect(countJsonValues('['.repeat(1_000_000)).values).toBe(100_001)
  })
})

describe('findExcess', () => {
  const list = (count: number): unknown[] => Array.from({ length: count }, () => 0)

  it('default: none', () => expect(findExcess(JSON.stringify(list(12_000)))).toEqual([]))

  it('error: a long list, and many values', () => {
    expect(findExcess(JSON.stringify({ a: list(12_001) }))).toMatchObject([{ got: 12_001 }])
    expect(findExcess(JSON.stringify(list(11).map(() => list(9_999))))).toMatchObject([{ got: 100_001 }])
  })
})
