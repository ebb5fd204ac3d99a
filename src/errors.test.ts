// How errors read: the layout of whole messages, the nearest names, values as they are shown and problem details.
import { describe, expect, it } from 'vitest'
import {
  countOf,
  isPriceFeedMockError,
  NOT_SHOWN,
  nearest,
  PriceFeedMockError,
  type Problem,
  show,
  toPrintable,
  toProblemDetails,
  UNKNOWN_KEY,
} from './errors.js'

const WRONG_STATUS: Problem = { at: 'faults[0].options.status', got: '4o1', want: 'an integer from 100 to 599' }
const WRONG_FAULT: Problem = { at: 'faults[1].fault', got: 'wire/rest', want: 'a fault', closest: 'wire/reset' }

describe('PriceFeedMockError', () => {
  it('behavior: problems come first, then details, then the code, all aligned', () => {
    const error = new PriceFeedMockError('CONFIG_INVALID', 'mine.json has 2 problems.', {
      problems: [WRONG_STATUS, WRONG_FAULT],
      details: [['reproduce', 'price-feed-mock --config mine.json']],
    })
    expect(error.message).toMatchInlineSnapshot(`
      "mine.json has 2 problems.
        at         faults[0].options.status
        got        "4o1" (string)
        want       an integer from 100 to 599
        at         faults[1].fault
        got        "wire/rest" (string)
        want       wire/reset (closest), a fault
        reproduce  price-feed-mock --config mine.json
        code       CONFIG_INVALID"
    `)
  })

  it('behavior: a path stays on its line', () => {
    const problems = [{ at: '\u001b[31m\nkey', got: UNKNOWN_KEY, want: 'title' }]
    expect(new PriceFeedMockError('CONFIG_INVALID', 'It has 1 problem.', { problems }).message).toContain(
      String.raw`  at    \u001b[31m\nkey`,
    )
  })

  it('args: cause', () => {
    const cause = new Error('EACCES')
    expect(new PriceFeedMockError('FILE_UNREADABLE', 'No.', { cause }).cause).toBe(cause)
    expect('cause' in new PriceFeedMockError('FILE_UNREADABLE', 'No.')).toBe(false)
  })
})

describe('isPriceFeedMockError', () => {
  it('default', () => expect(isPriceFeedMockError(new PriceFeedMockError('INTERNAL', 'It broke.'))).toBe(true))

  it('behavior: an error of another copy of the package counts', () => {
    expect(isPriceFeedMockError(Object.assign(new Error('x'), { code: 'INTERNAL', shortMessage: 'It broke.' }))).toBe(
      true,
    )
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'INTERNAL'],
    ['a plain object', { code: 'INTERNAL', shortMessage: 'It broke.' }],
    ["an error of Node's", Object.assign(new Error('x'), { code: 'ENOENT' })],
  ])('behavior: %s does not', (_title, value) => expect(isPriceFeedMockError(value)).toBe(false))
})

describe('toProblemDetails', () => {
  it('default', () => {
    const error = new PriceFeedMockError('UNKNOWN_ROUTE', 'Nothing answers GET /price.', {
      details: [
        ['want', 'GET /prices/batch'],
        ['docs', '/_mock/'],
      ],
    })
    expect(toProblemDetails(error)).toMatchInlineSnapshot(`
      {
        "code": "UNKNOWN_ROUTE",
        "detail": "Nothing answers GET /price.",
        "docs": "/_mock/",
        "status": 404,
        "title": "UnknownRouteError",
        "type": "about:blank",
        "want": "GET /prices/batch",
      }
    `)
  })

  it('behavior: problems are listed where there are some', () => {
    const problems = [WRONG_STATUS]
    const details = toProblemDetails(new PriceFeedMockError('CONFIG_INVALID', 'It has 1 problem.', { problems }))
    expect(details).toMatchObject({ status: 400, problems })
  })

  it.each([
    ['UNKNOWN_ROUTE', 404],
    ['METHOD_NOT_ALLOWED', 405],
    ['HOST_NOT_ALLOWED', 403],
    ['ORIGIN_NOT_ALLOWED', 403],
    ['ADMIN_TOKEN_INVALID', 401],
    ['REQUEST_MALFORMED', 400],
    ['REQUEST_TIMEOUT', 408],
    ['REQUEST_TOO_LARGE', 431],
    ['INTERNAL', 500],
  ] as const)('behavior: %s has the status %i', (code, status) => {
    expect(toProblemDetails(new PriceFeedMockError(code, 'No.')).status).toBe(status)
  })
})

it('default: countOf', () => {
  expect([0, 1, 2].map(count => countOf(count, 'problem'))).toEqual(['0 problems', '1 problem', '2 problems'])
})

