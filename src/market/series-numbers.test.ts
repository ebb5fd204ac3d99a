// Numbers of series are exact: as BigInt reads their digits.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { parseUnits, parseVolume } from './series-text.js'

/** The same by BigInt. */
function unitsOf(whole: string, fraction: string, power: number, places: number): number {
  const shift = power + places - fraction.length
  const digits = BigInt(whole + fraction || '0')
  const scale = 10n ** BigInt(Math.abs(shift))
  const units = shift >= 0 ? digits * scale : (2n * digits + scale) / (2n * scale)
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(units) : Number.NaN
}

test('behavior: decimals are units, rounded half up, as BigInt counts them', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 })
  check([digits, digits, fc.integer({ min: -30, max: 30 }), fc.integer({ min: 0, max: 18 })], (a, b, power, places) => {
    fc.pre(a + b !== '')
    const expected = unitsOf(a, b, power, places)
    expect(parseUnits(`${a}.${b}e${power}`, places)).toBe(expected)
    expect(parseUnits(`${a}.${b}E${power < 0 ? '' : '+'}${power}`, places)).toBe(expected)
    for (const fraction of [b, b.slice(0, places)])
      if (a + fraction !== '') expect(parseUnits(`${a}.${fraction}`, places)).toBe(unitsOf(a, fraction, 0, places))
  })
})

test.each(['', '.', '-1', '+1', '1.2.3', '1,5', 'e5', '1e', '1e1.5', '1e1234', 'NaN', 'Infinity', '0x10', ' 1', '１'])(
  'error: %j is no decimal',
  text => expect(parseUnits(text, 8)).toBeNaN(),
)

test('behavior: half a unit is rounded up, where a double is below it', () => {
  expect(1.005 * 100).toBeLessThan(100.5)
  expect(parseUnits('1.005', 2)).toBe(101)
})

test.each([
  ['12.5', 12.5, 1],
  ['1.500', 1.5, 1],
  ['.25', 0.25, 2],
  ['7', 7, 0],
  ['1e3', 1000, 8],
  ['0.100000000', 0.1, 1],
  ['0.100000000001', 0.100000000001, 8],
  ['9007199254740991', Number.MAX_SAFE_INTEGER, 0],
  ['9007199254740992', Number.NaN, 0],
  ['-1', Number.NaN, 0],
  ['.', Number.NaN, 0],
])('args: the volume %s', (text, volume, places) => expect(parseVolume(text)).toEqual({ volume, places }))

test('behavior: a volume of many digits is read in linear time', () => {
  expect(parseVolume(`0.${'0'.repeat(1e5)}1`)).toEqual({ volume: 0, places: 8 })
})
