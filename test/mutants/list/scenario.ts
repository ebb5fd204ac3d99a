// Mistakes in scenarios: selectors, times, parsing.
import type { Mutant } from '../mutant.js'

/** Mistakes in scenarios: selectors, times, parsing. */
export const SCENARIO: readonly Mutant[] = [
  {
    file: 'scenario/scenario.ts',
    find: 'ordinal <= requests.first',
    replace: 'ordinal < requests.first',
    why: 'the last of the first requests is passed over',
  },
  {
    file: 'scenario/scenario.ts',
    find: 'ordinal >= from && ordinal <= to',
    replace: 'ordinal > from && ordinal <= to',
    why: 'a range of requests begins a request late',
  },
  {
    file: 'scenario/scenario.ts',
    find: "uniformAt(fault, input, 'chance') >= fault.chance",
    replace: "uniformAt(fault, input, 'chance') < fault.chance",
    why: 'chance chooses the other requests',
  },
  {
    file: 'scenario/scenario.ts',
    find: 'const name = `${seed}:${index}:${endpoint}:${purpose}`',
    replace: 'const name = `${seed}:${endpoint}:${purpose}`',
    why: 'two faults draw the same chance',
  },
  {
    file: 'scenario/pattern.ts',
    find: 'until: Math.min(start + length, loop)',
    replace: 'until: start + length',
    why: 'a window reaches into the next loop',
  },
  {
    file: 'scenario/pattern.ts',
    find: 'start < loop; start +=',
    replace: 'start <= loop; start +=',
    why: 'a repetition begins where the loop ends',
  },
  {
    file: 'scenario/pattern.ts',
    find: "reportIf(from >= loop, 'from'",
    replace: "reportIf(from > loop, 'from'",
    why: 'a fault that begins with the end of its loop is accepted',
  },
  {
    file: 'scenario/parse.ts',
    find: 'if (chosen !== undefined && !chosen.has(feed.id)) continue',
    replace: '',
    why: 'options are checked against feeds that the fault is not for',
  },
  {
    file: 'scenario/parse.ts',
    find: 'const [from, to = from] = range',
    replace: 'const [from, to = 1] = range',
    why: 'a single request is a range from it to 1',
  },
  {
    file: 'scenario/parse.ts',
    find: 'selectors.chance ?? 1',
    replace: 'selectors.chance ?? 0',
    why: 'a fault without chance never acts',
  },
  {
    file: 'scenario/scenarios.ts',
    find: 'if (JSON.stringify(present) !== JSON.stringify(source)) return undefined',
    replace: '',
    why: 'a changed scenario is called by the name of the old one',
  },
  {
    file: 'scenario/schema.ts',
    find: 'return from! <= to!',
    replace: 'return from! < to!',
    why: 'a range of one request is refused',
  },
]
