// Loads a user's own msw handlers and the packages that run them. `node/guarded-handlers.ts` protects the server from their errors.
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { firstLineOf, type Lines, PriceFeedMockError, tryTo } from '../errors.js'
import { isRequestHandler } from './options.js'

/** The part of an msw request handler that a server needs: `http.get(…)`, `http.all(…)`, `graphql.query(…)`. */
export interface UserHandler {
  /** Resolves to the response of the handler, or to null if it does not match the request. */
  run(details: never): Promise<{ readonly response?: Response } | null>
}

/** The function of `@mswjs/http-middleware` that turns handlers into a middleware of Express 4. */
export type HttpMiddleware = (
  ...handlers: readonly UserHandler[]
) => (request: object, response: object, next: (error?: unknown) => void) => Promise<void>

/**
 * Loads a module whose export `handlers` or default export is a list of msw request handlers.
 * @throws PriceFeedMockError FILE_UNREADABLE if it cannot be loaded, HANDLERS_INVALID if it exports no such list
 */
export async function loadUserHandlers(file: string): Promise<readonly UserHandler[]> {
  const path = resolve(file)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new PriceFeedMockError('FILE_UNREADABLE', `There is no file ${file}.`, { at: path })
  // Node would read a pipe or a device to its end, and hear no signal meanwhile.
  if (!stats.isFile() && !stats.isDirectory())
    throw new PriceFeedMockError('FILE_UNREADABLE', `${file} is not a regular file.`, { at: path })
  const module = await importUntilIdle(pathToFileURL(path).href).catch(cause => {
    const parts = { ...linesOf(cause, file, path), cause }
    throw new PriceFeedMockError('FILE_UNREADABLE', `${file} cannot be loaded: ${firstLineOf(cause)}`, parts)
  })
  const inDefault = module.default as { readonly handlers?: unknown } | undefined
  const found = module.handlers ?? inDefault?.handlers ?? inDefault
  const isList = Array.isArray(found) && found.every(isRequestHandler)
  if (isList && found.length > 0) return found
  const what = isList ? 'an empty list' : 'no list'
  throw new PriceFeedMockError('HANDLERS_INVALID', `${file} exports ${what} of request handlers.`, {
    want: "export const handlers = [http.get('/path', …), …], with `http` of msw; a WebSocket cannot be handled",
    at: path,
  })
}

/** Imports a module. Without anything left to wait for, Node would end with 0 and without a word. */
async function importUntilIdle(url: string): Promise<{ readonly handlers?: unknown; readonly default?: unknown }> {
  let onIdle = (): void => {}
  const idle = new Promise<never>((_, reject) => {
    onIdle = () => reject(new Error('its top level awaits something that never happens'))
  })
  process.once('beforeExit', onIdle)
  try {
    return await Promise.race([import(url), idle])
  } finally {
    process.off('beforeExit', onIdle)
  }
}

/** The location of a load error and a fix, as far as Node reports them. */
function linesOf(cause: unknown, file: string, at: string): Lines {
  const { code, stack = '' } = (cause ?? {}) as { readonly code?: unknown; readonly stack?: string }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return {
      fix: 'write it in JavaScript; .ts is read by Node 22.18 and later, or with NODE_OPTIONS="--import tsx"',
      at,
    }
  if (!(cause instanceof SyntaxError)) return { at }
  if (/import statement outside a module|Unexpected token 'export'/.test(cause.message))
    return { fix: 'name it .mjs, or set "type": "module" in its package.json', at }
  // For CommonJS and wrong imports, Node puts the line before the stack. Otherwise it is not available here.
  const line = /^(?:file:\/\/)?((?:\/|[A-Za-z]:).*:\d+)\n/.exec(stack)?.[1]
  return line === undefined ? { fix: `node --check ${file} prints the line`, at } : { at: line }
}

/**
 * The path of an optional package; undefined if it is installed neither beside this package nor in the working directory.
 * @param parents files whose `node_modules` are searched
 */
export const findInstalled = (
  name: string,
  parents: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): string | undefined => parents.map(parent => tryTo(() => createRequire(parent).resolve(name))).find(Boolean)

/**
 * Loads `@mswjs/http-middleware`.
 * @param parents files whose `node_modules` are searched
 * @throws PriceFeedMockError HANDLERS_UNAVAILABLE if it is not installed, or uses an unsupported version of msw
 */
export function loadHttpMiddleware(parents?: readonly string[]): HttpMiddleware {
  const path = findInstalled('@mswjs/http-middleware', parents)
  if (path === undefined) throw unavailable('@mswjs/http-middleware is not installed')
  // The msw that the middleware resolves may differ from the one that this package resolves.
  const require = createRequire(path)
  const version = tryTo(() => (require('msw/package.json') as { version: string }).version)
  if (version === undefined) throw unavailable('msw is not installed')
  if (!version.startsWith('2.')) throw unavailable(`msw ${version} is installed`)
  return (require(path) as { createMiddleware: HttpMiddleware }).createMiddleware
}

function unavailable(reason: string): PriceFeedMockError {
  const shortMessage = `Handlers of your own need msw 2 and @mswjs/http-middleware, but ${reason}.`
  return new PriceFeedMockError('HANDLERS_UNAVAILABLE', shortMessage, {
    fix: 'npm install --save-dev msw@2 @mswjs/http-middleware',
  })
}
