// Which fault explains a failure best, and which failures are one find.
import { expect, it } from 'vitest'
import { FAULTS } from '../faults/index.js'
import { areAlike, areOfOneKind, familyOf, plainerThan } from './causes.js'

it('default: each fault is of a family', () => {
  const families = FAULTS.map(({ name }) => familyOf({ fault: name }))
  expect(families.filter(family => family.includes('/'))).toEqual([])
})

it.each([
  ['reply/status', { status: 401 }, 'key'],
  ['reply/status', { status: 403 }, 'key'],
  ['reply/status', { status: 429 }, 'limit'],
  ['reply/status', { status: 503 }, 'reply'],
  ['reply/rate-limit', {}, 'limit'],
  ['tick/wrong-expo', { by: 2 }, 'number'],
  ['tick/ts-skew', { seconds: 1 }, 'time'],
  ['market/stale', {}, 'time'],
  ['market/gap', {}, 'feed'],
  ['tick/missing-feed', {}, 'feed'],
  ['market/shock', {}, 'move'],
  ['wire/reset', {}, 'reply'],
])('default: the family of %s %j is %s', (fault, options, family) => {
  expect(familyOf({ fault, options })).toBe(family)
})

it('default: each explanation differs from the fault', () => {
  for (const { name, example = {} } of FAULTS)
    for (const options of [{}, example as Readonly<Record<string, unknown>>])
      for (const plainer of plainerThan({ fault: name, options })) {
        expect(FAULTS.map(fault => fault.name)).toContain(plainer.at(-1)!.fault)
        expect([plainer.at(-1)!.fault, plainer.at(-1)!.options ?? {}]).not.toEqual([name, options ?? {}])
      }
})

it('behavior: a fault with options may be explained by itself without', () => {
  const status: ReturnType<typeof plainerThan> = [[{ fault: 'reply/status' }]]
  expect(plainerThan({ fault: 'reply/status' })).toEqual([])
  expect(plainerThan({ fault: 'reply/status', options: {} })).toEqual([])
  expect(plainerThan({ fault: 'reply/status', options: { status: 404 } })).toEqual(status)
  expect(plainerThan({ fault: 'market/stale' })).toEqual([])
})

it.each([
  ['sold at 0x1f\nx', 'y\nsold at 0xabc', true],
  ['took 12.5 s', 'took 7 s', true],
  ['moved by -12.5 %', 'moved by 7 %', true],
  ['moved by 1.5e-7', 'moved by 7', true],
  ['closed at -12.5,-3,4', 'closed at 7,8.25,9', true],
  ['sold', 'bought', false],
  ['1\n--', 'bought', true],
  ['bought', '', true],
  ['a\nsold', 'a\nbought', false],
  ['BTCUSD was sold twice', 'ETHUSD was sold twice', true],
  ['slot btc-2 is late', 'slot eth-1 is late', true],
  ['slot btcx is late', 'slot ethx is late', false],
  ['0x1f', 'bought', true],
  ['SyntaxError: Unexpected end of JSON input', 'SyntaxError: Unterminated string in JSON at position 9', true],
  // Uncaught, in Node and in Python.
  [
    'x.mjs:3\n  price.toFixed()\n  ^\nTypeError: no function\n    at x.mjs:3:5\n\nNode.js v20.1.0',
    'SyntaxError: no JSON\n    at x.mjs:2:9\n\nNode.js v20.1.0',
    false,
  ],
  ['Traceback (most recent call last):\nKeyError: "price"', 'Traceback (most recent call last):\nValueError', false],
  // Of a test runner.
  [
    'AssertionError: sold\n- Expected\n+ Received\n Tests  1 failed (3)',
    'AssertionError: bought\n- Expected\n+ Received\n Tests  1 failed (3)',
    false,
  ],
])('default: are %j and %j of one cause: %s', (a, b, alike) => {
  expect(areAlike(a, b)).toBe(alike)
  expect(areOfOneKind(a, b)).toBe(alike)
})

it.each([
  ['Error: sold twice: order a', 'Error: sold twice: order b', true],
  ['Error: sold twice: order a', 'Error: bought twice: order a', false],
  ['AssertionError [ERR_ASSERTION]: a sale', 'AssertionError [ERR_ASSERTION]: no order', false],
  ['at noon\nError: sold twice: 7', 'Error: sold twice, order b', true],
])('default: are %j and %j of one kind: %s', (a, b, isOne) => {
  expect(areOfOneKind(a, b)).toBe(isOne)
  expect(areAlike(a, b)).toBe(false)
})
