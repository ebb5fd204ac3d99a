import { describe, expect, it } from 'vitest'
import { VOCABULARY } from '../../test/support/vocabulary.js'
import { BUILT_IN } from './built-in.js'
import { NO_VOCABULARY } from './parse.js'
import { createScenarios } from './scenarios.js'

const OWN = { title: 'Mine', why: 'To see.', faults: [{ fault: 'reply/status' }] }
const BROKEN = { ...OWN, faults: [{ fault: 'reply/sttus' }] }

describe('createScenarios', () => {
  it('default: every scenario that comes with the mock can be read', () => {
    const scenarios = createScenarios(VOCABULARY)
    expect(scenarios.names[0]).toBe('calm')
    for (const name of scenarios.names) expect(scenarios.get(name)).toMatchObject({ name, source: BUILT_IN[name] })
  })

  it('behavior: each is read once, when it is first wanted', () => {
    const scenarios = createScenarios(VOCABULARY)
    expect(scenarios.get('stale-btc')).toBe(scenarios.get('stale-btc'))
    // Without any names nothing else could be read.
    expect(createScenarios(NO_VOCABULARY).get('calm').faults).toEqual([])
  })

  it('args: own ones are added, and win', () => {
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
    })
  })

  it('args: an object is a scenario called inline', () => {
    const scenarios = createScenarios(VOCABULARY)
    expect(scenarios.get({ faults: [] })).toMatchObject({ name: 'inline', title: 'Inline' })
    expect(scenarios.names).not.toContain('inline')
  })

  it('args: parse reads what was written elsewhere, whatever has the name here', () => {
    const scenarios = createScenarios(VOCABULARY)
    expect(scenarios.parse('stale-btc', { faults: [] })).toMatchObject({ name: 'stale-btc', faults: [] })
    expect(scenarios.get('stale-btc').faults).toHaveLength(1)
    expect(() => scenarios.parse('x', BROKEN)).toThrow('The scenario of the snapshot has 1 problem.')
  })

  it('args: set replaces one, or adds it', () => {
    const scenarios = createScenarios(VOCABULARY)
    const before = scenarios.get('stale-btc')
    scenarios.set('stale-btc', OWN)
    expect(scenarios.get('stale-btc').title).toBe('Mine')
    expect(before.title).toBe('BTC is five minutes old')
    scenarios.set('new', OWN)
    expect(scenarios.names.at(-1)).toBe('new')
  })

  it('error: what is wrong leaves what was there', () => {
    const scenarios = createScenarios(VOCABULARY, { mine: OWN })
    for (const name of ['mine', 'stale-btc', 'new'])
      expect(() => scenarios.set(name, BROKEN, 'scenarios/mine.json')).toThrow(
        /^scenarios\/mine\.json has 1 problem\.\n/,
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

  it('error: a name that nobody knows', () => {
    const scenarios = createScenarios(VOCABULARY, { mine: OWN })
    expect(() => scenarios.get('mein')).toThrow(
      expect.objectContaining({ code: 'SCENARIO_UNKNOWN', shortMessage: 'There is no scenario "mein".' }),
    )
    expect(() => scenarios.get('mine2')).toThrow('closest: mine')
    for (const name of ['__proto__', 'constructor', 'toString', ''])
      expect(() => scenarios.get(name)).toThrow('There is no scenario')
  })
})
