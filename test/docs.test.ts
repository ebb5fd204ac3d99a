// The parts of the README that come from the code are what the code says. `npm run docs` writes them.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { environmentName, GROUPS, longName, OPTIONS } from '../src/cli/options.js'
import { ENDPOINTS } from '../src/endpoints/index.js'
import { createFetch } from '../src/hosts/fetch.js'
import { createMock } from '../src/index.js'
import { BUILT_IN } from '../src/scenario/built-in.js'
import { ASSUMPTIONS } from '../src/settings/policy.js'

const README = '../README.md'

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}

const BLOCKS: Readonly<Record<string, () => string>> = {
  endpoints: () =>
    table(
      ['Endpoint', 'Parameters', 'What it answers', 'Key'],
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
  scenarios: () =>
    table(
      ['Scenario', 'What happens', 'What it catches'],
      Object.entries(BUILT_IN).map(([name, { title, why }]) => [`\`${name}\``, String(title), String(why)]),
    ),
  options: () =>
    GROUPS.map(group => {
      const rows = OPTIONS.filter(option => option.group === group).map(option => [
        `\`${option.flag}\``,
        option.description,
        option.default === undefined ? '' : `\`${option.default}\``,
        `\`${environmentName(option)}\``,
      ])
      return `**${group}**\n\n${table(['Option', 'What it does', 'Default', 'Environment'], rows)}`
    }).join('\n\n'),
  assumptions: () =>
    table(
      ['Silent on', 'What the mock does', 'Option'],
      ASSUMPTIONS.map(({ silentOn, assumed, option }) => [
        silentOn,
        assumed,
        option === undefined ? '–' : `\`${option}\``,
      ]),
    ),
}

function generate(readme: string): string {
  return readme.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, open: string, name: string, close: string) => {
      const block = BLOCKS[name]
      if (block === undefined) throw new Error(`README.md asks for the block "${name}", which nothing generates`)
      return `${open}\n${block()}\n\n${close}`
    },
  )
}

it('behavior: the generated parts of the README are what the code says', async () => {
  const readme = readFileSync(new URL(README, import.meta.url), 'utf8')
  for (const name of Object.keys(BLOCKS)) expect(readme).toContain(`<!-- generated: ${name} -->`)
  await expect(generate(readme)).toMatchFileSnapshot(README)
})

it('behavior: every option has a name, a group and a place in help', () => {
  expect(OPTIONS.every(option => GROUPS.includes(option.group) && longName(option) !== '')).toBe(true)
  expect(new Set(OPTIONS.map(longName)).size).toBe(OPTIONS.length)
})

it('behavior: the answer that the README shows is the one that its command brings', async () => {
  const readme = readFileSync(new URL(README, import.meta.url), 'utf8')
  const [, shown] = /```json\n(\{"feedId".*\})\n```/.exec(readme)!
  const mock = createMock({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
  const response = await createFetch(mock)('http://mock/prices/BTCUSD/latest', {
    headers: { authorization: 'test-api-key' },
  })
  expect(shown).toBe(await response.text())
})

it('behavior: the scenarios that README and docs/scenarios.md show are sound', () => {
  const { scenarios } = createMock()
  for (const page of [README, '../docs/scenarios.md']) {
    const text = readFileSync(new URL(page, import.meta.url), 'utf8')
    const shown = [...text.matchAll(/```json\n(\{\s+"(?:\$schema|title)"[\s\S]*?)```/g)]
    expect(shown.length, page).toBeGreaterThan(0)
    for (const [, json] of shown) expect(scenarios.set('shown', JSON.parse(json!)).faults.length).toBeGreaterThan(0)
  }
})
