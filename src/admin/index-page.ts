// The HTML index page at /_mock/.
import { VERSION } from '../version.js'
import type { AdminRoute } from './admin-route.js'

/** An endpoint or an admin route, as the page lists it. */
type Listed = Pick<AdminRoute, 'path' | 'summary'> & Partial<Pick<AdminRoute, 'method' | 'example'>>

/** The icon of the mock, an SVG. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 12l4-5 4 3 6-7" fill="none" stroke="#2f81f7" stroke-width="2"/></svg>'

/**
 * The page. All text comes from the definitions, so nothing needs escaping.
 * @param root relative path from the page to the mock, which may be mounted under a prefix
 */
export function indexPage(endpoints: readonly Listed[], adminRoutes: readonly Listed[], root: '.' | '..'): string {
  const row = ({ method = 'GET', path, example = '', summary }: Listed): string => {
    const isLink = method === 'GET' && path.startsWith('/_mock/') && !path.includes('{')
    return `<tr><td><code>${method} ${isLink ? `<a href="${root}${path}${example}">${path}</a>` : path}</code><td>${summary}`
  }
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>price-feed-mock</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem; color: #1b1f24 }
  code { font: 14px ui-monospace, monospace } td { padding: .25rem 1.5rem .25rem 0; vertical-align: top }
  @media (prefers-color-scheme: dark) { body { background: #14171a; color: #d8dee4 } a { color: #79b8ff } }
</style>
<h1>price-feed-mock ${VERSION}</h1>
<p>Simulated prices, worthless keys. Never point production here.
<h2>The service</h2>
<table>${endpoints.map(row).join('\n')}</table>
<h2>The mock itself</h2>
<table>${adminRoutes.map(row).join('\n')}</table>
</html>
`
}
