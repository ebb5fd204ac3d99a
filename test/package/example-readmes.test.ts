// The READMEs of examples/: each installs the package as the main README does, and no manifest takes its name from a registry.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { blocksOf, INSTALL } from './example-readmes.js'

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url))
const names = readdirSync(FOLDER, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))

it.each(names)('behavior: %s installs a build of this repository, never the name from a registry', name => {
  const manifest = JSON.parse(readFileSync(join(FOLDER, name, 'package.json'), 'utf8')) as Record<string, object>
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  expect(kinds.flatMap(kind => Object.keys(manifest[kind] ?? {}))).not.toContain('price-feed-mock')
  const blocks = blocksOf(join(FOLDER, name, 'README.md'))
  const installing = blocks.filter(block => block.includes('npm install'))
  expect(installing.map(block => block.split('\n')[0])).toEqual([INSTALL])
  // The program is used only after its installation.
  const before = blocks.slice(0, blocks.indexOf(installing[0]!))
  expect(before.filter(block => block.includes('price-feed-mock'))).toEqual([])
})
