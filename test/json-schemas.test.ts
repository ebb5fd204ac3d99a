// The JSON Schemas of config files and of files of feeds, as editors and users of ajv take them, against the parsers.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { configSchema } from '../src/cli/options.js'
import { CATALOGUE } from '../src/market/catalogue.js'
import { parseFeeds } from '../src/market/feeds-file.js'
import { read } from '../src/settings/schema.js'

const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const schemaOf = (name: string) => JSON.parse(textOf(`schemas/${name}.json`))
/** The JSON of a page that names a schema. */
const exampleOf = (page: string): Record<string, unknown> =>
  JSON.parse(/```json\n(\{\n {2}"\$schema".*?)```/s.exec(textOf(page))![1]!)
const compile = (name: string) => new Ajv2020({ strict: true, strictRequired: true }).compile(schemaOf(name))
const [isConfig, isFeeds] = [compile('config'), compile('feeds')]

it('default: the examples of the pages name the files of the package, and are valid', () => {
  const [config, feeds] = [exampleOf('docs/options.md'), exampleOf('docs/feeds.md')]
  expect([config.$schema, feeds.$schema]).toEqual(
    ['config', 'feeds'].map(name => `./node_modules/price-feed-mock/schemas/${name}.json`),
  )
  expect([isConfig(config), read(configSchema, config).problems]).toEqual([true, undefined])
  expect([isFeeds(feeds), parseFeeds(feeds, 'feeds.json').length > 64]).toEqual([true, true])
  expect(isConfig({ ...config, feeds })).toBe(true)
  expect(isFeeds({ extends: 'none', feeds: CATALOGUE })).toBe(true)
})

it.each<[object]>([
  [{ sede: '42' }],
  [{ seed: {} }],
  [{ clock: { at: '2025-07-24T10:48:25Z', freeze: true } }],
  [{ policy: { unknownFeed: 'drop' } }],
  [{ signer: 10 }],
  [{ port: '4700' }],
  [{ apiKeys: 'a' }],
  [{ series: [{ as: 'BTCUSD' }] }],
  [{ log: 'loud' }],
])('error: neither the schema of a config nor the parser takes %j', config => {
  expect([isConfig(config), read(configSchema, config).problems?.length]).toEqual([false, 1])
})

it.each<[object]>([
  [{}],
  [{ feeds: {} }],
  [{ feeds: [{ id: 'ACMEUSD', base: 12.5, driver: {} }] }],
  [{ feeds: [{ base: 12.5 }] }],
  [{ feeds: [{ id: 'ACMEUSD', base: '12.5' }] }],
  [{ feeds: [{ id: 'ACMEUSD', base: 12.5, class: 'stock' }] }],
  [{ extends: 'all', feeds: [{ id: 'ACMEUSD', base: 12.5 }] }],
])('error: neither the schema of feeds nor the parser takes %j', feeds => {
  expect(isFeeds(feeds)).toBe(false)
  expect(() => parseFeeds(feeds, 'feeds.json')).toThrow()
})

it('default: has a description for editors of every key', () => {
  const [{ properties: config, $defs }, { properties: feeds }] = [schemaOf('config'), schemaOf('feeds')]
  const { $schema: _, policy, ...settings } = config
  const { $schema: __, ...file } = feeds
  expect(policy).toEqual({ $ref: '#/$defs/Policy' })
  const all = { ...settings, ...config.clock.properties, ...$defs.Policy.properties }
  for (const [name, one] of Object.entries({ ...all, ...file, ...feeds.feeds.items.properties }))
    expect(one, name).toHaveProperty('description')
})
