// The house rules, read from the sources themselves: imports point one way, and below the hosts there is no clock, no chance
// and no mathematics that engines do differently.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../src/version.js'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const SRC = join(ROOT, 'src')

/** The folders and files of src, from the foundation upwards: a module imports from its own layer and from those before it. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'outcome', 'version', 'bounded-cache'],
  ['settings'],
  ['market', 'signing'],
  ['faults'],
  ['scenario'],
  ['service'],
  ['endpoints'],
  ['admin'],
  ['mock'],
  ['index'],
  ['hosts'],
  ['client'],
  ['testing', 'cli'],
]
/** What may be imported besides, by layer name; anything else from outside is refused. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  errors: ['fastest-levenshtein'],
  settings: ['zod/mini'],
  market: ['seedrandom', 'zod/mini', '@faker-js/faker'],
  signing: ['@noble/', 'zod/mini'],
  service: ['@noble/', 'zod/mini'],
  faults: ['zod/mini', '@noble/'],
  scenario: ['zod/mini'],
  endpoints: ['zod/mini'],
  admin: ['zod/mini'],
  client: ['zod/mini'],
  hosts: ['node:', 'express', 'msw', '@mswjs/', 'prom-client'],
  testing: ['node:', 'vitest', '@playwright/test'],
  cli: ['node:', '@noble/hashes/', 'commander', 'picocolors', 'zod/mini'],
}
const PURE = new Set(
  LAYERS.slice(
    0,
    LAYERS.findIndex(layer => layer.includes('hosts')),
  ).flat(),
)

interface Source {
  readonly file: string
  readonly layer: string
  readonly text: string
  /** The text without comments, strings kept. */
  readonly code: string
}

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map(file => {
    const text = readFileSync(join(SRC, file), 'utf8')
    const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    return { file, layer: layerName(file), text, code }
  })

function layerName(file: string): string {
  return file.split('/', 1)[0]!.replace(/\.ts$/, '')
}

function layerIndex(name: string): number {
  return LAYERS.findIndex(layer => layer.includes(name))
}

function importsOf({ code }: Source): string[] {
  return [...code.matchAll(/(?:^|[}\s])(?:from|import)\s*\(?\s*'([\w@.][^'\n]*)'/gm)].map(match => match[1]!)
}

describe('imports', () => {
  it('behavior: every file of src has a place in the layers', () => {
    expect(sources.filter(({ layer }) => layerIndex(layer) < 0).map(({ file }) => file)).toEqual([])
  })

  it('behavior: they point one way', () => {
    const wrong = sources.flatMap(source =>
      importsOf(source)
        .filter(path => path.startsWith('.'))
        .map(path => relative(SRC, resolve(dirname(join(SRC, source.file)), path)))
        .filter(target => layerIndex(layerName(target.replace(/\.js$/, '.ts'))) > layerIndex(source.layer))
        .map(target => `${source.file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('behavior: packages come in where they belong', () => {
    const wrong = sources.flatMap(source =>
      importsOf(source)
        .filter(
          path => !path.startsWith('.') && !(PACKAGES[source.layer] ?? []).some(allowed => path.startsWith(allowed)),
        )
        .map(path => `${source.file} → ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('behavior: faker is loaded by the one file that invents feeds, and only on demand', () => {
    expect(sources.filter(source => importsOf(source).includes('@faker-js/faker')).map(({ file }) => file)).toEqual([
      'market/synthetic.ts',
    ])
    const importers = sources.filter(source => importsOf(source).some(path => path.endsWith('/synthetic.js')))
    expect(importers.map(({ layer }) => layer)).toEqual(['hosts'])
    expect(importers[0]!.code).not.toMatch(/from '[^']*synthetic\.js'/)
  })
})

describe('purity', () => {
  const BANNED: readonly (readonly [what: string, pattern: RegExp])[] = [
    ['a clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/],
    ['chance', /\bMath\.random\b|\bcrypto\./],
    ['waiting', /\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/],
    [
      'mathematics that engines do differently',
      /\bMath\.(?!sqrt|imul|floor|ceil|trunc|round|min|max|abs|clz32|fround|SQRT1_2\b)\w+/,
    ],
    ['the power operator', /\*\*/],
    ['what not every engine has', /\bTextEncoder\b|\bURLSearchParams\b|\bnew URL\b|\bBuffer\b|\bprocess\./],
  ]

  for (const [what, pattern] of BANNED)
    it(`behavior: below the hosts there is not ${what}`, () => {
      const found = sources.filter(({ layer, code }) => PURE.has(layer) && pattern.test(code)).map(({ file }) => file)
      // The entry point sets the default of the option `realTime`.
      expect(found).toEqual(what === 'a clock' ? ['index.ts'] : [])
    })

  it('behavior: the bans can be broken', () => {
    const sample = 'Date.now(); Math.random(); setTimeout(f); Math.pow(2, 3); 2 ** 3; new URL(x)'
    expect(BANNED.every(([, pattern]) => pattern.test(sample))).toBe(true)
  })
})

describe('files', () => {
  it('behavior: each begins with a sentence that says what it is', () => {
    const without = sources.filter(({ text }) => !/^(#!.*\n)?\/\/ \S/.test(text)).map(({ file }) => file)
    expect(without).toEqual([])
  })

  it('behavior: every export has a docstring', () => {
    const without = sources.flatMap(({ file, text }) => {
      const lines = text.split('\n').filter(line => !line.startsWith('// biome-ignore'))
      return lines
        .filter(
          (line, i) =>
            /^export (async )?(function|const|interface|type|class) /.test(line) && !lines[i - 1]?.endsWith('*/'),
        )
        .filter(line => !line.startsWith('export type {'))
        .map(line => `${file}: ${line}`)
    })
    expect(without).toEqual([])
  })

  it('behavior: none has a default export, none is longer than 250 lines', () => {
    expect(sources.filter(({ code }) => /^export default/m.test(code)).map(({ file }) => file)).toEqual([])
    expect(sources.filter(({ text }) => text.split('\n').length > 251).map(({ file }) => file)).toEqual([])
  })

  it('behavior: the version is the one of package.json', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(VERSION).toBe(version)
  })
})
