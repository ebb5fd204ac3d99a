// House rules, checked on the sources: imports point one way, and no clock, randomness or engine-dependent mathematics is below the
// hosts.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const SRC = join(ROOT, 'src')

/** The folders and files of src, from the foundation upwards: a module imports from its own layer and from those before it. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'outcome', 'version', 'caches'],
  ['settings'],
  ['market', 'signing'],
  ['faults'],
  ['scenario'],
  ['service'],
  ['endpoints'],
  ['admin'],
  ['mock', 'scenario-input'],
  ['index'],
  ['hosts'],
  ['client', 'chain', 'hunt', 'compare'],
  ['testing', 'cli'],
]
/** Packages that a layer may import; all others are refused. */
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
  'scenario-input': ['zod/mini'],
  mock: ['zod/mini'],
  client: ['zod/mini'],
  chain: ['@noble/hashes/', 'zod/mini'],
  compare: ['@noble/'],
  hosts: ['node:', 'express', 'msw', '@mswjs/', '@redis/client'],
  testing: ['node:', 'zod/mini', 'vitest', '@playwright/test', 'msw', 'fast-check'],
  cli: ['node:', '@noble/hashes/', 'cross-spawn', 'zod/mini'],
}
/** The layers below the hosts, and those which are given time, processes and requests by their callers. */
const PURE = new Set([
  ...LAYERS.slice(
    0,
    LAYERS.findIndex(layer => layer.includes('hosts')),
  ).flat(),
  'hunt',
  'compare',
])

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

