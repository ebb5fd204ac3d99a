// Asks a scripted service: headers, waits, attempts and errors.
import { expect, it } from 'vitest'
import { createService } from '../../test/compare/run.js'
import { createAsker, type Service } from './observe.js'
import { to } from './probe.js'

const KEY = 'key-of-the-service'

/** An asker of a service that gives some replies, then 200 for ever, with the log of requests, waits and lines. */
function createLogged(replies: readonly (Response | Error)[], more: Partial<Service> = {}) {
  const log: unknown[] = []
  const left = [...replies]
  const { service } = createService(
    {},
    {
      historyUrl: 'http://history',
      async fetch(url, { method, headers, redirect }) {
        log.push([method, url, headers, redirect])
        const reply = left.shift() ?? new Response('{}')
        if (reply instanceof Error) throw reply
        return reply
      },
      wait: async ms => void log.push(ms),
      report: line => log.push(line),
      ...more,
    },
  )
  return { asker: createAsker(service), log }
}
const busy = (status: number, after?: string) =>
  new Response('', { status, headers: after ? { 'retry-after': after } : {} })
const ask = to.latest('BTCUSD')

it('default: the key, the address and the method of a question', async () => {
  const { asker, log } = createLogged([new Response('{"a":12345678901234567890}', { headers: { b: 'c' } })])
  const { headers, ...answer } = await asker.ask(ask)
  expect([answer, headers.b]).toEqual([{ status: 200, body: { a: 12345678901234567890n }, now: 1_753_354_105 }, 'c'])
  // The answer is known.
  await asker.ask({ ...ask, method: 'GET', key: 'own' })
  await asker.ask({ ...ask, again: true })
  await asker.ask({ ...ask, key: 'bearer' })
  await asker.ask({ ...ask, key: 'wrong', method: 'HEAD' })
  await asker.ask(to.chart('interval=1h'))
  const url = 'http://service/prices/BTCUSD/latest'
  expect(log).toEqual([
    ['GET', url, { authorization: KEY }, 'manual'],
    ['GET', url, { authorization: KEY }, 'manual'],
    ['GET', url, { authorization: `Bearer ${KEY}` }, 'manual'],
    ['HEAD', url, { authorization: 'price-feed-mock-compare' }, 'manual'],
    ['GET', 'http://history/charting/feeds-data?interval=1h', {}, 'manual'],
  ])
  expect([asker.requests, asker.answers.length]).toEqual([5, 5])
})

it.each([
  ['1, 4 and 15 seconds by itself', [busy(429), busy(429), busy(429)], [1, 4, 15]],
  ['as many seconds as it is told', [busy(429, '7'), busy(503, '60'), busy(429, '0')], [7, 60, 1]],
  ['until a date', [busy(429, 'Thu, 24 Jul 2025 10:48:35 GMT')], [10]],
])('behavior: it waits %s', async (_, replies, seconds) => {
  const { asker, log } = createLogged(replies)
  expect(await asker.ask(ask)).toMatchObject({ status: 200 })
  const line = (second: number, i: number) => `the service answered ${replies[i]!.status}; asking again in ${second} s.`
  expect(log.filter(entry => !Array.isArray(entry))).toEqual(
    seconds.flatMap((second, i) => [line(second, i), second * 1000]),
  )
})

it.each([
  ['longer than a minute', [busy(429, '61')], 'the service answers 429: too many requests'],
  ['a fourth time', Array.from({ length: 4 }, () => busy(503, '1')), 'the service answers 503: it is unavailable'],
])('error: it does not wait %s', async (_, replies, message) => {
  await expect(createLogged(replies).asker.ask(ask)).rejects.toMatchObject({
    code: 'SERVICE_REFUSED',
    shortMessage: `${message}.`,
  })
})

it('behavior: a broken connection is tried once more, and so are the first ten errors of a run', async () => {
  const fails = () => [new Response('{}'), busy(500)]
  const { asker, log } = createLogged([new Error('broken'), ...Array.from({ length: 11 }, fails).flat()])
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await asker.ask({ ...ask, again: true })).status)
  expect(statuses).toEqual([...Array(11).fill(200), 500])
  expect(log.filter(entry => typeof entry === 'number')).toEqual(Array(11).fill(1000))
})

it.each([
  [new TypeError('quotes', { cause: { code: 'ECONNREFUSED', message: KEY } }), 'ECONNREFUSED'],
  [new TypeError('quotes', { cause: { message: `to ${KEY}` } }), 'to (not shown)'],
  [new TypeError('quotes'), 'TypeError'],
  [new TypeError('quotes', { cause: { code: 'SELF_SIGNED_CERT_IN_CHAIN' } }), 'SELF_SIGNED_CERT_IN_CHAIN'],
  [new TypeError('quotes', { cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('error: %o', async (cause, got) => {
  const fix =
    got === 'SELF_SIGNED_CERT_IN_CHAIN'
      ? 'NODE_EXTRA_CA_CERTS=ca.pem in the environment: a file with the certificate of its authority'
      : 'check --base-url and --history-url'
  const shortMessage = 'GET http://service/prices/BTCUSD/latest: no answer.'
  await expect(createLogged([cause, cause]).asker.ask(ask)).rejects.toMatchObject({
    shortMessage,
    details: Object.entries({ got, fix }),
  })
})

it('error: the time is over', async () => {
  const { asker } = createLogged([new Error('a'), new Error('b')], { timeout: () => AbortSignal.abort() })
  await expect(asker.ask(ask)).rejects.toThrow(': no answer in time.')
})
