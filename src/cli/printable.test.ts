// Text for a terminal: control characters are escaped, all other text is unchanged.
import { expect, it } from 'vitest'
import { toPrintable } from './output.js'

it('default: ordinary text is unchanged', () => {
  const text = 'BTC "stale" \\ größer → 50 % 👩‍💻 قیمت‌ها'
  expect(toPrintable(text)).toBe(text)
})

it('behavior: control characters are escaped as in JSON', () => {
  const text = 'a\x1b[31m\x07\r\n\t\x7f\x9b31m\u202eb\u2066\u2028\u0000'
  expect(toPrintable(text)).toBe(String.raw`a\u001b[31m\u0007\r\n\t\u007f\u009b31m\u202eb\u2066\u2028\u0000`)
  expect(JSON.parse(`"${toPrintable(text)}"`)).toBe(text)
})
