// The scenarios of a mock: built in, added, replaced, unknown.
import { expect, it } from 'vitest'
import { VOCABULARY } from '../../test/support/vocabulary.js'
import { BUILT_IN } from './built-in.js'
import { NO_VOCABULARY } from './parse.js'
import { createScenarios, type ScenarioSources } from './scenarios.js'

const OWN = { title: 'Mine', why: 'To see.', faults: [{ fault: 'reply/status' }] }
const BROKEN = { ...OWN, faults: [{ fault: 'reply/sttus' }] }

it('default: every built-in scenario is valid', () => {
  const scenarios = createScenarios(VOCABULARY)
  expect(scenarios.names[0]).toBe('calm')
  for (const name of scenarios.names)
    expect(scenarios.get(name)).toMatchObject({ name, source: (BUILT_IN as ScenarioSources)[name] })
})

it('behavior: each is parsed once, on first use', () => {
  const scenarios = createScenarios(VOCABULARY)
  expect(scenarios.get('stale-btc')).toBe(scenarios.get('stale-btc'))
  // Other scenarios need names of faults.
  expect(createScenarios(NO_VOCABULARY).get('calm').faults).toEqual([])
})

it('args: own scenarios are added, and replace built-in ones', () => {
  const scenarios = createScenarios(VOCABULARY, { mine: OWN, 'stale-btc': OWN })
  expect(scenarios.names).toEqual([...Object.keys(BUILT_IN), 'mine'])
  expect(scenarios.get('stale-btc').title).toBe('Mine')
  expect(scenarios.has('mine')).toBe(true)
  expect(scenarios.has('__proto__')).toBe(false)
  expect(scenarios.list().find(({ name }) => name === 'mine')).toEqual({
    name: 'mine',
    title: 'Mine',
    why: 'To see.',
    faults: 1,
    stages: ['reply'],
  })
})

it('behavior: a scenario is called by its file or its name, as long as it is the one of that name', () => {
  const scenarios = createScenarios(VOCABULARY, { mine: OWN, toString: OWN }, { mine: 'mine.json' })
  const called = (name: string) => scenarios.fileOrNameOf(scenarios.get(name))
  expect(['mine', 'stale-btc', 'toString'].map(called)).toEqual(['mine.json', 'stale-btc', undefined])
  const before = scenarios.get('mine')
  scenarios.set('mine', { ...OWN, title: 'Changed' })
  expect(scenarios.fileOrNameOf(before)).toBeUndefined()
  expect(called('mine')).toBe('mine.json')
})

it('args: an object is a scenario with the name inline', () => {
  const scenarios = createScenarios(VOCABULARY)
  expect(scenarios.get({ faults: [] })).toMatchObject({ name: 'inline', title: 'Inline' })
  expect(scenarios.names).not.toContain('inline')
  const want = 'another name: this one is that of scenarios which are given as an object'
  expect(() => scenarios.set('inline', OWN)).toThrow(want)
})

it('behavior: the source of a parsed scenario is not parsed again', () => {
  const scenarios = createScenarios(VOCABULARY)
  const given = { faults: [{ fault: 'market/stale' }] }
  const first = scenarios.get(given)
  expect(scenarios.get(first.source)).toBe(first)
  expect(scenarios.parse('mine', first.source)).toEqual({ ...first, name: 'mine' })
  expect(scenarios.parse('mine', first.source).faults).toBe(first.faults)
  // The caller may change an object of their own.
  given.faults.pop()
  expect(scenarios.get(given).faults).toEqual([])
})

it('args: parse takes a name that belongs to another scenario', () => {
  const scenarios = createScenarios(VOCABULARY)
  expect(scenarios.parse('stale-btc', { faults: [] })).toMatchObject({ name: 'stale-btc', faults: [] })
  expect(scenarios.get('stale-btc').faults).toHaveLength(1)
  expect(() => scenarios.parse('x', BROKEN)).toThrow(expect.objectContaining({ code: 'SCENARIO_INVALID' }))
})

it('args: set replaces or adds a scenario', () => {
  const scenarios = createScenarios(VOCABULARY)
  const before = scenarios.get('stale-btc')
  scenarios.set('stale-btc', OWN)
  expect(scenarios.get('stale-btc').title).toBe('Mine')
  expect(before.title).toBe('BTC is five minutes old')
  scenarios.set('new', OWN)
  expect(scenarios.names.at(-1)).toBe('new')
})

it('error: an invalid scenario leaves the existing one', () => {
  const scenarios = createScenarios(VOCABULARY, { mine: OWN })
  for (const name of ['mine', 'stale-btc', 'new'])
    expect(() => scenarios.set(name, BROKEN, 'scenarios/mine.json')).toThrow(
      expect.objectContaining({
        code: 'SCENARIO_INVALID',
        shortMessage: expect.stringMatching(/^scenarios\/mine\.json /),
        problems: [expect.objectContaining({ at: 'faults[0].fault' })],
      }),
    )
  expect(scenarios.get('mine').faults[0]!.fault.name).toBe('reply/status')
  expect(scenarios.get('stale-btc').title).toBe('BTC is five minutes old')
  expect(scenarios.has('new')).toBe(false)
})

it('error: the text of a wrong name', () => {
  expect(() => createScenarios(VOCABULARY, { '../x': OWN })).toThrowErrorMatchingInlineSnapshot(`
    [ScenarioInvalidError: A scenario cannot have this name.
      at    name
      got   "../x" (string)
      want  letters, digits, . _ and -, at most 51, beginning with a letter or a digit
      code  SCENARIO_INVALID]
  `)
})

it('error: an unknown name', () => {
  const scenarios = createScenarios(VOCABULARY, { mine: OWN })
  expect(() => scenarios.get('mein')).toThrow(
    expect.objectContaining({
      code: 'SCENARIO_UNKNOWN',
      problems: [expect.objectContaining({ got: 'mein', closest: 'mine' })],
    }),
  )
  expect(() => scenarios.get('mine2')).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ closest: 'mine' })] }),
  )
  for (const name of ['__proto__', 'constructor', 'toString', ''])
    expect(() => scenarios.get(name), name).toThrow(expect.objectContaining({ code: 'SCENARIO_UNKNOWN' }))
})
