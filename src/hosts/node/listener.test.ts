// The request listener of a server: the modules that it loads in advance are those that load late.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'

/** The names of the modules that a file imports when it runs. */
function importsOf(file: string): string[] {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  return [...source.matchAll(/import\('([^']+)'\)/g)].map(([, path]) => basename(path!))
}

it('default: every late module of a server', () => {
  const late = new Set(['app.ts', '../../mock.ts'].flatMap(importsOf))
  // The app twice: on first use, and in advance.
  expect(importsOf('listener.ts').sort()).toEqual(['app.js', 'app.js', ...late].sort())
})
