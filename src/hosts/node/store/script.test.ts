// The commands whose rights are checked are those of the scripts, and those of docs/scale.md.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS } from './script.js'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

it('behavior: every command of a script is checked, and those that a script runs for the store', () => {
  const text = read('script.ts') + read('store.ts')
  const used = [...text.matchAll(/(?:call\(|\[)'([A-Z]{3,})'/g)].map(match => match[1]!)
  expect([...new Set(used)].sort()).toEqual(COMMANDS.split(/\s/).sort())
})

it('behavior: docs/scale.md gives a user these rights', () => {
  const page = read('../../../../docs/scale.md')
  const [given = ''] = /^redis-cli ACL SETUSER .*$/m.exec(page) ?? []
  const categories: Readonly<Record<string, string>> = { H: '+@hash', Z: '+@sortedset', L: '+@list', R: '+@list' }
  for (const name of COMMANDS.split(/\s/))
    expect(given.split(' '), name).toContain(categories[name[0]!] ?? `+${name.toLowerCase()}`)
})
