// Requests to the admin and to the five endpoints of the server that this page comes from.
import type { AdminClient } from '../../src/client/admin.js'
import { createStore } from './store'

/** The reply of an admin route, by its name. */
export type ReplyOf<Name extends keyof AdminClient> = Awaited<ReturnType<AdminClient[Name]>>
export type Session = ReplyOf<'getSession'>
export type Inspection = ReplyOf<'inspectSession'>
export type Snapshot = ReplyOf<'snapshotSession'>['snapshot']
export type Market = ReplyOf<'showMarket'>
export type Explanation = ReplyOf<'explain'>
export type ScenarioSummary = ReplyOf<'scenarios'>['scenarios'][number]
export type FeedDefinition = ReplyOf<'feeds'>['feeds'][number]
export type JournalEntry = ReplyOf<'listRequests'>['requests'][number]

/** The address of the mock: the page is at `/_mock/`, possibly under a prefix. */
export const ROOT = new URL(import.meta.env.DEV ? '/' : '..', document.baseURI).href.replace(/\/$/, '')

/** Whether the page reaches the server. */
export type Connection = 'connecting' | 'ready' | 'token' | 'offline'
export const connection = createStore<Connection>('connecting')

const TOKEN_KEY = 'price-feed-mock admin token'

/** Only this tab keeps the token, and only until it is closed. Characters that no header can have make it a wrong one. */
export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token.replace(/[^\x21-\x7e]/g, '?'))
  connection.set('connecting')
}

/** Whether this tab has a token, right or wrong. */
export const hasToken = (): boolean => sessionStorage.getItem(TOKEN_KEY) !== null

/** An API key in a command to copy, with a placeholder for one that is not shown. */
export const keyToCopy = (apiKey: string): string => (apiKey.startsWith('(') ? 'YOUR_KEY' : apiKey)

/** The headers that open the admin, and keep the polls of this page out of its log. */
export function adminHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN_KEY)
  return { 'x-price-feed-mock-console': '1', ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
}

/** An error that the admin answered, or no answer. */
export class RequestError extends Error {
  /** Stable code of the error; empty where there was no answer. */
  readonly code: string
  /** Status of the answer; 0 without one. */
  readonly status: number

  constructor(message: string, code: string, status = 0) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** An error in the place of a reply. */
interface Problems {
  readonly code?: string
  readonly detail?: string
  readonly problems?: readonly { readonly at: string; readonly want?: string }[]
}

/** Sends a request to the admin. Without credentials, because a browser would ask for a password of its own. */
async function requestAdmin(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(ROOT + path, {
      ...init,
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...adminHeaders(),
        ...init.headers,
      },
    })
  } catch (error) {
    if ((error as Error).name !== 'AbortError') connection.set('offline')
    throw new RequestError('The server does not answer.', '')
  }
}

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await requestAdmin(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const text = await response.text()
  let reply: object | undefined
  try {
    if (text !== '' || !response.ok) reply = JSON.parse(text)
  } catch {
    throw toError(response.status, {})
  }
  if (!response.ok) throw toError(response.status, reply!)
  connection.set('ready')
  return reply as T
}

function toError(status: number, reply: object): RequestError {
  const { code = '', detail = `The server answered ${status}.`, problems: [first] = [] } = reply as Problems
  // Without a code, something before the server answers in its place, such as a proxy.
  connection.set(code === 'ADMIN_TOKEN_INVALID' ? 'token' : /^$|^STORE_/.test(code) ? 'offline' : 'ready')
  return new RequestError(first === undefined ? detail : `${detail} ${first.at}: ${first.want ?? ''}.`, code, status)
}

/** The admin route of a session. A browser would resolve `.` and `..`, which no session is called, as parts of the path. */
export const routeOf = (id: string): string => `/_mock/sessions/${encodeURIComponent(id.replace(/^\.\.?$/, '$&!'))}`

/** The admin routes that the page uses. */
export const admin = {
  info: () => send<ReplyOf<'info'>>('GET', '/_mock/info'),
  feeds: () => send<ReplyOf<'feeds'>>('GET', '/_mock/feeds'),
  scenarios: () => send<ReplyOf<'scenarios'>>('GET', '/_mock/scenarios'),
  openapi: () => send<Record<string, unknown>>('GET', '/_mock/openapi.json'),
  sessions: () => send<ReplyOf<'listSessions'>>('GET', '/_mock/sessions'),
  createSession: (body: object) => send<Session>('POST', '/_mock/sessions', body),
  session: (id: string) => send<Session>('GET', routeOf(id)),
  change: (id: string, patch: object) => send<Session>('PATCH', routeOf(id), patch),
  deleteSession: (id: string) => send<void>('DELETE', routeOf(id)),
  reset: (id: string) => send<Session>('POST', `${routeOf(id)}/reset`),
  snapshot: async (id: string): Promise<Snapshot> =>
    (await send<ReplyOf<'snapshotSession'>>('POST', `${routeOf(id)}/snapshot`)).snapshot,
  restore: (id: string, snapshot: Snapshot) => send<Session>('POST', `${routeOf(id)}/restore`, { snapshot }),
  inspect: (id: string, from: number, to: number, bin = 1) =>
    send<Inspection>('GET', `${routeOf(id)}/inspect?from=${from}&to=${to}&bin=${bin}`),
  market: (id: string, second: number) => send<Market>('GET', `${routeOf(id)}/market?at=${second}`),
  prices: (id: string, feeds: readonly string[], second: number) =>
    send<Market>('GET', `${routeOf(id)}/market?feeds=${encodeURIComponent(feeds.join(','))}&at=${second}`),
  counts: (id: string, from: number, to: number, bin: number) =>
    send<ReplyOf<'summarizeRequests'>>('GET', `${routeOf(id)}/requests/summary?from=${from}&to=${to}&bin=${bin}`),
  candles: (id: string, feed: string, from: number, to: number, step: number) =>
    send<ReplyOf<'showCandles'>>(
      'GET',
      `${routeOf(id)}/candles?feed=${encodeURIComponent(feed)}&from=${from}&to=${to}&step=${step}`,
    ),
  lines: (id: string, feeds: readonly string[], points: number) =>
    send<Market>('GET', `${routeOf(id)}/market?feeds=${encodeURIComponent(feeds.join(','))}&points=${points}`),
  request: (id: string, n: number) => send<ReplyOf<'getRequest'>>('GET', `${routeOf(id)}/requests/${n}?body=whole`),
  report: (id: string) => send<ReplyOf<'reportConsumer'>>('GET', `${routeOf(id)}/report`),
  clearVerdicts: (id: string) => send<void>('DELETE', `${routeOf(id)}/verdicts`),
  clearRequests: (id: string) => send<void>('DELETE', `${routeOf(id)}/requests`),
  /** The reply to a request of the session at a second. It is not counted, so the page does not disturb the consumer's counters. */
  explain: (id: string, path: string, second: number) =>
    send<Explanation>('GET', `/_mock/explain?body=whole&at=${second}&url=${encodeURIComponent(prefixOf(id) + path)}`),
}

/** The prefix of the paths of a session. */
export const prefixOf = (id: string): string => (id === 'default' ? '' : `/session/${id}`)
