// `feeds`, `faults` and `scenarios`: a list for people, or JSON; with a name, one of the list in detail.
import { join } from 'node:path'
import { nearest, PriceFeedMockError, toPrintable } from '../errors.js'
import type { Mock } from '../index.js'
import { toFeedKey } from '../market/feeds.js'
import { readJsonFile } from './files.js'
import { resultColours, toColumns } from './output.js'
import { PACKAGE } from './run-context.js'

/** A kind of list: the name of its command. */
export type ListKind = 'feeds' | 'faults' | 'scenarios'

interface Item {
  readonly name: string
  /** Its cells in a table, or the texts of its entry. */
  readonly cells: readonly string[]
  /** As JSON in the list, and alone. */
  readonly data: unknown
  readonly whole?: () => unknown
  /** As text alone. */
  readonly text?: () => string
}

/** The JSON Schema of a fault in a scenario, from the schema of the files. */
interface FaultSchema {
  readonly if: { readonly properties: { readonly fault: { readonly const: string } } }
  readonly then: { readonly description: string; readonly properties: { readonly options: OptionsSchema } }
}

interface OptionsSchema {
  readonly properties?: Readonly<Record<string, { description?: string; default?: unknown; enum?: unknown[] }>>
}

/**
 * The text of a list, or of one thing in it.
 * @throws PriceFeedMockError OPTIONS_INVALID if nothing has the name
 */
export function toList(
  kind: ListKind,
  mock: Pick<Mock, 'scenarios' | 'sessions'>,
  name?: string,
  json = false,
): string {
  const items = TO_ITEMS[kind](mock)
  const toText = (some: readonly Item[]): string => {
    const rows = some.map(({ cells }) => cells)
    return kind === 'feeds' ? toTable([COLUMNS, ...rows]) : toEntries(rows)
  }
  if (name === undefined) return json ? toJson(items.map(({ data }) => data)) : toText(items)
  const item = items.find(one => one.name === name) ?? items.find(one => toFeedKey(one.name) === toFeedKey(name))
  if (item !== undefined) return json ? toJson(item.whole?.() ?? item.data) : (item.text?.() ?? toText([item]))
  const names = items.map(one => one.name)
  throw new PriceFeedMockError('OPTIONS_INVALID', `There is no ${kind.slice(0, -1)} of this name.`, {
    problems: [{ at: kind, got: name, want: `a name of the list of ${kind}`, closest: nearest(name, names) }],
    fix: `npx price-feed-mock ${kind}`,
  })
}

const toJson = (data: unknown): string => JSON.stringify(data, undefined, 2)

const TO_ITEMS: Readonly<Record<ListKind, (mock: Pick<Mock, 'scenarios' | 'sessions'>) => readonly Item[]>> = {
  feeds: ({ sessions }) =>
    sessions.default.runtime.market.feeds.map(({ series: _, ...feed }) => ({
      name: feed.id,
      cells: COLUMNS.map(name => String(feed[name])),
      data: feed,
    })),
  faults: () =>
    readFaultSchemas().map(({ if: { properties }, then: { description, properties: parts } }) => {
      const name = properties.fault.const
      const { options } = parts
      const lines = Object.entries(options.properties ?? {}).map(
        ([option, { description: meaning = '', default: value, enum: values }]) => {
          const notes = [
            ...(values === undefined ? [] : [`one of ${values.map(one => JSON.stringify(one)).join(', ')}`]),
            ...(value === undefined ? [] : [`default: ${JSON.stringify(value)}`]),
          ]
          return `  ${option}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}  ${resultColours.dim(meaning)}`
        },
      )
      return {
        name,
        cells: [name, description],
        data: { fault: name, description, options },
        text: () => [name, description, ...(lines.length === 0 ? [] : ['options:', ...lines])].join('\n'),
      }
    }),
  scenarios: ({ scenarios }) =>
    scenarios.list().map(summary => {
      const { name, title, why } = summary
      const cells = [name, toPrintable(title), toPrintable(why)]
      return {
        name,
        cells,
        data: summary,
        whole: () => scenarios.get(name).source,
        text: () => {
          const { faults } = scenarios.get(name)
          const lines = faults.map(
            ({ fault, planned }) => `  ${fault.name}  ${resultColours.dim(planned || 'all requests')}`,
          )
          return [...cells, 'faults:', ...lines].join('\n')
        },
      }
    }),
}

const COLUMNS = ['id', 'number', 'class', 'group', 'expo', 'step', 'heartbeat', 'lag'] as const

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map(row => row[i]!.length)))
  return rows.map(row => toColumns(row, widths)).join('\n')
}

/** A name with the first text beside it and the others below. */
function toEntries(entries: readonly (readonly string[])[]): string {
  const width = Math.max(...entries.map(([name]) => name!.length))
  const indent = ' '.repeat(width + 2)
  return entries
    .flatMap(([name, first, ...rest]) => [
      `${name!.padEnd(width)}  ${first}`,
      ...rest.map(text => `${indent}${resultColours.dim(text)}`),
    ])
    .join('\n')
}

function readFaultSchemas(): readonly FaultSchema[] {
  const schema = readJsonFile(join(PACKAGE, 'scenarios', 'schema.json'), 'faults') as {
    readonly properties: { readonly faults: { readonly items: { readonly allOf: readonly FaultSchema[] } } }
  }
  return schema.properties.faults.items.allOf
}
