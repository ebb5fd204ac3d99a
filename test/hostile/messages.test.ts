// The texts of errors that only a whole server or a whole request brings about. Other tests check codes and fields.
import { expect, it } from 'vitest'
import { move, problemOf } from '../support/admin.js'
import { AT, httpHost } from '../support/hosts.js'
import { LATEST, requestTo, serveHostiles } from '../support/raw.js'

const CHART = '/charting/feeds-data?feedids=btcusd&type=1&interval=1h&feed='

const { askOne } = serveHostiles()

it('error: problems of the mock itself', async () => {
  const sent = {
    'no HTTP': 'JUNK\r\n\r\n',
    CONNECT: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'a large head': requestTo(LATEST, { head: `X: ${'a'.repeat(140_000)}\r\n` }),
  }
  const problems: string[] = []
  for (const [title, request] of Object.entries(sent)) {
    const { type: _, ...problem } = JSON.parse((await askOne(request)).body)
    problems.push(`${title}: ${JSON.stringify(problem)}`)
  }
  expect(problems.join('\n')).toMatchInlineSnapshot(`
    "no HTTP: {"title":"RequestMalformedError","status":400,"code":"REQUEST_MALFORMED","detail":"This is not an HTTP request.","got":"Invalid method encountered","want":"an HTTP/1.1 request of a percent-encoded path: GET, HEAD, OPTIONS, and below /_mock POST, PATCH, DELETE"}
    CONNECT: {"title":"RequestMalformedError","status":400,"code":"REQUEST_MALFORMED","detail":"CONNECT is not a method of this server.","want":"an HTTP/1.1 request of a percent-encoded path: GET, HEAD, OPTIONS, and below /_mock POST, PATCH, DELETE"}
    a large head: {"title":"RequestTooLargeError","status":431,"code":"REQUEST_TOO_LARGE","detail":"The head of the request is too large.","want":"at most 128 KB"}"
  `)
})

it('error: problems of a change', async () => {
  const host = await httpHost({ clock: { at: AT, frozen: true } })
  const details = async (method: string, path: string, body?: unknown) => {
    const { type: _, ...problem } = JSON.parse((await move(host, method, path, body)).body)
    return problem
  }
  const problems = {
    'a time out of range': await details('PATCH', '/_mock/sessions/default', { clock: { at: 4e9, advance: 4e9 } }),
    'a price out of range': await details('PATCH', '/_mock/sessions/default', { prices: { BTCUSD: 1e15 } }),
    'no object': await details('PATCH', '/_mock/sessions/default', '[]'),
    'a prototype': await details('PATCH', '/_mock/sessions/default', '{"clock":{"__proto__":{}}}'),
    'a large body': await details('PATCH', '/_mock/sessions/default', { seed: 'x'.repeat(1_048_576) }),
    'no snapshot': await details('POST', '/_mock/sessions/default/restore', { snapshot: 5 }),
    'a body of another type': problemOf(
      await host.request('/_mock/sessions/default', {
        method: 'PATCH',
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      }),
      415,
      'BODY_NOT_JSON',
    ),
  }
  await host.stop()
  const lines = Object.entries(problems).map(([title, problem]) => `${title}: ${JSON.stringify(problem)}`)
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "a time out of range: {"title":"ClockOutOfRangeError","status":400,"code":"CLOCK_OUT_OF_RANGE","detail":"The clock would leave the supported years.","problems":[{"at":"clock","got":8000000000,"want":"seconds from 0 to 4291747199, 1970-01-01T00:00:00Z to 2105-12-31T23:59:59Z"}]}
    a price out of range: {"title":"SessionInvalidError","status":400,"code":"SESSION_INVALID","detail":"The session default has 1 problem.","problems":[{"at":"prices.BTCUSD","got":1000000000000000,"want":"a price from 0.0407 to 2080000, which leaves room for the walk"}]}
    no object: {"title":"RequestInvalidError","status":400,"code":"REQUEST_INVALID","detail":"The body has 1 problem.","problems":[{"at":"(the whole)","got":"[]","want":"an object"}]}
    a prototype: {"title":"RequestInvalidError","status":400,"code":"REQUEST_INVALID","detail":"The body has 1 problem.","problems":[{"at":"clock.__proto__","got":"an unknown key","want":"one of the keys at, speed, frozen, advance"}]}
    a large body: {"title":"BodyTooLargeError","status":413,"code":"BODY_TOO_LARGE","detail":"The body is too large.","want":"at most 1 MB"}
    no snapshot: {"title":"SnapshotInvalidError","status":400,"code":"SNAPSHOT_INVALID","detail":"The snapshot has 1 problem.","problems":[{"at":"(the whole)","got":5,"want":"an object"}]}
    a body of another type: {"type":"about:blank","title":"BodyNotJsonError","status":415,"code":"BODY_NOT_JSON","detail":"The content type of the body is not JSON.","want":"content-type: application/json"}"
  `)
})

it('error: errors of the service about feeds', async () => {
  const targets = ['/prices/NOUSD/latest', '/prices/batch?feedIds=NOUSD,BTCUSD,NIXUSD', `${CHART}ethusd`]
  const messages = []
  for (const target of [...targets, `${CHART.replace('btcusd', 'nousd')}nousd`])
    messages.push(JSON.parse((await askOne(requestTo(target))).body).message)
  expect(messages).toMatchInlineSnapshot(`
    [
      "No price for "NOUSD": unknown feed.",
      "No price for "NOUSD", "NIXUSD": unknown feed.",
      ""feedids" does not list the feed "ETHUSD".",
      "There is no feed "nousd".",
    ]
  `)
})
