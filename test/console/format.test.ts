// Times and prices as people write them.
import { expect, it } from 'vitest'
import { formatPrice, matches, readInstant, readPrice, toInstant } from '../../console/src/format.js'

it.each(['2025-07-24T10:48:00Z', '2025-07-24 10:48', '2025-07-24t10:48z', ' 2025-07-24 10:48:00 '])(
  'args: %s is a time in UTC',
  text => expect(toInstant(readInstant(text)!)).toBe('2025-07-24T10:48:00Z'),
)

it.each(['', 'x', '10:48', '2025-07-24', '2025-13-01', '2025-13-01 10:48', '2025-02-30 10:48', '2025-07-24 24:48'])(
  'error: "%s" is none',
  text => expect(readInstant(text)).toBeUndefined(),
)

it('args: an hour of one digit', () => expect(toInstant(readInstant('2025-07-24 9:05')!)).toBe('2025-07-24T09:05:00Z'))

it.each(['', 'x', '-1', '1e3', '5.', '9'.repeat(320)])('error: "%s" is no price', text => {
  expect(readPrice(text)).toBeUndefined()
})

it('args: a price', () => expect(['0', '50000', '1.25'].map(readPrice)).toEqual([0, 50_000, 1.25]))

it.each([
  [0, '0'],
  [0.052341, '0.052341'],
  [0.99, '0.99000'],
  [1.17432, '1.17432'],
  [111_383.75, '111,383.75'],
  [-1.5, '-1.50000'],
])('args: the price %d is shown as %s', (price, text) => expect(formatPrice(price)).toBe(text))

it('behavior: a small price keeps its digits', () => expect(formatPrice(1.2345e-14)).toBe('0.000000000000012345'))

it.each(['', 'wrong-signer', 'wrong signer', 'Wrong Sign ', 'another key'])('args: "%s" finds wrong-signer', search =>
  expect(matches(search, 'wrong-signer', 'Prices are signed by another key')).toBe(true),
)

it('error: words of two places find nothing', () => expect(matches('wrong key', 'wrong-signer', 'A key')).toBe(false))
