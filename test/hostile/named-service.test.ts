// What a consumer can get wrong within HTTP: keys, feeds, parameters. The service refuses, and its sentence says what is wrong.
import { describe, expect, it } from 'vitest'
import { requestTo, serveHostiles } from '../support/raw.js'

const LATEST = '/prices/BTCUSD/latest'
const HISTORY = '/prices/queryHistory?feedIds=BTCUSD'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1'
const LIST = ['/prices/batch?', '/prices/evm/crypto?', '/prices/queryHistory?minutes=5&']
const ids = (count: number): string => Array.from({ length: count }, (_, i) => `X${i}`).join(',')

const { ask, askOne } = serveHostiles()

/** Asks, and expects an error of the service whose sentence holds `says`. */
async function expectRefusal(sent: string, status: number, error: string, says: string | RegExp): Promise<void> {
  const reply = await askOne(sent)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['x-price-feed-mock']).toMatch(/^session=/)
  const body = JSON.parse(reply.body)
  expect(body).toEqual({ error, message: expect.any(String) })
  expect(body.message).toMatch(says)
  expect(reply.status).toBe(status)
}

describe('keys', () => {
  const bare = /sent bare: remove "Bearer" from the Authorization header/
  it.each([
    [
      'no key',
      requestTo(LATEST).replace(/Authorization.*\r\n/, ''),
      /Authorization header is missing.*the API key itself/,
    ],
    ['an empty key', requestTo(LATEST, { key: '' }), /Authorization header is missing/],
    ['a wrong key', requestTo(LATEST, { key: 'wrong' }), /not a valid one/],
    ['the key in another case', requestTo(LATEST, { key: 'Test-Api-Key' }), /not a valid one/],
    ['a Bearer prefix', requestTo(LATEST, { key: 'Bearer test-api-key' }), bare],
    ['a bearer prefix', requestTo(LATEST, { key: 'bearer test-api-key' }), /remove "bearer"/],
    ['a Basic prefix', requestTo(LATEST, { key: 'Basic dGVzdDo=' }), /remove "Basic"/],
    ['a key of 60 KB', requestTo(LATEST, { key: 'k'.repeat(60_000) }), /not a valid one/],
    ['a key of other bytes', requestTo(LATEST, { key: '\xff\xfe' }), /not a valid one/],
    [
      'two keys, the wrong one first',
      requestTo(LATEST, { key: 'x\r\nAuthorization: test-api-key' }),
      /not a valid one/,
    ],
  ])('error: %s', (_, sent, says) => expectRefusal(sent, 401, 'unauthorized', says))

  it('behavior: a refused key is repeated nowhere', async () => {
    const { headers, body } = await askOne(requestTo(LATEST, { key: 'Bearer s3cret' }))
    expect(JSON.stringify(headers) + body).not.toContain('s3cret')
  })

  it.each(['/prices/batch', '/prices/NOUSD/latest', '/prices/queryHistory?minutes=x'])(
    'behavior: the key comes before all else: %s',
    target => expectRefusal(requestTo(target, { key: 'x' }), 401, 'unauthorized', /key/),
  )
})

describe('feeds', () => {
  it.each([
    ['NOUSD', /"NOUSD": unknown feed/],
    ['BTCUSD,NOUSD,NIXUSD', /"NOUSD", "NIXUSD": unknown feed/],
    ['__proto__', /"__proto__": unknown feed/],
    ['constructor,toString,hasOwnProperty', /"constructor", "toString", "hasOwnProperty"/],
    ['%zz', /"%zz": unknown feed/],
    ['%00', /"\0": unknown feed/],
    ['%ff', /"%ff": unknown feed/],
    ['%F0%9F%9A%80USD', /"🚀USD": unknown feed/],
    ['%C3%BCSD', /"üSD": unknown feed/],
    ['BTCUSD%20', /"BTCUSD ": unknown feed/],
    ['%2CX', /^No price for "X": unknown feed/],
  ])('error: feedIds=%s', async (id, says) => {
    for (const path of LIST) await expectRefusal(requestTo(`${path}feedIds=${id}`), 404, 'unknown_feed', says)
  })

  it('error: 100 unknown feeds, or one of 50 KB, are named in brief', async () => {
    const long = 'x'.repeat(50_000)
    for (const path of LIST) {
      const many = requestTo(`${path}feedIds=${ids(100)}`)
      await expectRefusal(many, 404, 'unknown_feed', /"X0", "X1", .* and 80 more: unknown feed/)
      await expectRefusal(requestTo(`${path}feedIds=${long}`), 404, 'unknown_feed', /for "x{40}…": unknown feed/)
    }
    await expectRefusal(requestTo(`/prices/${long}/latest`), 404, 'unknown_feed', /for "x{40}…": unknown feed/)
  })

  it.each(['NOUSD', '__proto__', 'constructor', '%zz', '%00', '%F0%9F%9A%80', '%2e%2e', '%2F'])(
    'error: /prices/%s/latest',
    id => expectRefusal(requestTo(`/prices/${id}/latest`), 404, 'unknown_feed', /^No price for .+: unknown feed\.$/su),
  )

  it.each(['BTCU%C5%BFD', 'L%C4%B1NKUSD'])('error: only ASCII letters have two cases: %s', async id => {
    await expectRefusal(requestTo(`/prices/${id}/latest`), 404, 'unknown_feed', /unknown feed/)
  })
})

