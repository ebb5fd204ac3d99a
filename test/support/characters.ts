// Arbitrary text.
import fc from 'fast-check'

const SURROGATES = 0xd800
const AFTER_SURROGATES = 0xe000

/** Any character of Unicode. The one of fast-check makes a map of all of them first, which takes a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - (AFTER_SURROGATES - SURROGATES) })
  .map(index => String.fromCodePoint(index < SURROGATES ? index : index + AFTER_SURROGATES - SURROGATES))
