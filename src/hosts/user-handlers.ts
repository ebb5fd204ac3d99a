// A user's own msw handlers, and the packages that answer with them: read from where they stand, refused in words of ours. How
// they are kept from harming the server is told in node/guarded-handlers.ts.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Detail, PriceFeedMockError } from '../errors.js'

/** A request handler of msw, as far as a server has to know it: `http.get(…)`, `http.all(…)`, `graphql.query(…)`. */
export interface UserHandler {
  /** Looks at a request; resolves to null, or to an object with the response that the user made. */
  run(details: never): Promise<{ readonly response?: Response } | null>
}

/** What `@mswjs/http-middleware` makes of handlers: a middleware of Express 4. */
export type HttpMiddleware = (
  ...handlers: readonly UserHandler[]
) => (request: object, response: object, next: (error?: unknown) => void) => Promise<void>

/**
 * Loads the module at `file`, whose export `handlers`, or default export, is a list of msw's request handlers.
 * @throws PriceFeedMockError FILE_UNREADABLE when it cannot be loaded, HANDLERS_INVALID when it exports no such list
 */
export async function loadUserHandlers(file: string): Promise<readonly UserHandler[]> {
  const path = resolve(file)
  const details = [['at', path]] as const
  if (!existsSync(path)) throw new PriceFeedMockError('FILE_UNREADABLE', `There is no file ${file}.`, { details })
  let module: { readonly handlers?: unknown; readonly default?: unknown }
  try {
    module = await import(pathToFileURL(path).href)
  } catch (cause) {
    const reason = String((cause as Error)?.message ?? cause).split('\n', 1)[0]
    const details = { details: factsOf(cause, file, path), cause }
    throw new PriceFeedMockError('FILE_UNREADABLE', `${file} cannot be loaded: ${reason}`, details)
  }
  const inDefault = module.default as { readonly handlers?: unknown } | undefined
  const found = module.handlers ?? inDefault?.handlers ?? inDefault
  const isList = Array.isArray(found) && found.every(isRequestHandler)
  if (isList && found.length > 0) return found
  const what = isList ? 'an empty list' : 'no list'
  throw new PriceFeedMockError('HANDLERS_INVALID', `${file} exports ${what} of request handlers.`, {
    details: [
      ['want', "export const handlers = [http.get('/path', …), …], with `http` of msw; a WebSocket cannot be handled"],
      ...details,
    ],
  })
}

/** Where a module that cannot be loaded is wrong, and what to do, as far as Node tells. */
function factsOf(cause: unknown, file: string, path: string): Detail[] {
  const { code, stack = '' } = (cause ?? {}) as { readonly code?: unknown; readonly stack?: string }
  const at = ['at', path] as const
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return [
      ['fix', 'write it in JavaScript; .ts is read by Node 22.18 and later, or with NODE_OPTIONS="--import tsx"'],
      at,
    ]
  if (!(cause instanceof SyntaxError)) return [at]
  // Before the stack stands the line, in CommonJS and where an import is wrong; elsewhere Node keeps it for the end of a process.
  const line = /^(?:file:\/\/)?((?:\/|[A-Za-z]:).*:\d+)\n/.exec(stack)?.[1]
  return line === undefined ? [['fix', `node --check ${file} tells the line`], at] : [['at', line]]
}

function isRequestHandler(value: unknown): value is UserHandler {
  const { kind, run } = (value ?? {}) as { readonly kind?: unknown; readonly run?: unknown }
  return kind === 'request' && typeof run === 'function'
}

/**
 * Loads what answers with handlers: from beside this package, or from where the program runs.
 * @param places files from which packages are looked up
 * @throws PriceFeedMockError HANDLERS_UNAVAILABLE when it is not there, or there with a version of msw that it does not work with
 */
export function loadHttpMiddleware(
  places: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): HttpMiddleware {
  const path = places.map(place => tryTo(() => createRequire(place).resolve('@mswjs/http-middleware'))).find(Boolean)
  if (path === undefined) throw unavailable('@mswjs/http-middleware is not installed')
  // The msw that it gets, which is not always the one that we would.
  const require = createRequire(path)
  const version = tryTo(() => (require('msw/package.json') as { version: string }).version)
  if (version === undefined) throw unavailable('msw is not installed')
  if (!version.startsWith('2.')) throw unavailable(`msw ${version} is installed`)
  return (require(path) as { createMiddleware: HttpMiddleware }).createMiddleware
}

function tryTo<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

function unavailable(reason: string): PriceFeedMockError {
  const shortMessage = `Handlers of your own need msw 2 and @mswjs/http-middleware, but ${reason}.`
  return new PriceFeedMockError('HANDLERS_UNAVAILABLE', shortMessage, {
    details: [['fix', 'npm install --save-dev msw@2 @mswjs/http-middleware']],
  })
}
