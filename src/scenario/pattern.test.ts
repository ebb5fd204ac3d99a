import { describe, expect, it } from 'vitest'
import { planTimes } from './pattern.js'

const EVER = Number.POSITIVE_INFINITY
/** What was written reads back in problems: here in capitals, so that it is told apart from what was read. */
const WRITTEN = { from: 'FROM', for: 'FOR', repeat: 'REPEAT' }
const plan = (selectors: Parameters<typeof planTimes>[0], loop?: number) =>
  planTimes(selectors, loop, 'faults[0]', WRITTEN)

describe('planTimes', () => {
  it('default: always, which needs no words', () => {
    expect(plan({})).toEqual({
      pattern: { shift: 0, windows: [{ from: 0, until: EVER }], period: EVER },
      words: undefined,
      problems: [],
    })
  })

  it.each([
    [{ from: 10 }, 10, EVER, EVER, '10s–'],
    [{ for: 20 }, 0, 20, EVER, '0s–20s'],
    [{ from: 10, for: 20 }, 10, 20, EVER, '10s–30s'],
    [{ from: 10, for: 20, repeat: 60 }, 10, 20, 60, '10s–30s every 60s'],
    [{ for: 60, repeat: 60 }, 0, 60, 60, '0s–60s every 60s'],
  ])('args: %j', (selectors, shift, until, period, words) => {
    const pattern = { shift, windows: [{ from: 0, until }], period }
    expect(plan(selectors)).toEqual({ pattern, words, problems: [] })
  })

  it.each([
    [{}, [[0, 100]], undefined],
    [{ from: 30 }, [[30, 100]], '30s–'],
    [{ from: 30, for: 20 }, [[30, 50]], '30s–50s'],
    [{ from: 90, for: 20 }, [[90, 100]], '90s–110s'],
    [
      { from: 10, for: 5, repeat: 40 },
      [
        [10, 15],
        [50, 55],
        [90, 95],
      ],
      '10s–15s every 40s',
    ],
    [
      { from: 20, for: 40, repeat: 40 },
      [
        [20, 60],
        [60, 100],
      ],
      '20s–60s every 40s',
    ],
    [{ for: 5, repeat: 200 }, [[0, 5]], '0s–5s every 200s'],
  ])('args: %j in a loop of 100 seconds', (selectors, windows, words) => {
    expect(plan(selectors, 100)).toEqual({
      pattern: { shift: 0, windows: windows.map(([from, until]) => ({ from, until })), period: 100 },
      words,
      problems: [],
    })
  })

  it('args: a loop may hold a thousand windows', () => {
    expect(plan({ for: 1, repeat: 1 }, 1000).pattern.windows).toHaveLength(1000)
  })

  it.each([
    [{ repeat: 60 }, undefined, [['for', undefined, 'how long each repetition lasts']]],
    [{ for: 61, repeat: 60 }, undefined, [['for', 'FOR', 'at most REPEAT, the time of "repeat"']]],
    [{ from: 100 }, 100, [['from', 'FROM', 'a time before 100s, when the loop begins again']]],
    [
      { for: 1, repeat: 1 },
      1001,
      [['repeat', 'REPEAT', 'a longer time: at most 1000 repetitions fit into a loop of 1001s']],
    ],
    [
      { from: 5000, for: 9, repeat: 2 },
      4000,
      [
        ['for', 'FOR', 'at most REPEAT, the time of "repeat"'],
        ['from', 'FROM', 'a time before 4000s, when the loop begins again'],
        ['repeat', 'REPEAT', 'a longer time: at most 1000 repetitions fit into a loop of 4000s'],
      ],
    ],
  ] as const)('error: %j, loop %s', (selectors, loop, problems) => {
    const { pattern, problems: found } = plan(selectors, loop)
    expect(found).toEqual(problems.map(([key, got, want]) => ({ at: `faults[0].${key}`, got, want })))
    // Nothing acts that nobody understands.
    expect(pattern.windows).toEqual([])
  })
})
