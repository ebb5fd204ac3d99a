// The package as npm would pack it: its files, its entry points and its dependencies. consumer.full.test.ts installs and uses it.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parseSync } from 'vite'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { readManifest } from '../support/consumer.js'
import { createFolder, ROOT } from '../support/folder.js'

const manifest = readManifest(ROOT)

beforeAll(() => expect(inject('buildProblem')).toBe(''))

describe('the tarball', () => {
  let files: readonly string[]
  beforeAll(() => {
    // Without scripts: `prepack` would build again.
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
    // As pip leaves it, when it installs the client from a clone.
    const left = join(ROOT, 'clients/python/build/lib')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'left.py'), '')
    const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
    rmSync(join(left, '..'), { recursive: true })
    const [packed] = JSON.parse(text)
    files = packed.files.map(({ path }: { path: string }) => path)
  })

  it('behavior: contains every file that package.json names, and only files for users', () => {
    const targets = Object.values(manifest.exports).flatMap(target =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    const named = [...targets, ...Object.values(manifest.bin)].map(path => path.replace('./', ''))
    expect(files).toEqual(expect.arrayContaining(named))
    const folders = new Set(files.map(file => file.split('/', 1)[0]))
    const kept = manifest.files.filter(pattern => !pattern.startsWith('!')).map(pattern => pattern.split('/', 1)[0])
    expect(folders).toEqual(new Set([...kept, 'package.json']))
    expect(files.filter(file => /^clients\/.*(build|egg-info|pycache)/.test(file))).toEqual([])
    expect(files.filter(file => /^dist\/.*(\.test\.|\.tsbuildinfo$|(?<!\.d)\.ts$)/.test(file))).toEqual([])
  })

  it('behavior: contains the program once, bundled, with the licenses of the bundled packages', () => {
    expect(files.filter(file => file.startsWith('dist/cli/'))).toEqual([])
    expect(files).toContain('dist/program/LICENSES.md')
    const licenses = readFileSync(join(ROOT, 'dist/program/LICENSES.md'), 'utf8')
    for (const name of ['zod', '@noble/hashes', '@noble/secp256k1', 'seedrandom'])
      expect(licenses).toContain(`## ${name} - `)
    // Packages that load on demand are not bundled.
    for (const name of ['express', '@faker-js/faker', 'msw']) expect(licenses).not.toContain(`## ${name} - `)
  })

  it('behavior: imports each of its dependencies, and besides them only optional peers', () => {
    const imported = files
      .filter(file => /^dist\/.*\.js$/.test(file))
      .flatMap(file => importsOf(readFileSync(join(ROOT, file), 'utf8')))
      .filter(name => !name.startsWith('.') && !name.startsWith('node:'))
      .map(name => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
      .filter(name => manifest.peerDependenciesMeta[name] === undefined)
    expect([...new Set(imported)].sort()).toEqual(Object.keys(manifest.dependencies).sort())
  })

  it('behavior: no parameter has a default that esbuild breaks when it lowers a rest pattern before it', () => {
    // As Angular lets it do: the pattern moves into the body of the function, where the default does not find its names.
    const isBroken = ({ params }: { params?: readonly Parameter[] }): boolean => {
      const at = params?.findIndex(({ properties }) => properties?.some(({ type }) => type === 'RestElement')) ?? -1
      return at >= 0 && params!.slice(at + 1).some(({ right }) => right !== undefined && right.type !== 'Literal')
    }
    const found = files.filter(file => {
      if (!/^dist\/(?!console|program).*\.js$/.test(file)) return false
      let broken = false
      JSON.stringify(parseSync(file, readFileSync(join(ROOT, file), 'utf8')).program, (_, node) => {
        broken ||= isBroken(node ?? {})
        return typeof node === 'bigint' ? null : node
      })
      return broken
    })
    expect(found).toEqual([])
  })

  it('behavior: its package.json has no `prepare`, of which npm 11 warns, and that of the clone keeps it', () => {
    const folder = createFolder(onTestFinished)
    const before = readFileSync(join(ROOT, 'package.json'), 'utf8').replace(
      /"build": ".*"/,
      '"build": "node --version"',
    )
    writeFileSync(join(folder, 'package.json'), before)
    // Options of npm reach the scripts as well.
    execFileSync('npm', ['pack', '--json'], { cwd: folder, stdio: 'pipe' })
    const [file] = readdirSync(folder).filter(name => name.endsWith('.tgz'))
    const packed = gunzipSync(readFileSync(join(folder, file!))).toString()
    expect(packed).toContain('"postpack": ')
    expect(packed).not.toContain('"prepare": ')
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(before)
  })

  it('behavior: contains every file that its pages link to', () => {
    const pages = files.filter(file => file.endsWith('.md'))
    const targets = pages.flatMap(page => {
      const links = readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#]+)/g)
      return [...links].map(([, path]) => posix.join(posix.dirname(page), path!))
    })
    expect(targets).toContain('docs/ci.md')
    expect(targets.filter(target => !files.some(file => `${file}/`.startsWith(`${target}/`)))).toEqual([])
  })
})

