// Files that are generated as a whole: the scenarios in the code, the JSON Schema for editors, the page of all faults.
// `npm run docs` writes them.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ENDPOINTS } from '../src/endpoints/index.js'
import { type Fault, STAGES, type Stage, stageOf } from '../src/faults/fault.js'
import { FAULTS } from '../src/faults/index.js'
import { BUILT_IN } from '../src/scenario/built-in.js'
import { toDocumentedSchema } from './support/admin-document.js'
import { configJsonSchema, feedsJsonSchema } from './support/config-json-schemas.js'
import { scenarioJsonSchema } from './support/scenario-json-schema.js'

const SCENARIOS = new URL('../scenarios/', import.meta.url)
const names = readdirSync(SCENARIOS)
  .filter(file => file.endsWith('.json') && file !== 'schema.json')
  .map(file => file.slice(0, -5))
  // The scenario without faults comes first.
  .sort((a, b) => Number(b === 'calm') - Number(a === 'calm') || (a < b ? -1 : 1))

it('behavior: the code holds the scenarios of the folder', async () => {
  const entries = names.map(name => {
    const { $schema, ...scenario } = JSON.parse(readFileSync(new URL(`${name}.json`, SCENARIOS), 'utf8'))
    expect($schema, name).toBe('./schema.json')
    return `  ${JSON.stringify(name)}: ${JSON.stringify(scenario)},\n`
  })
  const text = `// The scenarios that come with the mock: what the files in scenarios/ hold. Written by \`npm run docs\`, not by hand.

/** Keeps the names as literal types. */
const byName = <Name extends string>(scenarios: Readonly<Record<Name, Readonly<Record<string, unknown>>>>) => scenarios

/** Scenarios by name, as they are written. */
export const BUILT_IN = byName({
${entries.join('')}})

/** The name of a scenario that comes with the mock. */
export type BuiltInScenarioName = keyof typeof BUILT_IN
`
  await expect(text).toMatchFileSnapshot('../src/scenario/built-in.ts')
})

it('behavior: the code holds the JSON Schemas of the replies', async () => {
  const entries = ENDPOINTS.map(({ name, reply }) => {
    return `  ${name}: ${JSON.stringify(toDocumentedSchema(reply))},\n`
  })
  const text = `// JSON Schemas of the bodies of the five endpoints, for the OpenAPI document. Building them at run time would add a third to the
// size of the mock in a browser. Written by \`npm run docs\` from the endpoints, not by hand.

/** JSON Schemas of the replies, by the name of their endpoint. */
export const REPLY_SCHEMAS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
${entries.join('')}}
`
  await expect(text).toMatchFileSnapshot('../src/endpoints/reply-schemas.ts')
})

it('behavior: the JSON Schema of scenarios is that of the code', async () => {
  const endpoints = ENDPOINTS.map(({ name }) => name)
  const schema = scenarioJsonSchema(FAULTS, endpoints, fault => {
    const { summary, catches } = proseOf(fault)
    const options = Object.fromEntries(optionsOf(fault).map(({ name, meaning }) => [name, meaning]))
    return { fault: `${summary} Catches: ${catches}`, options }
  })
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../scenarios/schema.json')
})

