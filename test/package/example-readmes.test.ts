// The READMEs of examples/: each installs the package as the main README does, and no manifest takes its name from a registry.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { blocksOf, INSTALL } from './example-readmes.js'

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url))
const names = readdirSync(FOLDER, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))

const isScript = (file: string): boolean => /\.(js|sh|py|go)$/.test(file)

it.each(names)('behavior: %s installs a build of this repository, never the name from a registry', name => {
  const manifest = JSON.parse(readFileSync(join(FOLDER, name, 'package.json'), 'utf8')) as Record<string, object>
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  expect(kinds.flatMap(kind => Object.keys(manifest[kind] ?? {}))).not.toContain('price-feed-mock')
  const blocks = blocksOf(join(FOLDER, name, 'README.md'))
  const installing = blocks.filter(block => block.includes('npm install'))
  expect(installing.map(block => block.split('\n')[0])).toEqual([INSTALL])
  // Scripts call the installed program: npx would look the name up on the registry.
  const scripts = [
    JSON.stringify(manifest.scripts),
    ...readdirSync(join(FOLDER, name))
      .filter(isScript)
      .map(file => readFileSync(join(FOLDER, name, file), 'utf8')),
  ]
  expect(scripts.filter(text => /npx\b.*\bprice-feed-mock\b/.test(text))).toEqual([])
  // The program is used only after its installation.
  const before = blocks.slice(0, blocks.indexOf(installing[0]!))
  expect(before.filter(block => block.includes('price-feed-mock'))).toEqual([])
})
