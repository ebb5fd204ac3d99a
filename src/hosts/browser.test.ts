// The bundle of the browser host: its size limit, and nothing that needs Node.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { setupWorker } from 'msw/browser'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { startWorker } from './browser.js'

vi.mock('msw/browser', { spy: true })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Size limits of the first load and of all files, as in package.json. `npm run check:size` measures the same files. */
const [MAX_FIRST_LOAD, MAX_TOTAL] = manifest['size-limit'].map(({ limit }) => Number.parseFloat(limit) * 1000) as [
  number,
  number,
]

describe('the bundle', () => {
  let chunks: Rolldown.OutputChunk[]

  beforeAll(async () => {
    const configFile = fileURLToPath(new URL('../../scripts/browser-bundle.config.mjs', import.meta.url))
    const result = await build({ configFile, build: { write: false } })
    chunks = [result as Rolldown.RolldownOutput].flat().flatMap(({ output }) => output as [Rolldown.OutputChunk])
  })

  /** Characters before minification by package or folder, to show which one is too large. */
  const weights = (): string => {
    const sums = new Map<string, number>()
    for (const [id, { renderedLength }] of chunks.flatMap(({ modules }) => Object.entries(modules))) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? id.replace(ROOT, '').replace(/\/[^/]*$/, '')
      sums.set(name, (sums.get(name) ?? 0) + renderedLength)
    }
    const heaviest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 12)
    return heaviest.map(([name, length]) => `${length} ${name}`).join('\n')
  }

  const sizeOf = (some: readonly Rolldown.OutputChunk[]): number =>
    some.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)

  it('behavior: the first load is within the limit of package.json', () => {
    const needed = new Set([chunks.find(({ isEntry }) => isEntry)!])
    for (const { imports } of needed)
      for (const chunk of chunks) if (imports.includes(chunk.fileName)) needed.add(chunk)
    const size = sizeOf([...needed])
    expect(size, weights()).toBeLessThanOrEqual(MAX_FIRST_LOAD)
    expect(size).toBeGreaterThan(MAX_FIRST_LOAD / 3)
    expect(sizeOf(chunks), weights()).toBeLessThanOrEqual(MAX_TOTAL)
  })

  it('behavior: the bundle imports only msw', () => {
    const own = new Set(chunks.map(({ fileName }) => fileName))
    const imported = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]))
    expect([...imported].filter(name => !own.has(name)).sort()).toEqual(['msw', 'msw/browser'])
  })

  it('behavior: the bundle has no Node module, no server and no synthetic feeds', () => {
    const ids = chunks.flatMap(({ modules }) => Object.keys(modules)).map(id => id.replace(ROOT, '/'))
    expect(
      ids.filter(id => /\/hosts\/(node|express|user-handlers)|synthetic|\/(express|@faker-js)\//.test(id)),
    ).toEqual([])
    for (const { code } of chunks) expect(code).not.toMatch(/["'`]node:|\bprocess\.|\bBuffer\.from\b/)
  })
})

describe('startWorker', () => {
  const BASE = { baseUrl: 'https://api.example' }
  it.each([
    ['seed', { ...BASE, seed: {} }, 'CONFIG_INVALID', 'seed'],
    ['baseUrl', { baseUrl: 'api.example' }, 'OPTIONS_INVALID', 'baseUrl'],
    ['historyUrl', { ...BASE, historyUrl: '' }, 'OPTIONS_INVALID', 'historyUrl'],
    ['onUnhandledRequest', { ...BASE, onUnhandledRequest: 'ignore' }, 'OPTIONS_INVALID', 'onUnhandledRequest'],
    ['an empty one', { ...BASE, onUnhandledRequest: '' }, 'OPTIONS_INVALID', 'onUnhandledRequest'],
    ['no options', undefined, 'OPTIONS_INVALID', 'baseUrl'],
    ['null', null, 'OPTIONS_INVALID', 'baseUrl'],
  ])('error: %s', (_title, options, code, at) =>
    expect(startWorker(options as never)).rejects.toMatchObject({ code, problems: [{ at }] }),
  )

  it('error: outside a page, also the second time', async () => {
    for (let i = 0; i < 2; i++)
      await expect(startWorker({ baseUrl: 'https://api.example' })).rejects.toThrow('non-browser environment')
  })
})

it('error: no script: rejects also while msw does not stop, and lets the next one start', async () => {
  // As that of msw 3.
  const worker = { start: () => Promise.reject(new Error('404')), stop: () => new Promise(() => {}) }
  vi.mocked(setupWorker).mockReturnValue(worker as never)
  for (let i = 0; i < 2; i++)
    await expect(startWorker({ baseUrl: 'https://api.example' })).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})