/** The files of src whose values a file imports, also on demand. */
function filesUsedBy(source: Source): string[] {
  const values = source.code.replace(/^(import|export) type [^']*'[^']*'/gm, '')
  return importsOf({ ...source, code: values })
    .filter(path => path.startsWith('.'))
    .map(path => relative(SRC, resolve(dirname(join(SRC, source.file)), path)).replace(/\.js$/, '.ts'))
}

/** The files that import each other in a circle, and those that import one of them. */
function inCircles(used: ReadonlyMap<string, readonly string[]>): string[] {
  const rest = new Map([...used].filter(([, files]) => files.some(file => used.has(file))))
  return rest.size === used.size ? [...rest.keys()] : inCircles(rest)
}

describe('imports', () => {
  it('behavior: no files import values of each other in a circle', () => {
    expect(inCircles(new Map(sources.map(source => [source.file, filesUsedBy(source)])))).toEqual([])
  })

  it('error: a circle of files is found', () => {
    const used = new Map([
      ['a', ['b', 'zod']],
      ['b', ['c']],
      ['c', ['b']],
      ['d', []],
    ])
    expect(inCircles(used)).toEqual(['a', 'b', 'c'])
  })

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

  it('behavior: packages are imported by their layers only', () => {
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
    const isFaker = (path: string) => path.startsWith('@faker-js/')
    expect(sources.filter(source => importsOf(source).some(isFaker)).map(({ file }) => file)).toEqual([
      'market/synthetic.ts',
    ])
    const { code } = sources.find(({ file }) => file === 'market/synthetic.ts')!
    expect(code).not.toMatch(/^import (?!type )[^']*'@faker-js/m)
  })
})

describe('purity', () => {
  const BANNED: readonly (readonly [name: string, pattern: RegExp])[] = [
    ['a clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/],
    ['randomness', /\bMath\.random\b|\bcrypto\./],
    ['waiting', /\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/],
    [
      'engine-dependent mathematics',
      /\bMath\.(?!sqrt|imul|floor|ceil|trunc|round|min|max|abs|clz32|fround|SQRT1_2\b)\w+/,
    ],
    ['the power operator', /\*\*/],
    ['an API that some engines lack', /\bTextEncoder\b|\bURLSearchParams\b|\bnew URL\b|\bBuffer\b|\bprocess\./],
  ]

  for (const [name, pattern] of BANNED)
    it(`behavior: below the hosts there is no use of ${name}`, () => {
      const found = sources.filter(({ layer, code }) => PURE.has(layer) && pattern.test(code)).map(({ file }) => file)
      // The entry point sets the default of the option `realTime`.
      expect(found).toEqual(name === 'a clock' ? ['index.ts'] : [])
    })

  it('error: the patterns find what they ban', () => {
    const sample = 'Date.now(); Math.random(); setTimeout(f); Math.pow(2, 3); 2 ** 3; new URL(x)'
    expect(BANNED.every(([, pattern]) => pattern.test(sample))).toBe(true)
  })
})

/** A file on one subject may have as many lines. */
const MAX_LINES = 500

it('behavior: commands run as printed, in a project that has the package installed', () => {
  const isCommand = /(?<!npx )\bprice-feed-mock (?:exec|check|keys|scenarios|serve|--\w)/
  expect(isCommand.test('fix: price-feed-mock exec -- npm test')).toBe(true)
  expect(sources.filter(({ code }) => isCommand.test(code)).map(({ file }) => file)).toEqual([])
})

it('behavior: bundlers of servers, such as those of Next, understand each use of import.meta', () => {
  const isUnclear = /\bnew URL\((?!'|")[^()]*\bimport\.meta\b|\bimport\.meta\b(?!\.| as )/
  expect(['new URL(path, import.meta.url)', "'jest' in import.meta"].every(code => isUnclear.test(code))).toBe(true)
  // The program is no module that others import.
  const found = sources.filter(({ layer, code }) => layer !== 'cli' && isUnclear.test(code)).map(({ file }) => file)
  expect(found).toEqual([])
})

describe('files', () => {
  it('behavior: each begins with a comment', () => {
    const without = sources.filter(({ text }) => !/^(#!.*\n)?\/\/ \S/.test(text)).map(({ file }) => file)
    expect(without).toEqual([])
  })

  it('behavior: every export has a docstring', () => {
    const without = sources.flatMap(({ file, text }) => {
      const lines = text.split('\n').filter(line => !line.startsWith('// biome-ignore'))
      return lines
        .filter(
          (line, i) =>
            /^export (async )?(function|const|interface|type|class) \w/.test(line) && !lines[i - 1]?.endsWith('*/'),
        )
        .filter(line => !line.startsWith('export type {'))
        .map(line => `${file}: ${line}`)
    })
    expect(without).toEqual([])
  })

  it('behavior: none has a default export, and none is longer than its limit', () => {
    expect(sources.filter(({ code }) => /^export default/m.test(code)).map(({ file }) => file)).toEqual([])
    const tooLong = sources.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES)
    expect(tooLong.map(({ file }) => file)).toEqual([])
  })
})

describe('words', () => {
  const RIDDLE = /^\s*(?:\/\/|\/?\*\*?)\s+(?:What|Who|Whoever|Whose|Whom)\b(?!.*\?)/

  it('behavior: no comment begins with What or Who', () => {
    const folders = ['src', 'test', 'bench', 'scripts', 'examples/ticker/src', 'console/src']
    const found = folders.flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter(file => /\.(tsx?|mjs)$/.test(file) && file !== 'house.test.ts' && !file.includes('node_modules'))
        .flatMap(file => readFileSync(join(ROOT, folder, file), 'utf8').split('\n'))
        .filter(line => RIDDLE.test(line)),
    )
    expect(found).toEqual([])
  })

  it('error: the pattern finds what it bans', () => {
    for (const line of ['// What it is.', '  /** Who signs. */', ' * Whoever asks.']) expect(line).toMatch(RIDDLE)
    expect('// The reason why.').not.toMatch(RIDDLE)
  })
})

it('behavior: tests that replace modules or count connections run isolated', () => {
  const config = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8')
  const [, listed] = /ISOLATED = \[([^\]]*)\]/.exec(config)!
  const found = ['src', 'test'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.test.ts') && file !== 'house.test.ts' && !file.includes('node_modules'))
      .filter(file =>
        /\bvi\.(mock|doMock)\(|\buntilNo(Sockets|Tcp)\(/.test(readFileSync(join(ROOT, folder, file), 'utf8')),
      )
      .map(file => `${folder}/${file}`),
  )
  const isolated = [...listed!.matchAll(/'([^']+)'/g)].map(match => match[1]!)
  expect(found.filter(file => !isolated.includes(file))).toEqual([])
})
