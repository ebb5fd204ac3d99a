// The JSON Schemas of config files and of files of feeds, which editors use for completion: those in schemas/ are generated with them.
import { readFileSync } from 'node:fs'
import { configSchema, OPTIONS } from '../../src/cli/options.js'
import { feedDefinitionSchema } from '../../src/market/feeds.js'
import { feedsFileSchema } from '../../src/market/feeds-file.js'
import { toEditorSchema, withMeanings } from './scenario-json-schema.js'

/** The description of an option or a field as that of a key. */
const toMeaning = (text: string): string => {
  const plain = text.replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').replace(/; can be repeated$/, '')
  return plain[0]!.toUpperCase() + plain.slice(1)
}

/** The meanings of the fields of a feed, as the page about feeds tells them. */
function meaningsOfFields(): [name: string, meaning: string][] {
  const page = readFileSync(new URL('../../docs/feeds.md', import.meta.url), 'utf8')
  const [, rows] = /^\| Field \| Meaning \|\n.*\n((?:\|.*\n)+)/m.exec(page)!
  return [...rows!.matchAll(/^\| (.*?) \| (.*) \|$/gm)].flatMap(([, names, text]) => {
    return [...names!.matchAll(/\w+/g)].map(([name]): [string, string] => [name, toMeaning(text!)])
  })
}

/** The JSON Schema of files of feeds. */
export function feedsJsonSchema() {
  const whole = toEditorSchema(feedsFileSchema)
  const { $schema: _, ...feed } = toEditorSchema(feedDefinitionSchema)
  withMeanings(feed.properties, Object.fromEntries(meaningsOfFields()))
  whole.properties.feeds!.items = feed
  withMeanings(whole.properties, {
    extends: '`default` adds the feeds to the catalogue, or changes those of it; `none` replaces the catalogue',
    wander: 'Whether prices wander away from `base` over years; true by default',
    feeds: 'The feeds',
  })
  return { title: 'Feeds of price-feed-mock', ...whole }
}

/** The JSON Schema of config files: each setting has the description of its option. */
export function configJsonSchema(): object {
  const whole = toEditorSchema(configSchema)
  const meanings = OPTIONS.map(({ setting, description }) => [setting, toMeaning(description)] as const)
  withMeanings(whole.properties, {
    ...Object.fromEntries(meanings),
    clock: 'The clock: its start, and how fast it goes',
  })
  const ofClock = meanings.map(([setting, meaning]) => [setting.replace(/^clock\./, ''), meaning])
  withMeanings(whole.properties.clock!.properties as Record<string, object>, Object.fromEntries(ofClock))
  const { title: _, $schema: __, ...feeds } = feedsJsonSchema()
  whole.properties.feeds!.anyOf = [{ type: 'string' }, feeds]
  return { title: 'Settings of price-feed-mock', ...whole }
}
