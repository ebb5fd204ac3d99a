// Patterns: windows from `from`, `for`, `repeat` and `loop`, and contradictions between them.
import { describe, expect, it } from 'vitest'
import { describeTimes, planTimes } from './pattern.js'

const EVER = Number.POSITIVE_INFINITY
const plan = (written: object, loop?: number) => planTimes({ ...written }, loop, 'faults[0]')

describe('planTimes', () => {
  it('default: always, with an empty description', () => {
    expect(plan({})).toEqual({
      pattern: { shift: 0, windows: [{ from: 0, until: EVER }], period: EVER },
      problems: [],
    })
    expect(describeTimes({})).toBe('')
  })

  it.each([
    [{ from: '10s' }, 10, EVER, EVER, 'from 10s'],
    [{ for: '20s' }, 0, 20, EVER, 'for 20s'],
    [{ from: '10s', for: '20s' }, 10, 20, EVER, 'from 10s for 20s'],
    [{ from: '10s', for: '20s', repeat: '60s' }, 10, 20, 60, 'from 10s for 20s repeat 60s'],
    [{ for: '60s', repeat: '60s' }, 0, 60, 60, 'for 60s repeat 60s'],
    // As they were written: who wrote hours reads hours.
    [{ from: '1h', for: '90s', repeat: '1d' }, 3600, 90, 86_400, 'from 1h for 90s repeat 1d'],
  ])('args: %j', (selectors, shift, until, period, words) => {
    const pattern = { shift, windows: [{ from: 0, until }], period }
    expect(plan(selectors)).toEqual({ pattern, problems: [] })
    expect(describeTimes({ ...selectors })).toBe(words)
  })

  it.each([
    [{}, [[0, 100]], ''],
    [{ from: '30s' }, [[30, 100]], 'from 30s'],
    [{ from: '30s', for: '20s' }, [[30, 50]], 'from 30s for 20s'],
    [{ from: '90s', for: '20s' }, [[90, 100]], 'from 90s for 20s'],
    [
      { from: '10s', for: '5s', repeat: '40s' },
      [
        [10, 15],
        [50, 55],
        [90, 95],
      ],
      'from 10s for 5s repeat 40s',
    ],
    [
      { from: '20s', for: '40s', repeat: '40s' },
      [
        [20, 60],
        [60, 100],
      ],
      'from 20s for 40s repeat 40s',
    ],
    [{ for: '5s', repeat: '100s' }, [[0, 5]], 'for 5s repeat 100s'],
    [{ for: '100s' }, [[0, 100]], 'for 100s'],
  ])('args: %j in a loop of 100 seconds', (selectors, windows, words) => {
    expect(plan(selectors, 100)).toEqual({
      pattern: { shift: 0, windows: windows.map(([from, until]) => ({ from, until })), period: 100 },
      problems: [],
    })
    expect(describeTimes({ ...selectors })).toBe(words)
  })

  it('args: a loop of a thousand windows', () => {
    expect(plan({ for: '1s', repeat: '1s' }, 1000).pattern.windows).toHaveLength(1000)
  })

  it.each([
    [{ repeat: '60s' }, undefined, ['for']],
    [{ repeat: '60x' }, undefined, ['for']],
    [{ for: '61s', repeat: '1m' }, undefined, ['for']],
    [{ from: '100s' }, 100, ['from']],
    [{ for: '101s' }, 100, ['for']],
    [{ for: '5s', repeat: '101s' }, 100, ['repeat']],
    [{ for: '1s', repeat: '1s' }, 1001, ['repeat']],
    [{ from: '5000s', for: '9s', repeat: '2s' }, 4000, ['for', 'from', 'repeat']],
    // Unparsable times are reported by the schema, and hide no contradictions.
    [{ from: '-5s', for: '101s' }, 100, ['for']],
    [{ from: '5s', for: '0s', repeat: '5m' }, 100, ['repeat']],
  ] as const)('error: %j, loop %s', (written, loop, problems) => {
    const { pattern, problems: found } = plan(written, loop)
    const got = written as Readonly<Record<string, unknown>>
    expect(found.map(({ at, got }) => ({ at, got }))).toEqual(
      problems.map(key => ({ at: `faults[0].${key}`, got: got[key] })),
    )
    // An invalid pattern has no windows.
    expect(pattern.windows).toEqual([])
  })
})
