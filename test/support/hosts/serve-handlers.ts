// A server with user handlers for the tests of a file. After each test it must answer, and no error may have escaped.
import { HttpResponse, http } from 'msw'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { type RunningServer, startServer } from '../../../src/hosts/node/server.js'
import type { Exchange } from '../../../src/hosts/node/write.js'
import type { UserHandler } from '../../../src/hosts/user-handlers.js'
import { AT, type HostReply } from '../hosts.js'
import { parseReplies, requestTo, talk } from '../raw.js'

/** An answer as `fetch` gives it. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: string }

/** Starts a server with some handlers, and one that answers `/hello`, before the tests of a file. */
export function serveHandlers(handlers: readonly UserHandler[]) {
  const all = [...handlers, http.get('/hello', () => HttpResponse.json({ hello: 'world' }))]
  let server: RunningServer
  let stderr = ''
  const exchanges: Exchange[] = []
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown): void => void uncaught.push(error)

  const url = (path: string): string => server.url + path
  const port = (): number => Number(new URL(server.url).port)
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(url(path), init)
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  beforeAll(async () => {
    const onExchange = (exchange: Exchange): void => void exchanges.push(exchange)
    server = await startServer({ port: 0, clock: { at: AT, frozen: true }, handlers: all, onExchange })
  })
  beforeEach(() => {
    stderr = ''
    exchanges.length = 0
    uncaught.length = 0
    vi.spyOn(process.stderr, 'write').mockImplementation(text => {
      stderr += text
      return true
    })
    process.on('uncaughtException', onUncaught)
    process.on('unhandledRejection', onUncaught)
  })
  afterEach(async () => {
    // Unhandled rejections are reported some turns later.
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
    process.off('uncaughtException', onUncaught)
    process.off('unhandledRejection', onUncaught)
    vi.restoreAllMocks()
    expect(uncaught).toEqual([])
    expect(await ask('/hello')).toMatchObject({ status: 200, body: '{"hello":"world"}' })
  })
  afterAll(() => server.stop())

  return {
    url,
    port,
    /** Sends a request with `fetch`. */
    ask,
    /** Sends raw bytes. */
    async send(target: string, options: Parameters<typeof requestTo>[1] = {}): Promise<HostReply> {
      return parseReplies(await talk(port(), requestTo(target, options)))[0]!
    },
    /** The exchanges that the server has reported since the start of the test. */
    exchanges,
    stderr: () => stderr,
  }
}
