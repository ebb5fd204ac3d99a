// docs/engines.md names every engine, and each of them gave the same bytes.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENGINES } from './engines.js'

const page = readFileSync(new URL('../../docs/engines.md', import.meta.url), 'utf8')
const [, record = ''] = /<!-- written: engines -->([\s\S]*?)<!-- end -->/.exec(page) ?? []
const rows = record
  .split('\n')
  .filter(line => line.startsWith('| '))
  .slice(2)
  .map(line => line.split('|').map(cell => cell.trim()))

it('behavior: docs/engines.md holds a run of every engine', () => {
  expect(record).toMatch(/Run on \d{4}-\d\d-\d\d/)
  expect(rows.map(([, title]) => title)).toEqual(Object.values(ENGINES).map(({ title }) => title))
})

it('behavior: every engine on record gave the same bytes', () => {
  const [answers] = rows.map(([, , , count]) => Number(count))
  expect(answers).toBeGreaterThan(256)
  for (const [, title, , all, same] of rows) expect([title, all, same]).toEqual([title, `${answers}`, `${answers}`])
})

it('behavior: CONTRIBUTING.md names every engine that can be chosen', () => {
  const guide = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
  for (const name of Object.keys(ENGINES)) expect(guide).toContain(`\`${name}\``)
})
