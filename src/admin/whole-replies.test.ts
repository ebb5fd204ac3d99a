// Replies of the admin routes as a whole, after a few requests under faults: each field has the value that its description promises.
import { beforeAll, expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import { VERSION } from '../version.js'

const calls = createCalls()
const SESSION = '/_mock/sessions/default'

beforeAll(() => {
  const { mock, serve } = calls
  const advance = (by: number) => mock.clock.advance(by)
  mock.change({ prices: { BTCUSD: 50_000, ETHUSD: { price: 2000, alone: true } } })
  advance(5)
  mock.setScenario({
    title: 'Trouble',
    why: 'To be shown.',
    faults: [
      { fault: 'market/stale', feeds: ['BTCUSD'], from: '2s', for: '3s', options: { age: '5m' } },
      { fault: 'reply/status', endpoints: ['latest'], requests: '3', options: { status: 503 } },
    ],
  })
  for (let i = 0; i < 4; i++) {
    serve('/prices/BTCUSD/latest')
    advance(2)
  }
  serve('/prices/batch?feedIds=BTCUSD,ETHUSD', { key: 'Bearer test-api-key' })
  serve('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m', { method: 'POST' })
})

/** The fields of a reply, a line each; of lists, each item. Times are seconds after the start. */
async function show(path: string, ...shown: readonly string[]): Promise<string> {
  const { status, body } = await calls.admin('GET', path)
  const fields = Object.entries(JSON.parse(body))
    .filter(([name]) => shown.length === 0 || shown.includes(name))
    .flatMap(([name, value]) => (Array.isArray(value) ? value.map(item => [name, item]) : [[name, value]]))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [status, ...fields]
    .join('\n')
    .replaceAll(VERSION, 'VERSION')
    .replace(/\b17533\d{5}\b/g, second => `+${Number(second) - NOW}`)
}

it('default: the mock', async () => {
  expect(await show('/_mock/live')).toMatchInlineSnapshot(`
    "200
    status: "ok"
    version: "VERSION""
  `)
  expect(await show('/_mock/health')).toBe(await show('/_mock/live'))
  expect(await show('/', 'name', 'version', 'admin')).toMatchInlineSnapshot(`
    "200
    name: "price-feed-mock"
    version: "VERSION"
    admin: "/_mock/""
  `)
  const { settings } = calls.session().runtime
  const { policy, signing } = JSON.parse((await calls.admin('GET', '/_mock/info')).body)
  expect({ policy, signing }).toEqual({ policy: settings.policy, signing: settings.signing })
  const about = ['name', 'version', 'session', 'sessions', 'reproduce']
  expect(await show('/_mock/info', ...about)).toMatchInlineSnapshot(`
    "200
    name: "price-feed-mock"
    version: "VERSION"
    session: "default"
    sessions: 1
    reproduce: "npx price-feed-mock --seed 42 --snapshot snapshot.json --at 2025-07-24T10:48:38Z --frozen""
  `)
})

it('default: sessions', async () => {
  const { admin, mock } = createCalls()
  mock.endScenario()
  await admin('POST', '/_mock/sessions', { id: 'a', signer: 3, clock: { at: NOW, speed: 2 }, scenario: 'stale-btc' })
  const { sessions } = JSON.parse((await admin('GET', '/_mock/sessions')).body)
  const lines = sessions.map(({ policy: _, ...session }: { policy: object }) => JSON.stringify(session))
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "{"id":"default","created":true,"baseUrl":"http://mock.test","historyUrl":"http://history.test","apiKey":"test-api-key","signer":{"testKey":0,"address":"0xad3784aa29be2b36f5873e248de7a8e28f441f55","publicKey":"02d9b212030a87fca2f6c50453b98ca0c70e1adedfdada85cfc77032a1675a5b6c"},"seed":"42","clock":{"at":"2025-07-24T10:48:25Z","now":1753354105,"speed":1,"frozen":true},"scenario":"calm","scenarioEndedAt":1753354105,"requests":0}
    {"id":"a","created":true,"baseUrl":"http://mock.test/session/a","historyUrl":"http://history.test/session/a","apiKey":"session.a","signer":{"testKey":3,"address":"0xaf947047e3a3459bb172f3efc13d4d81ad1e5e91","publicKey":"02db24cb572445d7e88ee02266c86ef5603e16415264d2013c186f2d5dfd0707f6"},"seed":"42","clock":{"at":"2025-07-24T10:48:25Z","now":1753354105,"speed":2,"frozen":true},"scenario":"stale-btc","requests":0}"
  `)
})

it('default: feeds and scenarios', async () => {
  const { admin, mock } = createCalls({ series: [{ as: 'BTCUSD', rows: 'ts,price\n0,7\n60,8\n' }] })
  const { feeds } = JSON.parse((await admin('GET', '/_mock/feeds')).body)
  const own = mock.sessions.default.runtime.market.feeds
  expect(feeds).toEqual(
    own.map(({ series, ...feed }) => (series ? { ...feed, series: { rows: 2, interval: 0, from: 0, to: 60 } } : feed)),
  )
  expect(JSON.parse((await admin('GET', '/_mock/scenarios')).body)).toEqual({ scenarios: mock.scenarios.list() })
})

it('default: the journal', async () => {
  expect(await show(`${SESSION}/requests`)).toMatchInlineSnapshot(`
    "200
    requests: {"n":1,"ordinal":1,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":200,"got":"fresh","faults":[],"now":+5,"nowMs":1753354110000,"receivedAt":0,"durationMs":0}
    requests: {"n":2,"ordinal":2,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":200,"got":"stale","why":"BTCUSD is 300 s old; 60 s are allowed","faults":["market/stale"],"now":+7,"nowMs":1753354112000,"receivedAt":0,"durationMs":0}
    requests: {"n":3,"ordinal":3,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":503,"got":"refused","why":"status 503","retryAfter":5,"faults":["reply/status"],"now":+9,"nowMs":1753354114000,"receivedAt":0,"durationMs":0}
    requests: {"n":4,"ordinal":4,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":200,"got":"fresh","faults":[],"now":+11,"nowMs":1753354116000,"receivedAt":0,"durationMs":0}
    requests: {"n":5,"ordinal":1,"endpoint":"batch","method":"GET","target":"/prices/batch?feedIds=BTCUSD,ETHUSD","apiKey":"(not shown)","keyProblem":"scheme","refusedKey":1,"status":401,"got":"refused","why":"status 401","faults":[],"now":+13,"nowMs":1753354118000,"receivedAt":0,"durationMs":0}
    requests: {"n":6,"ordinal":0,"endpoint":"candles","method":"POST","target":"/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m","apiKey":"test-api-key","status":405,"got":"refused","why":"status 405","faults":[],"now":+13,"nowMs":1753354118000,"receivedAt":0,"durationMs":0}"
  `)
  const numbersOf = async (query: string) =>
    (await show(`${SESSION}/requests${query}`)).replace(/requests: \{"n":(\d+),.*\}/g, '#$1').split('\n')
  expect(await numbersOf('?endpoint=latest&status=200&limit=2')).toEqual(['200', '#1', '#2', 'next: 2'])
  expect(await numbersOf('?after=4&limit=1')).toEqual(['200', '#5', 'next: 5'])
  expect(await numbersOf('?after=5&limit=1')).toEqual(['200', '#6'])
  expect(await show(`${SESSION}/requests?limit=1001`)).toMatch(/a number of requests from 1 to 1000/)
  expect(await show(`${SESSION}/requests/summary`)).toMatchInlineSnapshot(`
    "200
    requests: 6
    endpoints: {"endpoint":"candles","requests":1,"statuses":{"405":1},"got":{"refused":1},"betweenVirtualMs":null,"betweenRealMs":null}
    endpoints: {"endpoint":"batch","requests":1,"statuses":{"401":1},"got":{"refused":1},"betweenVirtualMs":null,"betweenRealMs":null}
    endpoints: {"endpoint":"latest","requests":4,"statuses":{"200":3,"503":1},"got":{"fresh":2,"stale":1,"refused":1},"betweenVirtualMs":{"least":2000,"mean":2000,"most":2000},"betweenRealMs":{"least":0,"mean":0,"most":0}}
    faults: {"fault":"market/stale","planned":"BTCUSD, from 2s for 3s","hits":1,"misses":4,"lastMiss":"not its time"}
    faults: {"fault":"reply/status","planned":"latest, requests 3","hits":1,"misses":3,"lastMiss":"not one of its requests"}"
  `)
  expect(await show(`${SESSION}/requests/summary?bin=4&from=${NOW + 8}`, 'bins')).toMatchInlineSnapshot(`
    "200
    bins: {"endpoint":"candles","from":+11,"until":+15,"got":{"refused":1}}
    bins: {"endpoint":"batch","from":+11,"until":+15,"got":{"refused":1}}
    bins: {"endpoint":"latest","from":+7,"until":+11,"got":{"refused":1}}
    bins: {"endpoint":"latest","from":+11,"until":+15,"got":{"fresh":1}}"
  `)
  expect(await show(`${SESSION}/requests/3`, 'request', 'replayed', 'reproduce')).toMatchInlineSnapshot(`
    "200
    request: {"n":3,"ordinal":3,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":503,"got":"refused","why":"status 503","retryAfter":5,"faults":["reply/status"],"now":+9,"nowMs":1753354114000,"receivedAt":0,"durationMs":0}
    replayed: true
    reproduce: "npx price-feed-mock --seed 42 --snapshot snapshot.json --at 2025-07-24T10:48:34Z --frozen""
  `)
})

it('default: the market', async () => {
  expect(await show(`${SESSION}/market?feeds=BTCUSD,ETHUSD,,BTCUSD&points=3`)).toMatchInlineSnapshot(`
    "200
    now: +13
    feeds: {"id":"BTCUSD","price":50004.666,"ts":+12,"before":113538.803,"points":[113538.803,113807.164,50004.666]}
    feeds: {"id":"ETHUSD","price":2000.24,"ts":+12,"before":3631.376,"points":[3631.376,3641.292,2000.24]}"
  `)
  expect(await show(`${SESSION}/candles?feed=BTCUSD&from=${NOW - 10}&to=${NOW + 9}&step=10`)).toMatchInlineSnapshot(`
    "200
    now: +13
    served: {"open":113925.659,"high":113934.57,"low":113923.905,"close":113934.57,"volume":1534622.52,"time":+-15}
    served: {"open":113939.072,"high":113943.647,"low":50000,"close":50001.285,"volume":1011843.5,"time":+-5}
    served: {"open":50001.904,"high":50004.666,"low":50001.825,"close":50004.472,"volume":1151945.09,"time":+5}
    own: {"open":113925.659,"high":113934.57,"low":113923.905,"close":113934.57,"volume":1534622.52,"time":+-15}
    own: {"open":113939.072,"high":113946.148,"low":113939.072,"close":113946.148,"volume":1011843.5,"time":+-5}
    own: {"open":113947.56,"high":113953.854,"low":113946.928,"close":113953.41,"volume":1259010.48,"time":+5}"
  `)
})

it('default: the scenario', async () => {
  expect(
    await show(`${SESSION}/inspect`, 'now', 'reproduce', 'scenario', 'overrides', 'faults', 'earlier'),
  ).toMatchInlineSnapshot(`
    "200
    now: +13
    reproduce: "npx price-feed-mock --seed 42 --snapshot snapshot.json --at 2025-07-24T10:48:38Z --frozen"
    scenario: {"name":"inline","title":"Trouble","why":"To be shown.","appliedAt":+5,"source":{"title":"Trouble","why":"To be shown.","faults":[{"fault":"market/stale","feeds":["BTCUSD"],"from":"2s","for":"3s","options":{"age":"5m"}},{"fault":"reply/status","endpoints":["latest"],"requests":"3","options":{"status":503}}]}}
    overrides: {"feed":"BTCUSD","since":+-1,"price":50000,"alone":false}
    overrides: {"feed":"ETHUSD","since":+-1,"price":2000,"alone":true}
    faults: {"fault":"market/stale","planned":"BTCUSD, from 2s for 3s","feeds":["BTCUSD"],"endpoints":null,"active":false,"windows":[{"from":+7,"until":+10}],"hits":1,"hitsBefore":0,"misses":4,"lastMiss":"not its time"}
    faults: {"fault":"reply/status","planned":"latest, requests 3","feeds":null,"endpoints":["latest"],"active":true,"windows":[{"from":+5,"until":null}],"hits":1,"hitsBefore":0,"misses":3,"lastMiss":"not one of its requests"}"
  `)
})

it('default: an explanation, of a path without its slash and with the key of the session', async () => {
  const shown = await show('/_mock/explain?url=prices/batch%3FfeedIds=ETHUSD', 'endpoint', 'ordinal', 'key', 'got')
  expect(shown).toBe('200\nendpoint: "batch"\nordinal: 2\nkey: "accepted"\ngot: "fresh"')
})

it('error: each names the value, and those that are valid', async () => {
  const problems = [
    ['PUT', '/_mock/sessions'],
    ['POST', '/_mock'],
    ['GET', '/_mock/metrics'],
    ['GET', '/nowhere'],
    ['GET', '/prices/BTCUSD/latestt'],
    ['GET', '/prices/BTCUSD/latest'],
    ['GET', '/session/-/x'],
    ['GET', '/_mock/explain'],
    ['GET', '/_mock/explain?url=/nowhere'],
    ['GET', `${SESSION}/market?feeds=NOPE`],
    ['GET', `${SESSION}/candles?step=0`],
    ['GET', `${SESSION}/candles?feed=NOPE`],
    ['GET', `${SESSION}/candles?feed=BTCUSD&from=2&to=1`],
    ['GET', `${SESSION}/inspect?from=4291747200&to=5&to=6&bin=0`],
    ['GET', `${SESSION}/inspect?from=20&to=10`],
    ['DELETE', `${SESSION}/requests?endpoint=latest`],
    ['GET', '/_mock/sessions/none/inspect'],
    ['GET', `${SESSION}/requests/9`],
    ['POST', '/_mock/sessions', '{'],
  ].map(async ([method, target, body]) => {
    const request = { method: method!, target: target!, authorization: undefined, receivedAt: 0, body }
    const addresses = { baseUrl: 'http://mock.test', historyUrl: 'http://history.test' }
    const reply = await calls.mock.administer(request, addresses)
    const { type: _, title: __, ...problem } = JSON.parse(reply.body.replace(/one of \/[^"]+/, 'one of the paths'))
    // Its headers without those that all replies have.
    return [`${method} ${target}`, ...reply.headers.slice(2, -6), JSON.stringify(problem)].join(' ')
  })
  expect((await Promise.all(problems)).join('\n')).toMatchInlineSnapshot(`
    "PUT /_mock/sessions allow GET, POST, HEAD, OPTIONS {"status":405,"code":"METHOD_NOT_ALLOWED","detail":"PUT /_mock/sessions: the path exists, the method does not.","want":"GET, POST, HEAD, OPTIONS"}
    POST /_mock allow GET, HEAD, OPTIONS {"status":405,"code":"METHOD_NOT_ALLOWED","detail":"POST /_mock: the path exists, the method does not.","want":"GET, HEAD, OPTIONS"}
    GET /_mock/metrics {"status":404,"code":"UNKNOWN_ROUTE","detail":"/_mock/metrics needs a running server.","fix":"npx price-feed-mock, or startServer() from price-feed-mock/node","note":"a mock in a page, or behind fetch or msw, has no such route"}
    GET /nowhere access-control-allow-origin * access-control-expose-headers x-price-feed-mock, retry-after, date date Thu, 24 Jul 2025 10:48:38 GMT {"status":404,"code":"UNKNOWN_ROUTE","detail":"Nothing answers GET /nowhere.","want":"one of the paths","docs":"http://mock.test/_mock/"}
    GET /prices/BTCUSD/latestt access-control-allow-origin * access-control-expose-headers x-price-feed-mock, retry-after, date date Thu, 24 Jul 2025 10:48:38 GMT {"status":404,"code":"UNKNOWN_ROUTE","detail":"Nothing answers GET /prices/BTCUSD/latestt.","want":"GET /prices/{feedId}/latest (\\"latest\\", not \\"latestt\\")","docs":"http://mock.test/_mock/"}
    GET /prices/BTCUSD/latest access-control-allow-origin * access-control-expose-headers x-price-feed-mock, retry-after, date date Thu, 24 Jul 2025 10:48:38 GMT {"status":404,"code":"UNKNOWN_ROUTE","detail":"/prices/BTCUSD/latest is answered by the other port.","want":"prices on --port, charting on --history-port"}
    GET /session/-/x access-control-allow-origin * access-control-expose-headers x-price-feed-mock, retry-after, date date Thu, 24 Jul 2025 10:48:38 GMT {"status":400,"code":"SESSION_INVALID","detail":"The path has 1 problem.","problems":[{"at":"session id","got":"-","want":"a session id of letters, digits, . _ and -, at most 64, beginning with a letter or a digit"}]}
    GET /_mock/explain {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"url","want":"a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest"}]}
    GET /_mock/explain?url=/nowhere {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"url","got":"/nowhere","want":"a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest"}]}
    GET /_mock/sessions/default/market?feeds=NOPE {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"feeds","got":"NOPE","want":"the id of a feed"}]}
    GET /_mock/sessions/default/candles?step=0 {"status":400,"code":"REQUEST_INVALID","detail":"The query has 2 problems.","problems":[{"at":"feed","want":"the id of a feed"},{"at":"step","got":"0","want":"a number of seconds from 1 to 99999999"}]}
    GET /_mock/sessions/default/candles?feed=NOPE {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"feed","got":"NOPE","want":"the id of a feed"}]}
    GET /_mock/sessions/default/candles?feed=BTCUSD&from=2&to=1 {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"to","got":1,"want":"a second that is not before \`from\`"}]}
    GET /_mock/sessions/default/inspect?from=4291747200&to=5&to=6&bin=0 {"status":400,"code":"REQUEST_INVALID","detail":"The query has 3 problems.","problems":[{"at":"from","got":"4291747200","want":"whole seconds since the epoch, such as 1753354105, up to 4291747199"},{"at":"to","got":"[\\"5\\",\\"6\\"]","want":"a string"},{"at":"bin","got":"0","want":"a number of seconds from 1 to 99999999"}]}
    GET /_mock/sessions/default/inspect?from=20&to=10 {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"to","got":10,"want":"a second that is not before \`from\`"}]}
    DELETE /_mock/sessions/default/requests?endpoint=latest {"status":400,"code":"REQUEST_INVALID","detail":"The query has 1 problem.","problems":[{"at":"endpoint","got":"an unknown key","want":"nothing: it has no options"}]}
    GET /_mock/sessions/none/inspect {"status":404,"code":"SESSION_UNKNOWN","detail":"There is no session \\"none\\".","want":"one of default"}
    GET /_mock/sessions/default/requests/9 {"status":400,"code":"REQUEST_INVALID","detail":"Request 9 is not known.","problems":[{"at":"n","got":"9","want":"a request of the journal: 1 to 6"}]}
    POST /_mock/sessions {"status":400,"code":"REQUEST_INVALID","detail":"The body is not JSON.","want":"a JSON object"}"
  `)
})