describe('nearest', () => {
  it('behavior: the shortest name that begins so, where none is near', () => {
    expect(nearest('btc', ['ETHUSD', 'BTCUSDT', 'BTCUSD'])).toBe('BTCUSD')
    expect(nearest('bt', ['BTCUSD'])).toBeUndefined()
  })

  const NAMES = ['wire/reset', 'wire/truncate', 'market/stale']

  it('default', () => expect(nearest('wire/rest', NAMES)).toBe('wire/reset'))

  it('behavior: of equally near names the first', () => expect(nearest('ab', ['ax', 'ay'])).toBe('ax'))

  it.each([
    ['ab', 'ax', 'xx'],
    ['seed', 'sexd', 'self'],
    ['speed', 'spxxd', 'sxxxd'],
    ['abcdefghijkl', 'abcdefghxxxx', 'abcdefgxxxxx'],
  ])('behavior: about a third of the letters of %s may differ', (name, near, far) => {
    expect(nearest(name, [near])).toBe(near)
    expect(nearest(name, [far])).toBeUndefined()
  })

  it.each([
    ['stale', 'stale-btc'],
    ['btc-stale', 'stale-btc'],
    ['BTC_stale', 'stale-btc'],
    ['everything', 'stale-everything'],
    ['clam', 'calm'],
    // Of several that have the word, the one that has the least besides.
    ['gap', 'price-gap'],
  ])('behavior: the words of %s are those of %s, or its letters in another order', (name, closest) => {
    expect(nearest(name, ['stale-everything', 'calm', 'one-candle-gap', 'stale-btc', 'price-gap'])).toBe(closest)
  })

  it('behavior: a slip is nearer than a word', () => expect(nearest('stale', ['stale-btc', 'scale'])).toBe('scale'))

  it.each(['', '-', '//', 's', 'tal', 'zzzzzz', 'xyzzy-plugh', 'qwertyuiopasdfghjkl', '1234', 'stale-xyzw'])(
    'behavior: nothing is near to %j',
    name => expect(nearest(name, [...NAMES, 'calm', 'stale-btc', 'seed', 'at', '/prices/batch'])).toBeUndefined(),
  )

  it('behavior: nothing is near to no names', () => expect(nearest('a', [])).toBeUndefined())

  it('behavior: a long name unlike any other has no nearest', () => {
    expect(nearest('x'.repeat(300), NAMES)).toBeUndefined()
  })
})

describe('show', () => {
  it.each<[shown: string, value: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['5', 5],
    ['"5" (string)', '5'],
    ['true', true],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['[1,"a"]', [1, 'a']],
    ['{"a":1}', { a: 1 }],
    ['"a\\nb" (string)', 'a\nb'],
  ])('default: %s', (shown, value) => expect(show(value)).toBe(shown))

  it('behavior: placeholders are not quoted as text', () => {
    expect([NOT_SHOWN, UNKNOWN_KEY].map(show)).toEqual(['(not shown)', 'an unknown key'])
  })

  it('behavior: a long value is cut', () => {
    const shown = show(Array.from({ length: 100 }, () => 1))
    expect(shown).toHaveLength(78)
    expect(shown).toMatch(/^\[1,1,.*…$/)
  })

  it('behavior: 80 characters are shown whole', () => {
    expect(show('x'.repeat(78))).toBe(`"${'x'.repeat(78)}" (string)`)
    expect(show('x'.repeat(79))).toBe(`"${'x'.repeat(76)}…" (string)`)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('behavior: %d is not shown as null', value => {
    expect(show(value)).toBe(String(value))
  })

  it('behavior: deep nesting is described', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    const circle: Record<string, unknown> = {}
    circle.self = circle
    // Since V8 14, JSON has no depth that is too much for it.
    expect(show(deep)).toMatch(/^(a value that is nested too deeply|\[+…)$/)
    expect(show(circle)).toBe('a value that JSON does not have')
  })

  it('behavior: values without JSON do not throw', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    for (const value of [circle, [1n], () => 1, Symbol('s')]) expect(() => show(value)).not.toThrow()
  })
})

it('behavior: of thousands of problems a message shows a hundred, and how many more there are', () => {
  const problems = Array.from({ length: 5000 }, (_, i) => ({ at: `a[${i}]`, got: i, want: 'less' }))
  const errorOf = (count: number) =>
    new PriceFeedMockError('OPTIONS_INVALID', 'Many problems.', { problems: problems.slice(0, count) })
  expect(errorOf(5000).message.match(/^ {2}at /gm)).toHaveLength(100)
  expect(errorOf(5000).message).toContain('4900')
  expect([100, 101, 5000].map(count => toProblemDetails(errorOf(count)).more)).toEqual([undefined, 1, 4900])
})

it('behavior: no part of a message leaves its line, or turns the direction of the text', () => {
  const unsafe = 'a\x9b31m\x7f\u202eb\u2066\u2028'
  const problems = [{ at: unsafe, got: { [unsafe]: unsafe }, want: unsafe, closest: unsafe }]
  const { message } = new PriceFeedMockError('OPTIONS_INVALID', `${unsafe} has a problem.`, { problems, fix: unsafe })
  const escaped = String.raw`a\u009b31m\u007f\u202eb\u2066\u2028`
  expect(message.split('\n')).toEqual([
    `${escaped} has a problem.`,
    `  at    ${escaped}`,
    `  got   {"${escaped}":"${escaped}"}`,
    `  want  ${escaped} (closest)`,
    `  fix   ${escaped}`,
    '  code  OPTIONS_INVALID',
  ])
})

describe('toPrintable', () => {
  it('default: ordinary text is unchanged', () => {
    const text = 'BTC "stale" \\ größer → 50 % 👩‍💻 قیمت‌ها'
    expect(toPrintable(text)).toBe(text)
  })

  it('behavior: control characters are escaped as in JSON', () => {
    const text = 'a\x1b[31m\x07\r\n\t\x7f\x9b31m\u202eb\u2066\u2028\u0000'
    expect(toPrintable(text)).toBe(String.raw`a\u001b[31m\u0007\r\n\t\u007f\u009b31m\u202eb\u2066\u2028\u0000`)
    expect(JSON.parse(`"${toPrintable(text)}"`)).toBe(text)
  })
})
