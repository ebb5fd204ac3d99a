// Text for a terminal: what drives one is escaped, all else stays.
import { expect, it } from 'vitest'
import { toPrintable } from './printable.js'

it('default: ordinary text stays as it is', () => {
  const text = 'BTC "stale" \\ größer → 50 % 👩‍💻 قیمت‌ها'
  expect(toPrintable(text)).toBe(text)
})

it('behavior: what drives a terminal is escaped, and stays readable as JSON', () => {
  const text = 'a\x1b[31m\x07\r\n\t\x7f\x9b31m\u202eb\u2066\u2028\u0000'
  expect(toPrintable(text)).toBe(String.raw`a\u001b[31m\u0007\r\n\t\u007f\u009b31m\u202eb\u2066\u2028\u0000`)
  expect(JSON.parse(`"${toPrintable(text)}"`)).toBe(text)
})