it('behavior: the JSON Schemas of config files and of feeds are those of the code', async () => {
  for (const [name, schema] of Object.entries({ config: configJsonSchema(), feeds: feedsJsonSchema() }))
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../schemas/${name}.json`)
})

it('behavior: the code holds the descriptions of the faults', async () => {
  const entries = FAULTS.map(fault => {
    const { summary, catches } = proseOf(fault)
    return `  ${JSON.stringify(fault.name)}: ${JSON.stringify({ effect: summary, catches })},\n`
  })
  const text = `// The descriptions of the faults, in which a hunt tells its finds. Written by \`npm run docs\` from their docstrings, not by hand.

/** The effect of each fault, and the consumer's mistake that it finds, by its name. */
export const FAULT_TEXTS: Readonly<Record<string, { readonly effect: string; readonly catches: string }>> = {
${entries.join('')}}
`
  await expect(text).toMatchFileSnapshot('../src/hunt/fault-texts.ts')
})

const TITLES: Readonly<Record<Stage, readonly [title: string, text: string]>> = {
  market: [
    'Market',
    'A market fault changes the price path over time, so all endpoints agree. It takes `feeds`, `from`, `for` and `repeat`. Where it says that derived feeds follow, the staked and wrapped tokens of the feeds change by the same ratio, unless the fault has `"alone": true`.',
  ],
  tick: ['Tick', 'A tick fault changes the tick before it is signed. The signature is valid for the changed tick.'],
  signature: [
    'Signature',
    'A signature fault breaks the link between prices and signature, or changes the form of the signature.',
  ],
  series: [
    'Series',
    'A series fault changes the candles of a chart. It takes no `endpoints`, since one endpoint has candles.',
  ],
  reply: ['Reply', 'A reply fault changes any reply, errors included. The first status wins; delays add up.'],
  wire: ['Wire', 'A wire fault disturbs the delivery of the reply. Only the first active one applies.'],
}

/** The docstring of a fault: its description, and the consumer's mistake in `@catches`. */
function proseOf({ name }: Fault): { summary: string; catches: string } {
  const source = readFileSync(new URL(`../src/faults/${name}.ts`, import.meta.url), 'utf8')
  const [, docstring = ''] = /\/\*\*\n((?: \*[^/].*\n| \*\n)*) \*\/\nexport const \w+ = define/.exec(source) ?? []
  const [summary, catches] = docstring
    .replace(/^ \* ?/gm, '')
    .split('@catches ')
    .map(part => part.trim().replace(/\s+/g, ' '))
  if (!summary || !catches) throw new Error(`${name}: its docstring needs a description and an @catches`)
  return { summary, catches }
}

/** The comments of options, from the option that faults share or from the fault's own file, which wins. */
function meaningsOf({ name }: Fault): Record<string, string> {
  const sources = ['options', name].map(file =>
    readFileSync(new URL(`../src/faults/${file}.ts`, import.meta.url), 'utf8'),
  )
  const commented = sources
    .join('\n')
    .matchAll(/\/\*\* (.*)\. \*\/\n\s*(?:export const )?(\w+)(?::| = (?:option|oneOf))/g)
  return Object.fromEntries([...commented].map(([, text, option]) => [option!, text!]))
}

/** The JSON Schema of a fault's options, with their meanings. */
function optionsOf(fault: Fault) {
  const { properties = {}, required = [] } = z.toJSONSchema(fault.options, { io: 'input' }) as {
    properties?: Record<string, { default?: unknown; enum?: readonly unknown[] }>
    required?: string[]
  }
  const meanings = meaningsOf(fault)
  return Object.entries(properties).map(([name, { default: initial, enum: values }]) => {
    if (meanings[name] === undefined) throw new Error(`${fault.name}: the option ${name} has no comment`)
    return { name, initial, values, meaning: meanings[name], isRequired: required.includes(name) }
  })
}

/** The options of a fault, a line each. */
function describeOptions(fault: Fault): string {
  const lines = optionsOf(fault).map(({ name, initial, values, meaning, isRequired }) => {
    const fallback = initial === undefined ? '' : `, by default \`${JSON.stringify(initial)}\``
    const choices = values === undefined ? '' : `, one of ${values.map(one => `\`${JSON.stringify(one)}\``).join(', ')}`
    return `- \`${name}\`: ${meaning}${choices}${isRequired ? '; must be given' : fallback}\n`
  })
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

/** The built-in scenarios that use a fault. */
const usersOf = ({ name }: Fault): string[] =>
  Object.entries(BUILT_IN).flatMap(([scenario, { faults }]) =>
    (faults as readonly { fault: string }[]).some(({ fault }) => fault === name) ? scenario : [],
  )

/** Characters of a heading that its anchor lacks. */
const anchorOf = (heading: string): string => heading.replace('/', '')

it('behavior: every fault has a heading in docs/faults.md', async () => {
  const sections = STAGES.map(stage => {
    const [title, text] = TITLES[stage]
    const faults = FAULTS.filter(fault => stageOf(fault) === stage)
    const links = faults.map(({ name }) => `[${name.slice(stage.length + 1)}](#${anchorOf(name)})`).join(' · ')
    const parts = faults.map(fault => {
      const { summary, catches } = proseOf(fault)
      const effect = 'isFollowed' in fault ? `${summary} Derived feeds follow.` : summary
      const users = usersOf(fault).map(scenario => `[${scenario}](scenarios.md#${scenario})`)
      const scenarios = users.length === 0 ? '' : `\nIn the scenarios ${users.join(', ')}.\n`
      return `### ${fault.name}\n\n${effect}\n\nFinds: ${catches}\n${describeOptions(fault)}${scenarios}`
    })
    return `## ${title}\n\n${text}\n\n${links}\n\n${parts.join('\n')}`
  })
  const text = `# Faults

All faults, by stage, in the order in which a reply passes the stages: what each does, the mistake of a consumer that it finds, and its
options. [scenarios.md](scenarios.md) explains how to combine faults, and when they apply. \`npx price-feed-mock faults NAME\` shows one
of them.

${sections.join('\n')}`
  await expect(text).toMatchFileSnapshot('../docs/faults.md')
})

it('behavior: the name of a fault is its path, and each folder lists its files', () => {
  const files = STAGES.flatMap(stage =>
    readdirSync(new URL(`../src/faults/${stage}/`, import.meta.url))
      .filter(file => !file.endsWith('.test.ts') && file !== 'index.ts')
      .map(file => `${stage}/${file.slice(0, -3)}`),
  )
  expect(FAULTS.map(({ name }) => name).sort()).toEqual(files.sort())
})
