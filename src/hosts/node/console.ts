// The console: the built page of `dist/console` and its files, compressed, under a strict Content-Security-Policy.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { MOCK_HEADER, toDictionary } from '../../outcome.js'

const PAGE = 'index.html'

/** Where the build puts the console, seen from `dist/program`, `dist/hosts/node` and `src/hosts/node`. */
const FOLDERS = ['../console', '../../console', '../../../dist/console']

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface StoredFile {
  readonly mediaType: string
  readonly etag: string
  readonly encodings: { readonly br: Buffer; readonly gzip: Buffer }
}

/** Reads the console into memory. Undefined if it is not built, as for a mock that runs from its sources. */
export function readConsole() {
  // Not by `new URL(path, import.meta.url)`: bundlers take that for a file of theirs, and Turbopack fails to find it.
  const here = dirname(fileURLToPath(import.meta.url))
  const folder = FOLDERS.map(path => join(here, path)).find(path => existsSync(join(path, `${PAGE}.gz`)))
  if (folder === undefined) return undefined
  // The files are listed once, so no name in a request can reach another file.
  const files = new Map<string, StoredFile>()
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.gz')) continue
    const name = path.slice(0, -'.gz'.length).replaceAll('\\', '/')
    const gzip = readFileSync(join(folder, path))
    files.set(name, {
      mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
      // Weak, since it is that of all encodings.
      etag: `W/"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`,
      encodings: { gzip, br: readFileSync(join(folder, `${name}.br`)) },
    })
  }
  /**
   * Answers with the page, or with the file of that name.
   * @param connect origins besides its own that the page may send requests to
   * @returns the status, or undefined where there is no such file
   */
  return (request: IncomingMessage, response: ServerResponse, name: string, connect: readonly string[]) => {
    const file = files.get(name)
    return file && send(request, response, name, file, connect)
  }
}

function send(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  name: string,
  { mediaType, etag, encodings }: StoredFile,
  connect: readonly string[],
): number {
  const encoding = (['br', 'gzip'] as const).find(one => accepts(headers['accept-encoding'], one))
  const common = {
    [MOCK_HEADER]: toDictionary({ own: true }),
    // The name of every other file contains a hash of its content.
    'cache-control': name === PAGE ? 'no-cache' : 'public, max-age=31536000, immutable',
    etag,
    vary: name === PAGE ? 'accept, accept-encoding' : 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(name === PAGE ? pageHeaders(connect) : {}),
  }
  const known = headers['if-none-match']?.split(',').map(one => one.trim().replace(/^W\//, '')) ?? []
  if (known.includes(etag.slice(2)) || known.includes('*')) {
    response.writeHead(304, common).end()
    return 304
  }
  const body = encoding === undefined ? gunzipSync(encodings.gzip) : encodings[encoding]
  response.writeHead(200, {
    ...common,
    'content-type': mediaType,
    'content-length': body.length,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  })
  response.end(method === 'HEAD' ? undefined : body)
  return 200
}

/** No inline code, no other origin, no frame around the page. */
function pageHeaders(connect: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** Whether an `Accept-Encoding` header names an encoding, and not with the weight 0. */
function accepts(header: string | readonly string[] | undefined, encoding: string): boolean {
  return String(header ?? '')
    .split(',')
    .some(item => {
      const [name, ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
      return name === encoding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
    })
}
