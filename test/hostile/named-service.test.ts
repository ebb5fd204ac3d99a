// Hostile values in valid HTTP: keys, feeds, parameters. The usual mistakes are in test/conformance.
import { describe, expect, it } from 'vitest'
import { LATEST, requestTo, serveHostiles } from '../support/raw.js'

const LIST = ['/prices/batch?', '/prices/evm/crypto?', '/prices/queryHistory?minutes=5&']
const ids = (count: number): string => Array.from({ length: count }, (_, i) => `X${i}`).join(',')

const { ask, askOne } = serveHostiles()

/** Expects an error of the service. Texts are tested beside their source; `mentions` is the part that the request decides. */
async function expectServiceError(sent: string, status: number, error: string, mentions = ''): Promise<void> {
  const reply = await askOne(sent)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['x-price-feed-mock']).toMatch(/^session=/)
  const body = JSON.parse(reply.body)
  expect(body).toEqual({ error, message: expect.any(String) })
  expect(body.message).toContain(mentions)
  expect(reply.status).toBe(status)
}

describe('keys', () => {
  it.each([
    ['a key of 60 KB', requestTo(LATEST, { key: 'k'.repeat(60_000) }), 'valid'],
    ['a key of other bytes', requestTo(LATEST, { key: '\xff\xfe' }), 'valid'],
    ['two keys, the wrong one first', requestTo(LATEST, { key: 'x\r\nAuthorization: test-api-key' }), 'several'],
  ])('error: %s', (_, sent, mentions) => expectServiceError(sent, 401, 'unauthorized', mentions))
})

describe('feeds', () => {
  it.each([
    ['NOUSD', '"NOUSD"'],
    ['BTCUSD,NOUSD,NIXUSD', '"NOUSD", "NIXUSD"'],
    ['__proto__', '"__proto__"'],
    ['constructor,toString,hasOwnProperty', '"constructor", "toString", "hasOwnProperty"'],
    ['%zz', '"%zz"'],
    ['%00', '"\0"'],
    ['%ff', '"%ff"'],
    ['%F0%9F%9A%80USD', '"🚀USD"'],
    ['%C3%BCSD', '"üSD"'],
    ['BTCUSD%20', '"BTCUSD "'],
    ['%2CX', '"X"'],
  ])('error: feedIds=%s', async (id, mentions) => {
    for (const path of LIST) await expectServiceError(requestTo(`${path}feedIds=${id}`), 404, 'unknown_feed', mentions)
  })

  it('error: a message names at most 20 unknown feeds and 40 characters of each', async () => {
    const long = 'x'.repeat(50_000)
    for (const path of LIST) {
      const many = requestTo(`${path}feedIds=${ids(100)}`)
      await expectServiceError(many, 404, 'unknown_feed', '"X18", "X19" and 80 more')
      await expectServiceError(requestTo(`${path}feedIds=${long}`), 404, 'unknown_feed', `"${'x'.repeat(40)}…"`)
    }
    await expectServiceError(requestTo(`/prices/${long}/latest`), 404, 'unknown_feed', `"${'x'.repeat(40)}…"`)
  })

  it.each(['NOUSD', '__proto__', 'constructor', '%zz', '%00', '%F0%9F%9A%80', '%2e%2e', '%2F'])(
    'error: /prices/%s/latest',
    id => expectServiceError(requestTo(`/prices/${id}/latest`), 404, 'unknown_feed'),
  )

  it.each(['BTCU%C5%BFD', 'L%C4%B1NKUSD'])('error: only ASCII letters match in any case: %s', async id => {
    await expectServiceError(requestTo(`/prices/${id}/latest`), 404, 'unknown_feed')
  })
})

describe('parameters', () => {
  it.each([
    ['feedIds=BTCUSD&feed%49ds=BTCUSD', '2 times'],
    ['__proto__=BTCUSD', '"feedIds" is missing'],
    ['__proto__[feedIds]=BTCUSD', '"feedIds" is missing'],
  ])('error: ?%s', async (query, mentions) => {
    for (const path of LIST) await expectServiceError(requestTo(path + query), 400, 'bad_request', mentions)
  })

  it('args: 10,000 unknown parameters', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join('&')
    expect((await askOne(requestTo(`/prices/batch?${many}&feedIds=BTCUSD`))).status).toBe(200)
    expect((await askOne(requestTo(`/prices/batch?feedIds=BTCUSD&__proto__=x&constructor=y&${many}`))).status).toBe(200)
  })

  it('args: 10,000 empty parameters', async () => {
    expect((await askOne(requestTo(`/prices/batch?${'&=&?'.repeat(10_000)}&feedIds=BTCUSD`))).status).toBe(200)
    await expectServiceError(requestTo(`/prices/batch?${'feedIds&'.repeat(10_000)}`), 400, 'bad_request', '10000 times')
  })
})

describe('methods of endpoints', () => {
  it.each(['PROPFIND', 'M-SEARCH'])('error: %s', async method => {
    const sent = requestTo('/prices/batch?feedIds=BTCUSD', { method })
    await expectServiceError(sent, 405, 'method_not_allowed', method)
  })

  it('error: POST with a body leaves the connection open', async () => {
    const body = JSON.stringify({ feedIds: ['BTCUSD'] })
    const post = `POST /prices/batch HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const [refused, answered] = await ask(post + requestTo(LATEST))
    expect(refused!.status).toBe(405)
    expect(answered!.status).toBe(200)
  })
})
