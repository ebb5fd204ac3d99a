// The commands whose rights are checked are those of the scripts, and those of docs/scale.md.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMIT } from './commit-script.js'
import { COMMANDS } from './rights.js'
import * as scripts from './scripts.js'

it('behavior: every command of a script is checked', () => {
  const lua = [COMMIT, ...Object.values(scripts)].map(script => script.lua).join('\n')
  const used = [...lua.matchAll(/(?:call\(|\{)'([A-Z]{3,})'/g)].map(match => match[1])
  expect([...new Set(used)].sort()).toEqual([...Object.keys(COMMANDS), 'TIME'].sort())
})

it('behavior: docs/scale.md gives a user these rights', () => {
  const page = readFileSync(new URL('../../../../docs/scale.md', import.meta.url), 'utf8')
  const [given = ''] = /^redis-cli ACL SETUSER .*$/m.exec(page) ?? []
  const categories: Readonly<Record<string, string>> = { H: '+@hash', Z: '+@sortedset', L: '+@list', R: '+@list' }
  for (const name of [...Object.keys(COMMANDS), 'TIME'])
    expect(given.split(' '), name).toContain(categories[name[0]!] ?? `+${name.toLowerCase()}`)
})
