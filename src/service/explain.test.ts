// An explanation as a whole. test/sessions/explain.test.ts compares its parts with replies, on every host.
import { expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { explain, momentOf } from './explain.js'

const FAULTS = [
  { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } },
  { fault: 'tick/zero', feeds: ['ETHUSD'] },
  { fault: 'reply/status', endpoints: ['latest'] },
  { fault: 'reply/latency', from: '1h' },
]

/** The fields of an explanation, a line each; of lists, each item. */
function linesOf(target: string, authorization: string): string {
  const { session } = createCalls({ scenario: { faults: FAULTS } as never })
  const explained = explain(momentOf(session()), { method: 'GET', target, authorization, receivedAt: 0 })!
  return Object.entries(explained)
    .flatMap(([name, value]) => [value].flat().map(item => `${name}: ${JSON.stringify(item)}`))
    .join('\n')
}

it('default: all steps of a reply', () => {
  expect(linesOf('/prices/batch?feedIds=ETHUSD', 'test-api-key')).toMatchInlineSnapshot(`
    "session: "default"
    seed: "42"
    scenario: "inline"
    endpoint: "batch"
    ordinal: 1
    now: 1753354105
    key: "accepted"
    ticks: {"before":{"feedId":"ETHUSD","price":"364378400000","expo":-8,"ts":1753354104},"after":{"feedId":"ETHUSD","price":"0","expo":-8,"ts":1753354104}}
    signatures: {"layout":"svm","bytes":"45544855534400000000000000000000000000000000000000000000000000000000000000000000f8780f826800000000","digest":"9b4a61088c03311af10e726d4b99af7e16719aa3117dbd3d4c7475981c845770","signature":"8d9103a09c271bb237bb966349f782d68443c1211263fd96e67f2ed65b4bac5065d30087ba37ba9f927b806754d0d951c4e60bac38500f214611175bd7d6abbb","recoveryId":1,"signer":"0xad3784aa29be2b36f5873e248de7a8e28f441f55","shown":[{"feedId":"ETHUSD","price":"0","expo":-8,"ts":1753354104}],"covered":[{"feedId":"ETHUSD","price":"0","expo":-8,"ts":1753354104}]}
    faults: {"fault":"market/stale","planned":"BTCUSD","applied":false,"reason":"another feed"}
    faults: {"fault":"tick/zero","planned":"ETHUSD","applied":true}
    faults: {"fault":"reply/status","planned":"latest","applied":false,"reason":"another endpoint"}
    faults: {"fault":"reply/latency","planned":"from 1h","applied":false,"reason":"not its time"}
    got: "broken"
    why: "the price of ETHUSD is 0"
    outcome: {"kind":"reply","delayMs":0,"status":200,"headers":{"content-type":"application/json; charset=utf-8","access-control-allow-origin":"*","access-control-expose-headers":"x-price-feed-mock, retry-after, date","cache-control":"no-store","date":"Thu, 24 Jul 2025 10:48:25 GMT","x-price-feed-mock":"session=\\"default\\", now=1753354105, n=1, faults=(\\"tick/zero\\")","content-length":"226"},"body":"{\\"prices\\":[{\\"feedId\\":\\"ETHUSD\\",\\"price\\":0,\\"expo\\":-8,\\"ts\\":1753354104}],\\"signature\\":\\"8d9103a09c271bb237bb966349f782d68443c1211263fd96e67f2ed65b4bac5065d30087ba37ba9f927b806754d0d951c4e60bac38500f214611175bd7d6abbb\\",\\"recoveryId\\":1}"}"
  `)
})

it('behavior: a key that is refused, under a fault that hides it', () => {
  const lines = linesOf('/prices/BTCUSD/latest', 'x').split('\n')
  expect(lines.filter(line => /^(key|faults|got|why)/.test(line)).join('\n')).toMatchInlineSnapshot(`
    "key: "refused"
    faults: {"fault":"market/stale","planned":"BTCUSD","applied":false,"reason":"nothing to change"}
    faults: {"fault":"tick/zero","planned":"ETHUSD","applied":false,"reason":"another feed"}
    faults: {"fault":"reply/status","planned":"latest","applied":true}
    faults: {"fault":"reply/latency","planned":"from 1h","applied":false,"reason":"not its time"}
    got: "refused"
    why: "status 503""
  `)
})
