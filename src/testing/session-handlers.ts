// Request handlers of msw that are bound to the session of a test.
// biome-ignore-all lint/suspicious/noTsIgnore: there is an error only in projects without msw, where the type is `any`.
import { PriceFeedMockError } from '../errors.js'
import { createHandlers } from '../hosts/base-urls.js'
import { type AppUrls, type ForwardTarget, listAppBases } from './forward.js'

/**
 * A request handler of msw.
 * @ts-ignore */
export type SessionHandler = import('msw').HttpHandler

/**
 * Creates handlers that send requests below the application's addresses to a session. Other requests pass.
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, HANDLERS_UNAVAILABLE if msw is not installed, or too old
 */
export function createSessionHandlers(session: ForwardTarget, urls: AppUrls, msw: MswSource): SessionHandler[] {
  const found = loadMsw(msw)
  const bases = listAppBases('priceFeed.handlers(urls)', session, urls ?? ({} as AppUrls))
  try {
    return createHandlers(found, bases, ({ forward }, { method, url, headers }) =>
      forward({ method, url, authorization: headers.get('authorization') ?? undefined }),
    )
  } catch (cause) {
    // It takes no predicate.
    throw unavailable('msw is older than 2.15', 'npm install --save-dev msw@2', cause)
  }
}

/** Not in the calls that load it: bundlers would want msw to be installed. */
const MSW: string = 'msw'

/** The part of msw that handlers need. */
type Msw = Pick<typeof import('msw'), 'http' | 'HttpResponse'>

/** Where handlers find msw. */
export interface MswSource {
  /** The URL of this package, beside which msw may be installed. Undefined in code that Jest has compiled to CommonJS. */
  readonly here: string | undefined
  /** Its module, where that is loaded already. Its type would be an error in projects without msw. */
  readonly loaded: unknown
}

/**
 * Finds msw for `createSessionHandlers`. It is loaded here only by Jest with ESM, whose `require` refuses the ES modules that msw
 * depends on.
 */
export async function findMsw(): Promise<MswSource> {
  const own = await import('./here.js').catch(() => undefined)
  const loaded =
    own?.IS_JEST === true
      ? await import(/* webpackIgnore: true */ /* @vite-ignore */ MSW).catch(() => undefined)
      : undefined
  return { here: own?.HERE, loaded }
}

/** Loads msw when handlers are first needed: importing it takes longer than most tests. */
function loadMsw({ here, loaded }: MswSource): Msw {
  if (loaded !== undefined) return loaded as Msw
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  const node = process?.getBuiltinModule?.('node:module')
  if (node === undefined)
    throw unavailable('this is not Node', "use handlers(mock, { baseUrl }) of 'price-feed-mock/msw' in a page")
  const causes: unknown[] = []
  // The working directory is that of the project, whose own msw this is.
  for (const from of [`${process!.cwd!()}/package.json`, here].filter(one => one !== undefined))
    try {
      return node.createRequire(from)(MSW)
    } catch (error) {
      causes.push(error)
    }
  const broken = causes.find(cause => (cause as Partial<NodeJS.ErrnoException>)?.code !== 'MODULE_NOT_FOUND')
  if (broken === undefined) throw unavailable('msw is not installed', 'npm install --save-dev msw', causes[0])
  throw unavailable('msw cannot be loaded', 'correct the cause, such as a runner that does not transform msw', broken)
}

function unavailable(reason: string, fix: string, cause?: unknown): PriceFeedMockError {
  return new PriceFeedMockError('HANDLERS_UNAVAILABLE', `handlers() needs msw in Node, but ${reason}.`, { fix, cause })
}
