// The static site, built by `npm run site`: its menus. scripts/site.mjs prepares the pages.
const page = (text, link) => ({ text, link })

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default {
  title: 'price-feed-mock',
  description: 'A simulator of a signed price feed service',
  srcDir: '../.build/site-pages',
  outDir: '../.build/site',
  cacheDir: '../.build/site-cache',
  // The site works from any folder of a web server, also without the network.
  base: process.env.SITE_BASE ?? '/',
  // Addresses of an example server lead nowhere until somebody starts it.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // Braces in a heading, as in `{id}`, are text.
    attrs: false,
    // Code such as `${{ matrix.seed }}` is text, not a template of Vue.
    config(md) {
      const render = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (...given) => render(...given).replace('<code', '<code v-pre')
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: [page('Overview', '/'), page('Changes', '/CHANGELOG')] },
      {
        text: 'Guide',
        items: [
          page('Responses', '/docs/responses'),
          page('Console', '/docs/console'),
          page('Scenarios', '/docs/scenarios'),
          page('Faults', '/docs/faults'),
          page('Sessions', '/docs/sessions'),
          page('Market', '/docs/market'),
          page('Feeds', '/docs/feeds'),
          page('Series', '/docs/series'),
          page('Hosts', '/docs/hosts'),
          page('Many servers', '/docs/scale'),
          page('Testing', '/docs/testing'),
          page('Other runners', '/docs/runners'),
          page('Continuous integration', '/docs/ci'),
          page('Signatures', '/docs/signatures'),
          page('Tapes', '/docs/tape'),
          page('On a chain', '/docs/onchain'),
          page('Example: a ticker', '/examples/ticker/'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Options', '/docs/options'),
          page('Admin routes', '/docs/admin-api'),
          page('Formats', '/docs/format'),
          page('Assumptions', '/docs/assumptions'),
          page('Engines', '/docs/engines'),
          page('Speed', '/docs/speed'),
          page('Reliability', '/docs/reliability'),
          page('Dependencies', '/docs/dependencies'),
          page('TypeScript', '/api/'),
        ],
      },
      { text: 'Development', items: [page('Contributing', '/CONTRIBUTING'), page('Source map', '/src/')] },
    ],
  },
}
