// The static site: it is built without dead links, and its search finds faults by their names before anything else.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from './support/folder.js'

const SITE = join(ROOT, '.build', 'site')

/** The ids of the results of the page's search, best first. */
let search: (query: string) => string[]

beforeAll(async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/site.mjs'], { cwd: ROOT, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  const chunks = join(SITE, 'assets', 'chunks')
  const file = readdirSync(chunks).find(name => name.startsWith('@localSearchIndex'))!
  const { default: index } = await import(pathToFileURL(join(chunks, file)).href)
  const require = createRequire(join(ROOT, 'node_modules/vitepress/package.json'))
  const { default: MiniSearch } = await import(pathToFileURL(require.resolve('minisearch')).href)
  const { default: config } = await import(pathToFileURL(join(ROOT, 'docs/.vitepress/config.mjs')).href)
  const loaded = MiniSearch.loadJSON(index, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    // As in the page: the defaults of VitePress, and ours.
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      ...config.themeConfig.search.options.miniSearch.searchOptions,
    },
  })
  search = query => loaded.search(query).map(({ id }: { id: string }) => id)
}, 300_000)

it.each([
  ['stale', '/docs/faults.html#marketstale'],
  ['rate-limit', '/docs/faults.html#replyrate-limit'],
  ['wrong-signer', '/docs/faults.html#signaturewrong-signer'],
  ['timeout', '/docs/faults.html#wiretimeout'],
  ['stale-btc', '/docs/scenarios.html#stale-btc'],
  ['flash-crash', '/docs/scenarios.html#flash-crash'],
  ['docker', '/docs/how-to.html#run-it-in-docker'],
])('default: %s finds %s first', (query, id) => expect(search(query)[0]).toBe(id))

it('behavior: a guide ranks above the API', () => {
  const ids = search('parallel sessions')
  expect(ids.slice(0, 3).filter(id => id.startsWith('/api/'))).toEqual([])
})

it('behavior: it opens with the way in, the console and the groups of pages, and has the pages as text', () => {
  const home = readFileSync(join(SITE, 'index.html'), 'utf8')
  for (const part of ['docs/tutorial', 'docs/how-to', 'docs/reference', 'console', 'Faults and market'])
    expect(home).toContain(part)
  const list = readFileSync(join(SITE, 'llms.txt'), 'utf8')
  const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
  expect(links.length).toBeGreaterThan(25)
  for (const link of links) expect(readFileSync(join(SITE, link), 'utf8').length).toBeGreaterThan(100)
})
