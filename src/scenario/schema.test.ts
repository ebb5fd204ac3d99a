// The JSON Schema of scenario files against the parser.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { plannedFault, scenario } from '../../test/support/arbitrary-scenario.js'
import { check } from '../../test/support/seed.js'
import { VOCABULARY } from '../../test/support/vocabulary.js'
import { type Fault, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { parseScenario } from './parse.js'

const FOLDER = new URL('../../scenarios/', import.meta.url)
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
// In the strict mode that users of ajv have, it logs nothing and refuses nothing.
const validate = new Ajv2020({ strict: true, strictRequired: true, allErrors: true }).compile(read('schema.json'))
const accepts = (data: unknown): boolean => validate(data) as boolean
const withFault = (fault: unknown) => ({ title: 't', why: 'w', faults: [fault] })

const parses = (data: unknown): boolean => {
  try {
    parseScenario(data, VOCABULARY, { name: 'x', subject: 'x', inline: false })
    return true
  } catch {
    return false
  }
}
/** The least that a fault needs; the prices of an example are those of BTC. */
const exampleOf = (fault: Fault): object => ({
  fault: fault.name,
  ...(fault.example ? { feeds: ['BTCUSD'], options: fault.example } : {}),
})

it.each(readdirSync(FOLDER).filter(file => file !== 'schema.json'))('default: accepts %s', file => {
  expect(accepts(read(file)), JSON.stringify(validate.errors)).toBe(true)
})

it('default: accepts every fault by name, and no other name', () => {
  for (const fault of FAULTS) expect(accepts(withFault(exampleOf(fault))), fault.name).toBe(true)
  for (const name of ['market/stail', 'stale', 'Market/Stale', '', 'wire', 'constructor'])
    expect(accepts(withFault({ fault: name })), name).toBe(false)
})

it('error: refuses unknown options and unknown keys of every fault', () => {
  for (const fault of FAULTS) {
    const example = exampleOf(fault) as { options?: object }
    expect(accepts(withFault({ ...example, options: { ...example.options, nonsense: 1 } })), fault.name).toBe(false)
    expect(accepts(withFault({ ...example, option: {} })), fault.name).toBe(false)
  }
})

it('error: refuses selectors of other stages', () => {
  const VALUES = { feeds: ['BTCUSD'], endpoints: ['latest'], from: '5s', for: '5s', requests: '1', chance: 0.5 }
  for (const fault of FAULTS)
    for (const [key, value] of Object.entries(VALUES)) {
      const stage = stageOf(fault)
      const isTaken =
        stage === 'market'
          ? !['endpoints', 'requests', 'chance'].includes(key)
          : !(stage === 'series' && key === 'endpoints')
      const data = withFault({ ...exampleOf(fault), [key]: value })
      expect([accepts(data), parses(data)], `${fault.name} ${key}`).toEqual([isTaken, isTaken])
    }
})

it.each([
  ['an unknown key', { title: 't', why: 'w', faults: [], fautls: [] }],
  ['no title', { why: 'w', faults: [] }],
  ['no faults', { title: 't', why: 'w' }],
  ['an empty title', { title: '', why: 'w', faults: [] }],
  ['a loop without a unit', { title: 't', why: 'w', loop: '5', faults: [] }],
  ['a loop of zero', { title: 't', why: 'w', loop: '0s', faults: [] }],
  ['too many faults', { title: 't', why: 'w', faults: Array.from({ length: 101 }, () => ({ fault: 'wire/reset' })) }],
  ['an unknown policy', { title: 't', why: 'w', policy: { candels: 5 }, faults: [] }],
  ['a clock that is advanced', { title: 't', why: 'w', clock: { advance: '5s' }, faults: [] }],
  ['a fault that is a name', withFault('wire/reset')],
  ['a fault without a name', withFault({ from: '5s' })],
  ['an unknown endpoint', withFault({ fault: 'wire/reset', endpoints: ['lates'] })],
  ['no endpoints', withFault({ fault: 'wire/reset', endpoints: [] })],
  ['no feeds', withFault({ fault: 'wire/reset', feeds: [] })],
  ['requests from 0', withFault({ fault: 'wire/reset', requests: '0' })],
  ['requests of two kinds', withFault({ fault: 'wire/reset', requests: { first: 1, every: 1 } })],
  ['a chance above 1', withFault({ fault: 'wire/reset', chance: 2 })],
  ['a negative time', withFault({ fault: 'wire/reset', from: '-5s' })],
  ['a repetition without end', withFault({ fault: 'wire/reset', repeat: '5s' })],
  ['a time of zero', withFault({ fault: 'wire/reset', for: '0s' })],
  ['an option out of range', withFault({ fault: 'reply/status', options: { status: 999 } })],
  ['options that are missing', withFault({ fault: 'market/price' })],
  ['options that are null', withFault({ fault: 'reply/status', options: null })],
])('error: refuses %s, as the parser does', (_, data) => {
  expect([accepts(data), parses(data)]).toEqual([false, false])
})

it('error: an entry without the name of its fault has that problem only', () => {
  accepts(withFault({ options: {} }))
  expect(validate.errors!.map(({ message }) => message)).toEqual(["must have required property 'fault'"])
})

it('default: has a description for editors of every key of a scenario and of every fault', () => {
  const { properties, $defs } = read('schema.json')
  const { $schema: _, policy, ...keys } = properties
  expect(policy).toEqual({ $ref: '#/$defs/Policy' })
  const { clock, faults } = keys
  const { anyOf, enum: names } = faults.items.properties.fault
  const described = { ...keys, ...clock.properties, policy: $defs.Policy, ...$defs.Policy.properties, ...anyOf }
  for (const [name, { description }] of Object.entries<{ description?: string }>(described))
    expect(description, name).toEqual(expect.any(String))
  expect(anyOf.map((one: { const: string }) => one.const)).toEqual(names)
})

it('behavior: accepts every scenario that the parser accepts', () => {
  let accepted = 0
  check([scenario], [300, 500], data => {
    const json = JSON.parse(JSON.stringify(data))
    if (!parses(json)) return
    accepted++
    expect(accepts(json), JSON.stringify(validate.errors)).toBe(true)
  })
  expect(accepted).toBeGreaterThan(50)
})

it('behavior: accepts every single fault that the parser accepts', () => {
  for (const fault of FAULTS) {
    let accepted = 0
    check([plannedFault(fault)], 40, one => {
      const json = JSON.parse(JSON.stringify(withFault(one)))
      if (!parses(json)) return
      accepted++
      expect(accepts(json), JSON.stringify(validate.errors)).toBe(true)
    })
    expect(accepted, fault.name).toBeGreaterThan(0)
  }
})
