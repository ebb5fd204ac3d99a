// A mock with a frozen clock, called in process: for unit tests that need the whole mock but no host.
import { createMock, type MockOptions } from '../../src/index.js'
import type { Reply } from '../../src/outcome.js'
import type { JournalEntry } from '../../src/service/journal-entry.js'
import type { ServiceRequest } from '../../src/service/request.js'
import { replyOf } from './ask.js'

/** The virtual second of these mocks. */
export const NOW = 1_753_354_105
/** The target of one price. */
export const LATEST = '/prices/BTCUSD/latest'
const KEY = 'test-api-key'
const ADDRESSES = { baseUrl: 'http://mock.test', historyUrl: 'http://history.test' }

/** Optional parts of a request. */
export type Call = { readonly method?: string; readonly key?: string }

/** A request with the key of the default session. */
export const requestOf = (target: string, { method = 'GET', key = KEY }: Call = {}): ServiceRequest => ({
  method,
  target,
  authorization: key,
  receivedAt: 0,
})

/** A mock and two ways to call it. */
export function createCalls(options: MockOptions = {}) {
  const mock = createMock({ clock: { at: NOW, frozen: true }, realTime: () => 0, ...options })
  const serve = (target: string, call?: Call): Reply => {
    const served = mock.serve(requestOf(target, call))
    if (served !== undefined) mock.record(served, 0)
    return replyOf(served)
  }
  return {
    mock,
    /** The default session. */
    session: () => mock.sessions.default,
    /** The reply of the service. */
    serve,
    /** The status and the parsed body of the service. */
    ask(target: string, call?: Call) {
      const { status, body } = serve(target, call)
      return { status, body: JSON.parse(body) }
    },
    /** The reply of an admin route. */
    admin(method: string, target: string, body?: unknown): Promise<Reply> {
      const text = body === undefined ? undefined : JSON.stringify(body)
      return mock.administer({ ...requestOf(target, { method }), body: text }, ADDRESSES)
    },
  }
}

/** An entry of a journal. */
export const entryOf = (n: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  ...{ n, ordinal: n, endpoint: 'latest', method: 'GET', target: LATEST, apiKey: KEY, status: 200, faults: [] },
  ...{ now: NOW, receivedAt: 1_800_000_000_000 },
  ...more,
})

/** The value of a header of a reply. */
export function headerOf({ headers }: Reply, name: string): string | undefined {
  const index = headers.findIndex((header, i) => i % 2 === 0 && header === name)
  return index < 0 ? undefined : headers[index + 1]
}
