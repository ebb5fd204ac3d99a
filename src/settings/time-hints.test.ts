// The message about a value that is no time: it gives the likely one.
import { expect, it } from 'vitest'
import { wantInstant } from './time.js'

it.each([
  [1_753_354_105_000, /; 1753354105000 are milliseconds: write 1753354105$/],
  ['2025-07-24', / write 2025-07-24T00:00:00Z$/],
  ['2025-07-24 10:48', / write 2025-07-24T10:48Z$/],
  ['2025-07-24 10:48:25Z', / write 2025-07-24T10:48:25Z$/],
  ['2025-07-24T12:48:25.5+02:00', / write 2025-07-24T10:48:25\.500Z$/],
  ['2025-02-30', /seconds since the epoch$/],
  ['now', /seconds since the epoch$/],
  [undefined, /seconds since the epoch$/],
  [new Date(Number.NaN), /; of a Date its toISOString\(\)$/],
  [{}, /seconds since the epoch$/],
  [{ toString: 1 }, /seconds since the epoch$/],
  [[1_753_354_105_000], /seconds since the epoch$/],
])('behavior: %j', (value, want) => expect(wantInstant(value)).toMatch(want))