/** A parameter in a syntax tree: a pattern, or one with a default. */
interface Parameter {
  readonly properties?: readonly { readonly type: string }[]
  readonly right?: { readonly type: string }
}

/** The names in the imports of a module. */
function importsOf(text: string): string[] {
  const { staticImports, dynamicImports } = parseSync('module.js', text).module
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end))
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    // Some are chosen at run time.
    ...dynamic.flatMap(source => /^(['"])(.*)\1$/.exec(source)?.[2] ?? []),
  ]
}

it('behavior: the pages that errors name are in the package', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  const pages = sources
    .filter(file => /(?<!\.test)\.ts$/.test(file))
    .flatMap(file => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/\bdocs: '([^']+)'/g)])
    .map(([, page]) => page!)
  expect(pages).toContain('price-feed-mock/docs/scenarios.md')
  expect(
    pages.filter(
      page =>
        !/^price-feed-mock\/docs\/[\w-]+\.md$/.test(page) ||
        !existsSync(join(ROOT, page.slice('price-feed-mock/'.length))),
    ),
  ).toEqual([])
})

describe('entry points', () => {
  it('default: each exports these names', async () => {
    const targets = Object.entries(manifest.exports).flatMap(([name, target]) =>
      typeof target === 'string' ? [] : [[name, target.default] as const],
    )
    // Outside of vitest, vitest cannot be imported.
    const inNode = targets.filter(([name]) => name !== './vitest')
    const script = `const names = {}
for (const [name, file] of ${JSON.stringify(inNode)}) names[name] = Object.keys(await import(file)).sort()
process.stdout.write(JSON.stringify(names))`
    const node = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' })
    expect(node.status, node.stderr).toBe(0)
    const inVitest = await import('../../src/testing/vitest.js')
    const names = { ...JSON.parse(node.stdout), './vitest': Object.keys(inVitest).sort() }
    const lines = Object.keys(manifest.exports).map(name => `${name}: ${names[name]?.join(' ') ?? 'a file'}\n`)
    await expect(lines.join('')).toMatchFileSnapshot('exports.txt')
  })
})

describe('docs/dependencies.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8')
  const [dependencies = '', peers = ''] = page.split('\nOptional peer dependencies')
  /** The packages of a table, each with the text beside it. */
  const rowsOf = (text: string): (readonly [name: string, purpose: string])[] =>
    [...text.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].flatMap(([, packages, purpose]) =>
      [...packages!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, purpose!] as const),
    )

  it.each([
    ['dependency', dependencies, manifest.dependencies],
    ['peer dependency', peers, manifest.peerDependenciesMeta],
  ])('behavior: gives the purpose of each %s', (_, text, packages) => {
    const rows = rowsOf(text)
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(packages).sort())
    for (const [name, purpose] of rows) expect(purpose.length, name).toBeGreaterThan(8)
  })

  it('behavior: every peer is optional, in any version, and a development dependency', () => {
    // The packages of chains are installed on their own.
    const { devDependencies: chains } = readManifest(join(ROOT, 'test', 'chain'))
    for (const [name, meta] of Object.entries(manifest.peerDependenciesMeta)) {
      expect(meta, name).toEqual({ optional: true })
      // Any other range stops npm beside an older version, also where nothing uses it. The one of Vitest 4 stops npm 10, that of Node 20,
      // in an empty folder: "Cannot read properties of null (reading 'edgesOut')". Without a range all managers take any version too.
      expect(manifest.peerDependencies[name], name).toBe(name === 'vitest' ? undefined : '*')
      expect({ ...manifest.devDependencies, ...chains }).toHaveProperty([name])
    }
  })
})