describe('parameters', () => {
  const WANTED = /^"minutes" expected an integer from 1 to 525600 in plain digits, got ".{1,42}"\.$/su

  it.each([
    ['', /parameter "feedIds" is missing/],
    ['feedids=BTCUSD', /parameter "feedIds" is missing/],
    ['feedIds', /parameter "feedIds" is empty/],
    ['feedIds=', /parameter "feedIds" is empty/],
    ['feedIds=,,', /"feedIds" names no feed: give ids separated by commas/],
    ['feedIds=BTCUSD&feedIds=ETHUSD', /"feedIds" is given 2 times: give it once/],
    ['feedIds=BTCUSD&feed%49ds=BTCUSD', /"feedIds" is given 2 times/],
    ['__proto__=BTCUSD', /"feedIds" is missing/],
    ['__proto__[feedIds]=BTCUSD', /"feedIds" is missing/],
  ])('error: ?%s', async (query, says) => {
    for (const path of LIST) await expectRefusal(requestTo(path + query), 400, 'bad_request', says)
  })

  it('error: 101 ids', async () => {
    for (const path of LIST)
      await expectRefusal(
        requestTo(`${path}feedIds=${ids(101)}`),
        400,
        'too_many_feeds',
        /101 feeds, more than the 100/,
      )
  })

  it.each(['0', '-1', '1.5', '1e3', '1000000000000', '007', '%205', '+5', '5%00', '0x10', 'NaN', '525601', '%D9%A5'])(
    'error: minutes=%s',
    minutes => expectRefusal(requestTo(`${HISTORY}&minutes=${minutes}`), 400, 'bad_request', WANTED),
  )

  it('error: minutes of 50,000 digits', () =>
    expectRefusal(requestTo(`${HISTORY}&minutes=${'9'.repeat(50_000)}`), 400, 'bad_request', WANTED))

  it.each([
    ['', /"minutes" is missing/],
    ['&minutes=', /"minutes" is empty/],
    ['&minutes=5&minutes=5', /"minutes" is given 2 times/],
  ])('error: %s after feedIds', (query, says) => expectRefusal(requestTo(HISTORY + query), 400, 'bad_request', says))

  it.each([
    ['/charting/feeds-data', /"feedids" is missing/],
    ['/charting/feeds-data?feedIds=btcusd&feed=btcusd&type=1&interval=1h', /"feedids" is missing/],
    [`${CHART}`, /"interval" is missing/],
    [`${CHART}&interval=24x`, /"interval" expected <number><unit>.*24h/],
    [`${CHART}&interval=53w`, /from 1s to 52w/],
    [`${CHART}&interval=1h&interval=1h`, /"interval" is given 2 times/],
    [`${CHART.replace('type=1', 'type=2')}&interval=1h`, /"type" expected 1/],
    [`${CHART.replace('feed=btc', 'feed=eth')}&interval=1h`, /"feedids" does not list the feed "ETHUSD"/],
    [`${CHART.replaceAll('btcusd', 'constructor')}&interval=1h`, /no feed "constructor"/],
  ])('error: %s', (target, says) => expectRefusal(requestTo(target, { key: '' }), 404, 'not_found', says))

  it('args: 10,000 parameters that nobody knows', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join('&')
    expect((await askOne(requestTo(`/prices/batch?${many}&feedIds=BTCUSD`))).status).toBe(200)
    expect((await askOne(requestTo(`/prices/batch?feedIds=BTCUSD&__proto__=x&constructor=y&${many}`))).status).toBe(200)
  })

  it('args: 10,000 empty ones', async () => {
    expect((await askOne(requestTo(`/prices/batch?${'&=&?'.repeat(10_000)}&feedIds=BTCUSD`))).status).toBe(200)
    await expectRefusal(
      requestTo(`/prices/batch?${'feedIds&'.repeat(10_000)}`),
      400,
      'bad_request',
      /given 10000 times/,
    )
  })
})

describe('methods of the five', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH'])('error: %s', async method => {
    const sent = requestTo('/prices/batch?feedIds=BTCUSD', { method })
    await expectRefusal(sent, 405, 'method_not_allowed', new RegExp(`^${method} is not allowed here: use GET`))
    expect((await askOne(sent)).headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  it('error: POST with a body, and the connection goes on', async () => {
    const body = JSON.stringify({ feedIds: ['BTCUSD'] })
    const post = `POST /prices/batch HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const [refused, answered] = await ask(post + requestTo(LATEST))
    expect(refused!.status).toBe(405)
    expect(answered!.status).toBe(200)
  })
})
