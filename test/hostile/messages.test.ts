// The texts of errors that only a whole server or a whole request brings about. Other tests check codes and fields.
import { expect, it } from 'vitest'
import { move, problemOf } from '../support/admin.js'
import { AT, httpHost } from '../support/hosts.js'
import { requestTo, serveHostiles } from '../support/raw.js'

const LATEST = '/prices/BTCUSD/latest'
const CHART = '/charting/feeds-data?feedids=btcusd&type=1&interval=1h&feed='

const { askOne } = serveHostiles()

it('error: problems of the mock itself', async () => {
  const sent = {
    'no HTTP': 'JUNK\r\n\r\n',
    CONNECT: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'a large head': requestTo(LATEST, { head: `X: ${'a'.repeat(140_000)}\r\n` }),
    'another method': requestTo('/_mock/info', { method: 'POST' }),
    'an unknown path': requestTo('/nowhere'),
    'a near miss': requestTo('/price/BTCUSD/latest'),
  }
  const problems: Record<string, object> = {}
  for (const [title, request] of Object.entries(sent)) {
    const { type: _, ...problem } = JSON.parse((await askOne(request)).body)
    // The port of the server differs with each run.
    if (problem.docs !== undefined) problem.docs = problem.docs.replace(/:\d+/, ':4700')
    problems[title] = problem
  }
  expect(problems).toMatchInlineSnapshot(`
    {
      "CONNECT": {
        "code": "REQUEST_MALFORMED",
        "detail": "CONNECT is not a method of this server.",
        "status": 400,
        "title": "RequestMalformedError",
        "want": "an HTTP/1.1 request: GET, HEAD or OPTIONS of a percent-encoded path",
      },
      "a large head": {
        "code": "REQUEST_TOO_LARGE",
        "detail": "The head of the request is too large.",
        "status": 431,
        "title": "RequestTooLargeError",
        "want": "at most 128 KB",
      },
      "a near miss": {
        "code": "UNKNOWN_ROUTE",
        "detail": "Nothing answers GET /price/BTCUSD/latest.",
        "docs": "http://127.0.0.1:4700/_mock/",
        "status": 404,
        "title": "UnknownRouteError",
        "want": "GET /prices/{feedId}/latest ("prices", not "price")",
      },
      "an unknown path": {
        "code": "UNKNOWN_ROUTE",
        "detail": "Nothing answers GET /nowhere.",
        "docs": "http://127.0.0.1:4700/_mock/",
        "status": 404,
        "title": "UnknownRouteError",
        "want": "one of /charting/feeds-data, /prices/batch, /prices/queryHistory, /prices/evm/crypto, /prices/{feedId}/latest",
      },
      "another method": {
        "code": "METHOD_NOT_ALLOWED",
        "detail": "POST /_mock/info: the path exists, the method does not.",
        "status": 405,
        "title": "MethodNotAllowedError",
        "want": "GET, HEAD, OPTIONS",
      },
      "no HTTP": {
        "code": "REQUEST_MALFORMED",
        "detail": "This is not an HTTP request.",
        "got": "Invalid method encountered",
        "status": 400,
        "title": "RequestMalformedError",
        "want": "an HTTP/1.1 request: GET, HEAD or OPTIONS of a percent-encoded path",
      },
    }
  `)
})

