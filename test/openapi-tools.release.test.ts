// The OpenAPI document in the tools of its readers: two linters by their default rules, and a generator of types. They weigh 130 MB,
// so they are installed here and not with the project.
import { beforeAll, expect, it } from 'vitest'
import { startServer } from '../src/hosts/node/server.js'
import { LIMIT_MS, openWorkshop, type Workshop } from './kits/recipes.js'

let workshop: Workshop
let document: string
beforeAll(async () => {
  workshop = await openWorkshop('openapi', [
    '@redocly/cli@2',
    '@stoplight/spectral-cli@6',
    'openapi-typescript@7',
    'typescript@5',
  ])
  const server = await startServer({ port: 0 })
  document = await (await fetch(`${server.url}/_mock/openapi.json`)).text()
  await server.stop()
}, LIMIT_MS)

const RULES = '{ "extends": ["spectral:oas"] }'

it.concurrent.for([
  ['redocly', 'npx redocly lint openapi.json --extends recommended', /Your API description is valid/],
  ['spectral', 'npx spectral lint openapi.json --fail-severity hint', /No results with a severity of 'hint' or higher/],
] as const)('behavior: %s finds nothing', { timeout: LIMIT_MS }, async ([name, command, passed], context) => {
  const files = { 'openapi.json': document, '.spectral.json': RULES }
  const folder = await workshop.createProject(context, name, files)
  const { status, output } = await workshop.run(folder, `REDOCLY_TELEMETRY=off ${command}`, context.signal)
  expect(output).toMatch(passed)
  // Warnings leave the status at 0.
  expect(output).not.toMatch(/You have \d+ warning/)
  expect(status, output).toBe(0)
})

it.concurrent('behavior: the types of openapi-typescript compile, and a batch has symbols and numbers', {
  timeout: LIMIT_MS,
}, async context => {
  const folder = await workshop.createProject(context, 'types', {
    'openapi.json': document,
    'tsconfig.json': JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] } }),
    'consumer.ts': `import type { operations, paths } from './api'
type Body<Name extends 'batch' | 'latest'> = operations[Name]['responses'][200]['content']['application/json']
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same: [Same<Body<'batch'>['prices'][number]['feedId'], string>, Same<Body<'latest'>['price'], number>] = [true, true]
const path: keyof paths = '/prices/{feedId}/latest'
export { path, same }
`,
  })
  const command = 'npx openapi-typescript openapi.json -o api.d.ts && npx tsc'
  const { status, output } = await workshop.run(folder, command, context.signal)
  expect(status, output).toBe(0)
})
