// Generated blocks, commands and replies in README.md and docs match the code. `npm run docs` writes the blocks.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { CHECKS } from '../src/admin/report/report-card.js'
import { toTimeline } from '../src/admin/timeline.js'
import { COMMAND_OPTIONS } from '../src/cli/command-options.js'
import { type CliOption, configSchema, environmentName, longName, OPTIONS } from '../src/cli/options.js'
import { ENDPOINTS } from '../src/endpoints/index.js'
import { errorBody } from '../src/faults/content.js'
import { createFetch } from '../src/hosts/fetch.js'
import { createMock, ownScenario } from '../src/index.js'
import { toFeeds } from '../src/market/feeds-file.js'
import { BUILT_IN } from '../src/scenario/built-in.js'
import { policySchema } from '../src/settings/policy.js'
import { REASONS } from '../src/signing/verify.js'
import { ALL_TARGETS } from './support/admin.js'
import { listAssumptions } from './support/assumptions.js'
import { createCalls } from './support/calls.js'
import { startMock } from './support/listen.js'
import { missingProgram, needs } from './support/needs.js'
import { SESSION_SIZES } from './support/session-sizes.js'

/** The part of a JSON Schema that a table shows. */
interface Schema {
  readonly type?: string | string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

const toJsonSchema = (schema: z.core.$ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema

/** The values that a JSON Schema allows, in a few words. */
function describeValues(schema: Schema): string {
  const { type = 'any', enum: values, items, anyOf, minimum, maximum } = schema
  if (anyOf !== undefined) return anyOf.map(describeValues).join(', or ')
  if (values !== undefined || 'const' in schema)
    return (values ?? [schema.const]).map(value => `\`${JSON.stringify(value)}\``).join(', ')
  if (items !== undefined) return `a list of: ${describeValues(items)}`
  if (type === 'boolean') return '`true`, `false`'
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  return [type]
    .flat()
    .map(name => ({ object: 'an object', string: 'text' })[name] ?? name)
    .join(', or ')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}

const PAGE_NAMES = ['README.md', ...readdirSync(new URL('../docs/', import.meta.url)).map(name => `docs/${name}`)]
const PAGES = new Map(
  PAGE_NAMES.filter(name => name.endsWith('.md')).map(name => {
    const url = new URL(`../${name}`, import.meta.url)
    return [name, readFileSync(url, 'utf8')] as const
  }),
)
/** The list of pages for people: the menus of the site, docs/reference.md and llms.txt follow from it. */
const GROUPS = JSON.parse(readFileSync(new URL('../docs/pages.json', import.meta.url), 'utf8')) as readonly {
  readonly group: string
  readonly pages: readonly { readonly page: string; readonly title: string; readonly about: string }[]
}[]
/** The settings of the server in the pages. */
const SHOWN = { seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true }, policy: { candles: 2 } }
const KEY = { authorization: 'test-api-key' }

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** The body of a reply as documentation shows it. */
async function showReply(target: string, headers: Record<string, string> = KEY): Promise<string> {
  const response = await createFetch(createMock(SHOWN))(`http://127.0.0.1:4700${target}`, { headers })
  return fenced('json', JSON.stringify(await response.json(), null, 2))
}

const showExample = async (target: string, headers: Record<string, string> = KEY): Promise<string> => {
  const key = headers === KEY ? '-H "Authorization: test-api-key" ' : ''
  return `${fenced('sh', `curl ${key}"http://127.0.0.1:4700${target}"`)}\n\n${await showReply(target, headers)}`
}

const BLOCKS: Readonly<Record<string, () => string | Promise<string>>> = {
  endpoints: () =>
    table(
      ['Endpoint', 'Parameters', 'Reply', 'Key'],
      ENDPOINTS.map(({ path, parameters, summary, protected: key }) => [
        `\`GET ${path}\``,
        Object.entries(parameters)
          .filter(([, parameter]) => parameter.in === 'query')
          .map(([name]) => `\`${name}\``)
          .join(', '),
        summary,
        key ? 'yes' : 'no',
      ]),
    ),
  pages: () =>
    GROUPS.slice(1)
      .map(({ group, pages }) => {
        const rows = pages.map(({ page, title, about }) => [`[${title}](${posix.relative('docs', page)})`, about])
        return `## ${group}\n\n${table(['Page', 'Content'], rows)}`
      })
      .join('\n\n'),
  scenarios: () =>
    Object.entries(BUILT_IN)
      .map(([name, { title, why, faults }]) => {
        const used = [...new Set((faults as readonly { fault: string }[]).map(({ fault }) => fault))]
        const links = used.map(fault => `[${fault}](faults.md#${fault.replace('/', '')})`).join(', ')
        return `### ${name}\n\n${title}. Finds: ${why}${links === '' ? '' : `\n\nFaults: ${links}.`}`
      })
      .join('\n\n'),
  options: () =>
    [...new Set(OPTIONS.map(({ group }) => group))]
      .map(group => {
        const rows = OPTIONS.filter(option => option.group === group).map(option => [
          `\`${option.flag}\``,
          option.description,
          option.default === undefined ? '' : `\`${option.default}\``,
          `\`${environmentName(option)}\``,
        ])
        return `**${group}**\n\n${table(['Option', 'Meaning', 'Default', 'Environment'], rows)}`
      })
      .join('\n\n'),
  config_keys: () => {
    const { properties } = toJsonSchema(configSchema)
    const flagOf = (key: string): string => {
      const option = OPTIONS.find(({ setting }) => setting === key)
      return option === undefined ? '' : `\`--${longName(option)}\``
    }
    const rows = Object.entries(properties!).flatMap(([key, schema]) => {
      if (key === '$schema') return []
      const inner = key === 'clock' ? Object.entries(schema.properties!) : undefined
      const keys = inner?.map(([name, field]) => [`${key}.${name}`, field] as const) ?? [[key, schema] as const]
      return keys.map(([name, field]) => [`\`${name}\``, describeValues(field), flagOf(name)])
    })
    return table(['Key', 'Value', 'Flag'], rows)
  },
  feeds: () =>
    table(
      ['Feed', 'Number', 'Class', '`expo`', 'Step', 'Heartbeat', 'Lag'],
      toFeeds(undefined).map(feed => {
        const { id, number, class: kind, expo, step, heartbeat, lag } = feed
        // Printed from digits: a product of decimals shows its rounding.
        const text = String(step).padStart(1 - expo, '0')
        const decimals = text.slice(expo).replace(/0+$/, '')
        const shown = `${text.slice(0, expo)}${decimals === '' ? '' : `.${decimals}`}`
        return [`\`${id}\``, String(number), kind, String(expo), shown, `${heartbeat} s`, `${lag} s`]
      }),
    ),
  error_codes: () => {
    const source = readFileSync(new URL('../src/errors.ts', import.meta.url), 'utf8')
    const rows = [...source.matchAll(/ {2}\/\*\* (.*) \*\/\n {2}([A-Z_]+): (\d+),/g)]
    expect(rows).toHaveLength(source.match(/^ {2}[A-Z_]+: \d+,/gm)!.length)
    return table(
      ['Code', 'Status', 'Meaning'],
      rows.map(([, meaning, code, status]) => [`\`${code}\``, status!, meaning!]),
    )
  },
  command_options: () =>
    Object.entries<readonly CliOption[]>(COMMAND_OPTIONS)
      .map(([command, options]) => {
        const rows = options.map(option => [
          `\`${option.flag}\``,
          option.description,
          option.default ?? '',
          environmentName(option) === '' ? '–' : `\`${environmentName(option)}\``,
        ])
        const heading = command === 'list' ? 'feeds, faults and scenarios' : command
        return `**${heading}**\n\n${table(['Option', 'Meaning', 'Default', 'Environment'], rows)}`
      })
      .join('\n\n'),
  assumptions: () => {
    const policy = toJsonSchema(policySchema).properties!
    return table(
      ['Open question', 'Assumption', 'Option', 'Values'],
      listAssumptions().map(({ silentOn, assumed, option = '' }) => [
        silentOn,
        assumed,
        option === '' ? '–' : `\`${option}\``,
        option.startsWith('policy.') ? describeValues(policy[option.slice(7)]!) : '',
      ]),
    )
  },
  session_sizes: () =>
    table(
      ['What a session sets', 'At most'],
      SESSION_SIZES.map(({ what, most, unit = 'characters' }) => [what, `${most.toLocaleString('en')} ${unit}`]),
    ),
  timeline: () => {
    const { mock, serve } = createCalls({ seed: '42' })
    const poll = (): void => {
      serve('/prices/BTCUSD/latest')
      mock.clock.advance(1)
    }
    poll()
    mock.setScenario({
      faults: [
        { fault: 'market/stale', feeds: ['BTCUSD'], from: '1s', for: '2s', options: { age: '5m' } },
        { fault: 'reply/status', requests: '2', options: { status: 503 } },
      ],
    })
    for (let i = 0; i < 4; i++) poll()
    return fenced('', toTimeline(mock.sessions.default, 0))
  },
  response_latest: () => showExample('/prices/BTCUSD/latest'),
  response_batch: () => showExample('/prices/batch?feedIds=BTCUSD,EURUSD'),
  response_history: () => showExample('/prices/queryHistory?feedIds=BTCUSD&minutes=60'),
  response_evm: () => showExample('/prices/evm/crypto?feedIds=BTCUSD'),
  response_candles: () => showExample('/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1h', {}),
  errors: async () => {
    const cases = [
      ['401, no API key', '/prices/BTCUSD/latest', {}],
      ['404, an unknown feed', '/prices/NOPE/latest', KEY],
      ['400, a missing parameter', '/prices/batch', KEY],
    ] as const
    const shown = cases.map(async ([title, target, headers]) => `${title}:\n\n${await showReply(target, headers)}`)
    return (await Promise.all(shown)).join('\n\n')
  },
  problem: () => showReply('/price'),
}

/** A page with each of its generated blocks written anew, and the names of these blocks. */
async function generate(page: string): Promise<{ text: string; names: readonly string[] }> {
  const marks = [...PAGES.get(page)!.matchAll(/(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g)]
  let text = PAGES.get(page)!
  for (const [whole, open, name, close] of marks) {
    const block = BLOCKS[name!]
    if (block === undefined) throw new Error(`${page}: nothing generates the block "${name}"`)
    const content = `${open}\n${await block()}\n\n${close}`
    text = text.replace(whole, () => content)
  }
  return { text, names: marks.map(([, , name]) => name!) }
}

it('behavior: generated blocks match the code', async () => {
  const shown: string[] = []
  for (const page of PAGES.keys()) {
    const { text, names } = await generate(page)
    shown.push(...names)
    if (names.length > 0) await expect(text).toMatchFileSnapshot(`../${page}`)
  }
  expect(shown.sort()).toEqual(Object.keys(BLOCKS).sort())
})

it('behavior: every page is in the list of pages, and each of these exists', () => {
  const listed = GROUPS.flatMap(({ pages }) => pages.map(({ page }) => page))
  expect(listed.filter(page => !existsSync(new URL(`../${page}`, import.meta.url)))).toEqual([])
  expect(listed.filter(page => PAGES.has(page)).sort()).toEqual([...PAGES.keys()].sort())
})

it('behavior: llms.txt lists the same pages', async () => {
  const [, about] = /^# .*\n\n([\s\S]*?)\n\n/.exec(PAGES.get('README.md')!)!
  const groups = GROUPS.map(({ group, pages }) => {
    const lines = pages.map(({ page, title, about }) => `- [${title}](${page}): ${about}\n`)
    return `## ${group}\n\n${lines.join('')}`
  })
  const text = `# price-feed-mock\n\n> ${about!.replaceAll('\n', ' ')}\n\n${groups.join('\n')}`
  await expect(text).toMatchFileSnapshot('../llms.txt')
})

it('behavior: no link leads to a placeholder', () => {
  const files = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'package.json', 'examples/README.md']
  const texts = [
    ...PAGES,
    ...files.map(file => [file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')] as const),
  ]
  // An address of the interface in an example is none: it has the reserved name `example`.
  const placeholder =
    /(?:https?|git\+https|ssh):\/\/(?:HOST|OWNER|USER|YOUR|TODO|[\w.-]*example\.(?:com|org|net)|github\.com\/(?:OWNER|USER|your))\b[^\s)"'`]*/gi
  expect(texts.flatMap(([file, text]) => [...text.matchAll(placeholder)].map(([url]) => `${file}: ${url}`))).toEqual([])
  const { repository, bugs, homepage } = JSON.parse(texts.find(([file]) => file === 'package.json')![1])
  expect([repository, bugs, homepage]).toEqual([undefined, undefined, undefined])
})

it('behavior: the unreleased changes fit on a page, those that break first', () => {
  const lines = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split('\n')
  const first = lines.indexOf('## Unreleased')
  const last = lines.findIndex(line => /^## \d/.test(line))
  expect(last - first, 'write net changes: a merge may have brought old lines back').toBeLessThanOrEqual(60)
  const changes = lines.slice(first, last).filter(line => line.startsWith('- '))
  const breaking = changes.map(line => line.startsWith('- **Breaking.**'))
  expect(breaking).toEqual(breaking.toSorted().reverse())
})

it('behavior: the README is short', () => expect(PAGES.get('README.md')!.split('\n').length).toBeLessThanOrEqual(101))

it('behavior: every error code of the service is explained', () => {
  const page = PAGES.get('docs/responses.md')!
  const files = ['service/respond.ts', 'endpoints/parameters.ts', 'faults/content.ts']
  const source = files.map(file => readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')).join()
  const codes = [...source.matchAll(/(?:ServiceError\(|\d{3}: \[)\s*(?:[\w.]+,\s*)?'(\w+)'/g)].map(([, code]) => code!)
  expect(codes).toEqual(expect.arrayContaining(['unauthorized', 'too_many_feeds', 'bad_gateway']))
  expect(codes.filter(code => !page.includes(`\`${code}\``))).toEqual([])
  const ofFaults = [...page.replace(/\n/g, ' ').matchAll(/`(\w+)` \((\d{3})\)/g)]
  expect(ofFaults.length).toBe(10)
  for (const [, code, status] of ofFaults) expect(errorBody(Number(status)).error).toBe(code)
})

it('behavior: every reason of a verdict is explained', () => {
  const page = PAGES.get('docs/signatures.md')!
  for (const reason of REASONS) expect(page).toContain(`\`${reason}\``)
})

it('behavior: the reply in the README is the reply to its command', async () => {
  const [, shown] = /```json\n(\{"feedId".*\})\n```/.exec(PAGES.get('README.md')!)!
  const response = await createFetch(createMock(SHOWN))('http://mock/prices/BTCUSD/latest', { headers: KEY })
  expect(shown).toBe(await response.text())
})

it('behavior: every check of the report card is explained', () => {
  const page = readFileSync(new URL('../docs/report.md', import.meta.url), 'utf8')
  const explained = CHECKS.map(({ id }) => id.replace(/^polling-rate\..*/, 'polling-rate.{endpoint}'))
  expect(explained.filter(id => !page.includes(`\`${id}\``))).toEqual([])
})

it('behavior: every curl command in the pages gets a reply', needs(missingProgram('curl')), async () => {
  const server = await startMock({ ...SHOWN })
  const commands = [...PAGES.values()].flatMap(text =>
    [...text.matchAll(/^```sh\n(curl [\s\S]*?)^```$/gm)].map(([, command]) => command!),
  )
  expect(commands.length).toBeGreaterThan(6)
  for (const command of commands) {
    const here = command
      .replaceAll('http://127.0.0.1:4700', server.url)
      .replaceAll('curl ', 'curl -sS --fail-with-body ')
    // One of the commands shows a request of the journal.
    await fetch(`${server.url}/prices/BTCUSD/latest`)
    const { stdout } = await promisify(execFile)('sh', ['-ec', here])
    expect(stdout, command).not.toBe('')
  }
})

describe('scenarios in the pages', () => {
  const CONTRIBUTING = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
  const shown = [...PAGES, ['CONTRIBUTING.md', CONTRIBUTING] as const].flatMap(([page, text]) =>
    [...text.matchAll(/```json.*\n(\{\s+"(?:\$schema": "\S*\/schema\.json|title)"[\s\S]*?)```/g)].map(
      ([, json]) => [page, JSON.parse(json!) as { faults: unknown[] }] as const,
    ),
  )
  const named = [...PAGES.values()].flatMap(text => [
    ...text.matchAll(/(?:--scenario |\/scenario\/)([a-z-]+)\b(?![.\w-])/g),
  ])

  it('behavior: each is valid', () => {
    const { scenarios } = createMock()
    expect(shown.map(([page]) => page)).toEqual(expect.arrayContaining(['docs/scenarios.md', 'CONTRIBUTING.md']))
    for (const [page, scenario] of shown)
      expect(scenarios.set('shown', scenario).faults, page).toHaveLength(scenario.faults.length)
  })

  it('behavior: the table of exec --each-scenario has scenarios with so many faults', () => {
    const rows = [...PAGES.get('docs/ci.md')!.matchAll(/^(\S+) +(?:passed|failed|not met) .* of (\d+)$/gm)]
    const { scenarios } = createMock()
    expect(rows.map(([, name, faults]) => [name, Number(faults)])).toEqual(
      rows.map(([, name]) => [name, scenarios.get(name!).faults.length]),
    )
    expect(rows).toHaveLength(2)
  })

  it('behavior: with each, the first request to every endpoint gets a price, whatever the seed', () => {
    // A file of the user, which the page shows.
    const names = new Set(named.map(([, name]) => name!).filter(name => name !== 'mine'))
    expect(names).toContain('stale-btc')
    for (const scenario of [...shown.map(([, definition]) => definition), ...names])
      for (let seed = 0; seed < 20; seed++) {
        const { serve } = createCalls({ seed, scenario: ownScenario(scenario), policy: { candles: 10 } })
        const statuses = ALL_TARGETS.map(target => serve(target).status)
        expect(statuses, JSON.stringify(scenario)).toEqual(ALL_TARGETS.map(() => 200))
      }
  })
})