it('error: problems of a change', async () => {
  const host = await httpHost({ clock: { at: AT, frozen: true } })
  const details = async (method: string, path: string, body?: unknown) => {
    const { type: _, ...problem } = JSON.parse((await move(host, method, path, body)).body)
    return problem
  }
  const problems = {
    'an id that is taken': await details('POST', '/_mock/sessions', { id: 'default' }),
    'the end of default': await details('DELETE', '/_mock/sessions/default'),
    'an unknown session': await details('GET', '/_mock/sessions/none'),
    'an invalid id': await details('GET', '/session/-a/prices/batch'),
    'a time out of range': await details('PATCH', '/_mock/sessions/default', { clock: { at: 4e9, advance: 4e9 } }),
    'a price out of range': await details('PATCH', '/_mock/sessions/default', { prices: { BTCUSD: 1e15 } }),
    'no object': await details('PATCH', '/_mock/sessions/default', '[]'),
    'a prototype': await details('PATCH', '/_mock/sessions/default', '{"clock":{"__proto__":{}}}'),
    'no JSON': await details('PATCH', '/_mock/sessions/default', '{'),
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
  expect(problems).toMatchInlineSnapshot(`
    {
      "a body of another type": {
        "code": "BODY_NOT_JSON",
        "detail": "The content type of the body is not JSON.",
        "status": 415,
        "title": "BodyNotJsonError",
        "type": "about:blank",
        "want": "content-type: application/json",
      },
      "a large body": {
        "code": "BODY_TOO_LARGE",
        "detail": "The body is too large.",
        "status": 413,
        "title": "BodyTooLargeError",
        "want": "at most 1 MB",
      },
      "a price out of range": {
        "code": "SESSION_INVALID",
        "detail": "The change of the session default has 1 problem.",
        "problems": [
          {
            "at": "prices.BTCUSD",
            "got": 1000000000000000,
            "want": "a price from 0.0407 to 2080000, which leaves room for the walk",
          },
        ],
        "status": 400,
        "title": "SessionInvalidError",
      },
      "a prototype": {
        "code": "REQUEST_INVALID",
        "detail": "The body has 1 problem.",
        "problems": [
          {
            "at": "clock.__proto__",
            "got": "an unknown key",
            "want": "one of the keys at, speed, frozen, advance",
          },
        ],
        "status": 400,
        "title": "RequestInvalidError",
      },
      "a time out of range": {
        "code": "CLOCK_OUT_OF_RANGE",
        "detail": "The clock would leave the supported years.",
        "problems": [
          {
            "at": "clock",
            "got": 8000000000,
            "want": "seconds from 0 to 4291747199, 1970-01-01T00:00:00Z to 2105-12-31T23:59:59Z",
          },
        ],
        "status": 400,
        "title": "ClockOutOfRangeError",
      },
      "an id that is taken": {
        "code": "SESSION_EXISTS",
        "detail": "A session "default" already exists.",
        "fix": "PATCH or DELETE /_mock/sessions/default",
        "status": 409,
        "title": "SessionExistsError",
      },
      "an invalid id": {
        "code": "SESSION_INVALID",
        "detail": "The path has 1 problem.",
        "problems": [
          {
            "at": "session id",
            "got": "-a",
            "want": "a session id of letters, digits, . _ and -, at most 64, beginning with a letter or a digit",
          },
        ],
        "status": 400,
        "title": "SessionInvalidError",
      },
      "an unknown session": {
        "code": "SESSION_UNKNOWN",
        "detail": "There is no session "none".",
        "status": 404,
        "title": "SessionUnknownError",
        "want": "one of default",
      },
      "no JSON": {
        "code": "REQUEST_INVALID",
        "detail": "The body is not JSON.",
        "status": 400,
        "title": "RequestInvalidError",
        "want": "a JSON object",
      },
      "no object": {
        "code": "REQUEST_INVALID",
        "detail": "The body has 1 problem.",
        "problems": [
          {
            "at": "(the whole)",
            "got": "[]",
            "want": "an object",
          },
        ],
        "status": 400,
        "title": "RequestInvalidError",
      },
      "no snapshot": {
        "code": "SNAPSHOT_INVALID",
        "detail": "The snapshot has 1 problem.",
        "problems": [
          {
            "at": "(the whole)",
            "got": 5,
            "want": "an object",
          },
        ],
        "status": 400,
        "title": "SnapshotInvalidError",
      },
      "the end of default": {
        "code": "SESSION_DEFAULT",
        "detail": "The session "default" cannot be deleted.",
        "fix": "POST /_mock/sessions/default/reset",
        "status": 409,
        "title": "SessionDefaultError",
      },
    }
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
