// The icon that browsers request beside every page: answered, without a trace in the log, the journal and the metrics.
import { HttpResponse, http } from 'msw'
import { expect, it } from 'vitest'
import { startMock } from '../../../test/support/listen.js'
import type { ServerOptions } from './server.js'
import type { Exchange } from './write.js'

async function start(options: ServerOptions = {}) {
  const exchanges: Exchange[] = []
  const server = await startMock({ onExchange: exchange => exchanges.push(exchange), ...options })
  const typeOf = async (path: string): Promise<string | null> =>
    (await fetch(server.url + path)).headers.get('content-type')
  return { ...server, exchanges, typeOf }
}

it('default', async () => {
  const { url, mock, exchanges } = await start()
  const reply = await fetch(`${url}/favicon.ico`)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('image/svg+xml')
  expect(await reply.text()).toMatch(/^<svg .*<\/svg>$/)
  expect(exchanges).toEqual([])
  expect(mock.sessions.default.journal.entries()).toEqual([])
  const metrics = await (await fetch(`${url}/_mock/metrics`)).text()
  expect(metrics).not.toMatch(/requests_total\{/)
})

it('behavior: another method is told as for any unknown path', async () => {
  const { url, exchanges } = await start()
  expect((await fetch(`${url}/favicon.ico`, { method: 'POST' })).status).toBe(404)
  expect(exchanges).toHaveLength(1)
})

it('behavior: the index page brings its own icon, also below a prefix', async () => {
  const { url } = await start()
  const [, icon] = /<link rel="icon" href="data:image\/svg\+xml,([^"]+)">/.exec(
    await (await fetch(`${url}/_mock/`)).text(),
  )!
  expect(decodeURIComponent(icon!)).toBe(await (await fetch(`${url}/favicon.ico`)).text())
})

it('behavior: your own handlers win', async () => {
  const own = [http.get('*/favicon.ico', () => HttpResponse.text('mine'))]
  const { typeOf } = await start({ handlers: own })
  expect(await typeOf('/favicon.ico')).toContain('text/plain')
})
