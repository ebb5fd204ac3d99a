// The static site, built by `npm run site`: its menus and its search. scripts/site.mjs prepares the pages.
import { readFileSync } from 'node:fs'

/** The anchor of a heading, as GitHub makes it: in lower case, with dashes for spaces. */
export const toAnchor = heading =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const groups = JSON.parse(readFileSync(new URL('../pages.json', import.meta.url), 'utf8'))
const page = (text, link) => ({ text, link })

/** Faults first, then guides, then reference, then generated pages. It runs in the page, so it uses nothing from outside. */
function boostDocument(id) {
  if (id.includes('/docs/faults')) return 3
  if (/\/docs\/(scenarios|tutorial|how-to)/.test(id)) return 2
  return /\/(api|src|CHANGELOG|CONTRIBUTING)\b/.test(id) || id.includes('/docs/admin-api') ? 0.2 : 1
}

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default {
  title: 'price-feed-mock',
  description: 'A simulator of a signed price feed service',
  srcDir: '../.build/site-pages',
  // Pages as text, which are copied as they are.
  srcExclude: ['public/**'],
  outDir: '../.build/site',
  cacheDir: '../.build/site-cache',
  // The site works from any folder of a web server, also without the network.
  base: process.env.SITE_BASE ?? '/',
  // Addresses of an example server lead nowhere until somebody starts it.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: toAnchor },
    // Braces in a heading, as in `{id}`, are text.
    attrs: false,
    // Code such as `${{ matrix.seed }}` is text, not a template of Vue.
    config(md) {
      const render = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (...given) => render(...given).replace('<code', '<code v-pre')
    },
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
    outline: [2, 3],
    sidebar: [
      ...groups.map(({ group, pages }) => ({
        text: group,
        items: pages.map(({ title, page: path }) =>
          page(title, `/${path.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}`),
        ),
      })),
      {
        text: 'Development',
        items: [page('TypeScript', '/api/'), page('Contributing', '/CONTRIBUTING'), page('Source map', '/src/')],
      },
    ],
  },
}
