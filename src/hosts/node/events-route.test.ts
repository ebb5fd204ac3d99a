// The journal as Server-Sent Events: live, resumed after Last-Event-ID, and without waiting for slow readers.
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { adminRoute, askWith, KEY, move, problemOf, TARGETS } from '../../../test/support/admin.js'
import { AT, httpHost } from '../../../test/support/hosts.js'
import { closeOf } from '../../../test/support/raw.js'

const EVENTS = '/_mock/sessions/default/events'
type Host = Awaited<ReturnType<typeof httpHost>>

const start = async (): Promise<Host> => {
  const host = await httpHost({ clock: { at: AT, frozen: true } })
  onTestFinished(host.stop)
  return host
}

type Event = { readonly id: number; readonly event: string; readonly data: Record<string, unknown> }
/** Opens a stream; `take` waits for so many events more. */
async function listen(host: Host, lastEventId?: string, path = EVENTS) {
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await fetch(host.server.url + path, { headers, signal: abort.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const events: Event[] = []
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (done) return false
    const blocks = (text + value).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const match = /^(?:id: (\d+)\n)?event: (\w+)\ndata: (.*)$/.exec(block)
      if (match) events.push({ id: Number(match[1]), event: match[2]!, data: JSON.parse(match[3]!) })
      else expect(block).toMatch(/^:/)
    }
    return true
  }
  const take = async (count: number): Promise<Event[]> => {
    while (events.length < count && (await readMore()));
    return events.splice(0, count)
  }
  await readMore()
  return { response, take, end: () => abort.abort() }
}
const ask = async (host: Host, count: number, target: string = TARGETS.latest) => {
  for (let i = 0; i < count; i++) await askWith(host, KEY, target)
}

it('default: one per request, as it happens', async () => {
  const host = await start()
  await ask(host, 2)
  const { response, take } = await listen(host)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  // An app may compress replies: a stream would then wait for ever.
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(response.headers.get('x-price-feed-mock')).toBe('own')
  expect(response.headers.get('connection')).toBe('close')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  await ask(host, 1)
  await askWith(host, 'secret\tkey', TARGETS.latest)
  const [first, second] = await take(2)
  expect(first).toMatchObject({ id: 3, event: 'request', data: { n: 3, ordinal: 3, apiKey: KEY, status: 200 } })
  expect(second).toMatchObject({ id: 4, data: { status: 401, apiKey: '(not shown)' } })
  const { requests } = await adminRoute<{ requests: object[] }>(host, 'GET', '/_mock/sessions/default/requests')
  expect([first!.data, second!.data]).toEqual(requests.slice(2))
})

it('behavior: ids continue after the journal is cleared and after a reset', async () => {
  const host = await start()
  await ask(host, 3)
  await move(host, 'DELETE', '/_mock/sessions/default/requests')
  await ask(host, 1)
  expect((await (await listen(host, '0')).take(1))[0]).toMatchObject({ id: 4, data: { n: 4 } })
  await adminRoute(host, 'POST', '/_mock/sessions/default/reset')
  await ask(host, 1)
  // The last event that the reader has seen is gone, or comes from another server.
  for (const last of ['4', '9']) {
    const { take } = await listen(host, last)
    expect(await take(2)).toMatchObject([{ event: 'cleared' }, { id: 5, data: { n: 1 } }])
  }
})

it.each(['', 'abc', '-1', '1e3', '9'.repeat(30)])('args: Last-Event-ID %j replays nothing', async id => {
  const host = await start()
  await ask(host, 2)
  const { take } = await listen(host, id)
  await ask(host, 4)
  expect((await take(1))[0]).toMatchObject({ data: { n: 3 } })
})

it.each([
  ['replies=1', true],
  ['replies=0', false],
  ['replies', false],
])('args: %s', async (query, hasReplies) => {
  const host = await start()
  const { take } = await listen(host, undefined, `${EVENTS}?${query}`)
  await ask(host, 1)
  expect('reply' in (await take(1))[0]!.data).toBe(hasReplies)
})

it('behavior: each session has its own stream', async () => {
  const host = await start()
  await adminRoute(host, 'POST', '/_mock/sessions', { id: 'a' })
  const { take } = await listen(host, undefined, '/_mock/sessions/a/events')
  await ask(host, 3)
  await ask(host, 1, `/session/a${TARGETS.latest}`)
  expect((await take(1))[0]).toMatchObject({ id: 1, data: { n: 1 } })
})

it('behavior: the stream of a deleted session ends', async () => {
  const host = await start()
  await adminRoute(host, 'POST', '/_mock/sessions', { id: 'a' })
  const { take } = await listen(host, undefined, '/_mock/sessions/a/events')
  await move(host, 'DELETE', '/_mock/sessions/a')
  // No event can follow: without an end the reader would wait for ever.
  const ended = take(1).then(events => events.length)
  const turns = (async () => {
    await ask(host, 30)
    return 'still open'
  })()
  expect(await Promise.race([ended, turns])).toBe(0)
})

it('behavior: HEAD is answered', async () => {
  const host = await start()
  const head = host.request(EVENTS, { method: 'HEAD' }).then(({ status }) => status)
  head.catch(() => {})
  const turns = ask(host, 30).then(() => 'no answer')
  expect(await Promise.race([head, turns])).toBe(200)
})

it('error: 404 for an unknown session, 400 or 404 for an id that cannot be decoded', async () => {
  const host = await start()
  problemOf(await host.request('/_mock/sessions/nobody/events'), 404, 'SESSION_UNKNOWN')
  expect((await host.request('/_mock/sessions/%zz/events')).status).toBeOneOf([400, 404])
})

// Seconds of work: the kernel buffers much. The limits themselves are tested beside the source.
it.skipIf(!inject('isFull'))('behavior: a reader that does not read is dropped, others get every event', async () => {
  const host = await start()
  const { mock, url } = host.server
  const good = await listen(host)
  const slow = connect(Number(new URL(url).port), '127.0.0.1').pause()
  onTestFinished(() => void slow.destroy())
  slow.on('error', () => {})
  slow.write(`GET ${EVENTS} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await ask(host, 1)
  expect(await good.take(1)).toHaveLength(1)
  // 32 MB: more than a kernel buffers for a socket. Longer targets would be cut.
  const [count, length] = [16_000, 2000]
  for (let i = 0; i < count; i++) {
    const target = `${TARGETS.latest}?${'x'.repeat(length)}`
    mock.record(mock.serve({ method: 'GET', target, authorization: KEY, receivedAt: Date.now() })!, 0)
    if (i % 100 === 99) expect(await good.take(100)).toHaveLength(100)
  }
  let received = 0
  slow.on('data', chunk => (received += chunk.length))
  const closed = closeOf(slow)
  slow.resume()
  await closed
  expect(received).toBeLessThan((count * length) / 2)
  await nextTurn()
  // The other reader is still connected.
  await ask(host, 1)
  expect(await good.take(1)).toHaveLength(1)
})
