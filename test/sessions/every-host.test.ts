// Every host carries admin requests and session prefixes to the service unchanged: the same requests get the same replies everywhere.
import { beforeAll, expect, it } from 'vitest'
import { ADMIN_ROUTES } from '../../src/admin/index.js'
import { ALL_TARGETS, JSON_TYPE, TARGETS } from '../support/admin.js'
import { KEY } from '../support/ask.js'
import type { Host, HostReply } from '../support/hosts/host.js'
import { describeHosts, REFERENCE } from '../support/hosts.js'

const SESSIONS = '/_mock/sessions'
const DEFAULT = `${SESSIONS}/default`

/** A request of the script: a string as body is sent as it is. */
type Step = readonly [method: string, path: string, body?: unknown]

const SCRIPT: readonly Step[] = [
  // Reading.
  ...[
    '/',
    '/_mock/health',
    '/_mock/live',
    '/_mock/info',
    '/_mock/feeds',
    '/_mock/scenarios',
    '/_mock/openapi.json',
    SESSIONS,
  ].map(path => ['GET', path] as const),
  ['GET', `/_mock/explain?url=${encodeURIComponent(TARGETS.latest)}`],
  ['GET', `/_mock/explain?url=${encodeURIComponent('/session/none/prices/batch?feedIds=BTCUSD')}&key=session.none`],
  // Changing.
  ['PATCH', DEFAULT, { clock: { advance: '1h' }, policy: { candles: 5 }, prices: { BTCUSD: 50_000 } }],
  ...ALL_TARGETS.map(target => ['GET', target] as const),
  ['POST', SESSIONS, { id: 'named', seed: 7, clock: { at: '2030-01-01T00:00:00Z', frozen: true }, signer: 5 }],
  ['POST', SESSIONS, { id: 'äöü ☃' }],
  ['POST', SESSIONS],
  ...ALL_TARGETS.map(target => ['GET', `/session/named${target}`] as const),
  ...ALL_TARGETS.map(target => ['HEAD', `/session/lazy${target}`] as const),
  ['GET', `/scenario/calm${TARGETS.latest}`],
  ['POST', `${SESSIONS}/named/snapshot`],
  ['POST', `${SESSIONS}/named/reset`],
  ['GET', `${SESSIONS}/named`],
  ['GET', `${DEFAULT}/requests`],
  ['GET', `${DEFAULT}/requests?endpoint=latest&status=200`],
  ['GET', `${DEFAULT}/requests/summary`],
  ['GET', `${DEFAULT}/inspect`],
  ['GET', `${DEFAULT}/inspect?from=0&to=9999999999`],
  ['GET', `${DEFAULT}/market`],
  ['GET', `${DEFAULT}/market?feeds=BTCUSD,EURUSD&points=10`],
  ['GET', `${DEFAULT}/candles?feed=BTCUSD&step=60`],
  ['DELETE', `${DEFAULT}/requests`],
  ['GET', `${DEFAULT}/requests`],
  ['POST', `${DEFAULT}/verdicts`, { case: 'ä☃🚀', ok: false, why: 'traded' }],
  ['POST', `${DEFAULT}/verdicts`, { case: '' }],
  // Without requests, which have real times.
  ['GET', `${DEFAULT}/report`],
  ['GET', `${DEFAULT}/timeline`],
  ['DELETE', `${DEFAULT}/verdicts`],
  ['DELETE', `${SESSIONS}/named`],
  // Errors.
  ['POST', `${DEFAULT}/restore`, { snapshot: { version: 1 } }],
  ['DELETE', DEFAULT],
  ['GET', `${SESSIONS}/named`],
  ['POST', SESSIONS, { id: 'default' }],
  ['PATCH', DEFAULT, { sed: '7', clock: { att: 5, speed: 0 }, prices: { BTCUSDD: 1 }, signer: 10 }],
  ['PATCH', DEFAULT, { clock: { at: 4e9, advance: 4e9 } }],
  ['PATCH', DEFAULT, { prices: { NOPEUSD: 1, BTCUSD: 1e300 } }],
  ['PATCH', DEFAULT, { scenario: 'clam' }],
  ['PATCH', DEFAULT, { note: 'ä☃🚀' }],
  ...['', '{', '[]', '5', 'null', '{}{}', '{"__proto__":{"seed":"7"}}', `{"seed":${'['.repeat(9000)}`].map(
    body => ['PATCH', DEFAULT, body] as const,
  ),
  ['PATCH', DEFAULT, JSON.stringify({ seed: 'x'.repeat(900_000) })],
  ...['-a', 'a%20b', 'a%2Fb', '%00', 'x'.repeat(65), '__proto__', '%E4', 'a%0d%0ab'].flatMap(
    id =>
      [
        ['GET', `/session/${id}${TARGETS.latest}`],
        ['GET', `${SESSIONS}/${id}`],
      ] as const,
  ),
  ['GET', '/session/lazy/price/batch'],
  ['GET', `/scenario/clam${TARGETS.latest}`],
  ['GET', `${DEFAULT}/requests?stauts=401`],
  ['GET', '/_mock/explain?url=/nowhere'],
  ['PUT', DEFAULT, {}],
  ['OPTIONS', DEFAULT],
  ['GET', SESSIONS],
]

/** Sends the whole script and returns the replies without addresses and measured times. */
async function runScript(host: Host): Promise<object[]> {
  const replies = []
  for (const [method, path, body] of SCRIPT) {
    const headers = body === undefined ? KEY : { ...KEY, ...JSON_TYPE }
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const reply = await host.request(path, { method, headers, ...(text !== undefined && { body: text }) })
    replies.push({ step: `${method} ${path}`, ...comparable(reply) })
  }
  return replies
}

/** A reply without addresses and real times, which differ between runs. Node adds a real `date` to replies of the mock itself. */
function comparable({ status, headers, body }: HostReply): object {
  const text = body
    .replace(/"(baseUrl|historyUrl)":"[^"]*?(\/session\/[^"]*)?"/g, '"$1":"$2"')
    .replace(/"(receivedAt|durationMs)":[\d.]+/g, '"$1":0')
    // Only a server is in reach of a shell.
    .replace(/"reproduce":"curl .*? && (.*?) --port 0"/, '"reproduce":"$1"')
    .replace(/"docs":"http[^"]*?(\/_mock\/)"/g, '"docs":"$1"')
    .replace(/"betweenRealMs":\{[^}]*\}/g, '"betweenRealMs":{}')
  const { 'content-length': length, date, ...rest } = headers
  const isService = headers['x-price-feed-mock']?.startsWith('session=')
  return {
    status,
    headers: { ...rest, ...(text === body && !body.includes('--snapshot') && { length }), ...(isService && { date }) },
    body: text,
  }
}

let expected: object[]
beforeAll(async () => {
  const host = await REFERENCE.start({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
  expected = await runScript(host)
})

it('behavior: the script covers every admin route', () => {
  for (const { method, path } of ADMIN_ROUTES) {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]*\}/g, '[^/?]+')}(\\?.*)?$`)
    expect(
      SCRIPT.some(([used, target]) => used === method && pattern.test(target)),
      `${method} ${path}`,
    ).toBe(true)
  }
})

describeHosts('admin routes', start => {
  it('behavior: the replies are those in process', async () => {
    for (const [i, reply] of (await runScript(start())).entries()) expect(reply).toEqual(expected[i])
  })
})
