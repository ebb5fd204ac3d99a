// Mistakes in settings: times, keys, precedence.
import type { Mutant } from '../mutant.js'

/** Mistakes in settings: times, keys, precedence. */
export const SETTINGS: readonly Mutant[] = [
  {
    file: 'settings/time.ts',
    find: 'ms < (LATEST + 1) * 1000',
    replace: 'ms < LATEST * 1000',
    why: 'the last second of 2105 is refused',
  },
  {
    file: 'settings/time.ts',
    find: 'toInstant(ms).slice(0, 16) === value.slice(0, 16) ? inRange(ms) : undefined',
    replace: 'inRange(ms)',
    why: '30 February is read as 2 March',
  },
  {
    file: 'settings/time.ts',
    find: ".padEnd(3, '0')",
    replace: ".padStart(3, '0')",
    why: 'a tenth of a second is read as a millisecond',
  },
  {
    file: 'settings/settings.ts',
    find: 'key > 0n && key < CURVE_ORDER',
    replace: 'key > 0n && key <= CURVE_ORDER',
    why: 'the order of the curve is accepted as a key',
  },
  {
    file: 'settings/settings.ts',
    find: 'filter(([, value]) => value !== undefined)',
    replace: 'filter(() => true)',
    why: 'an undefined setting hides the one below it',
  },
  {
    file: 'settings/settings.ts',
    find: 'layouts: { ...settings.signing?.layouts, ...patch.signing?.layouts }',
    replace: 'layouts: { ...patch.signing?.layouts, ...settings.signing?.layouts }',
    why: 'a layout of a later patch does not win',
  },
  {
    file: 'settings/schema.ts',
    find: 'text.charCodeAt(i) === BACKSLASH ? 2 : 1',
    replace: '1',
    why: 'an escaped quote ends a string while values are counted',
  },
  {
    file: 'settings/schema.ts',
    find: '/Unsafe$|\\bapiKeys(\\[\\d+\\])?$|^adminToken$|',
    replace: '/Unsafe$|^adminToken$|',
    why: 'an invalid API key is shown',
  },
  {
    file: 'settings/schema.ts',
    find: "if (key === '__proto__')",
    replace: "if (key === 'prototype')",
    why: 'a key __proto__ is accepted',
  },
  {
    file: 'settings/policy.ts',
    find: 'default: 525_600',
    replace: 'default: 525_599',
    why: 'a whole year of minutes is refused',
  },
]
