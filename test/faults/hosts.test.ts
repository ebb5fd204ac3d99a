// The same scenario on every host: the same requests get the same faults and the same replies.
import { expect, it } from 'vitest'
import { FAULTS } from '../../src/faults/index.js'
import { KEY } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'
import { ENDPOINTS, mockWith, targetOf } from '../support/request-faults.js'

/** Each fault on its own request: the first, the second … of every endpoint. */
// Some hosts follow a redirect.
const ONE_BY_ONE = FAULTS.filter(({ name }) => !/^(market|wire)\/|^reply\/redirect/.test(name)).map(({ name }, i) => ({
  fault: name,
  requests: String(i + 1),
  ...(name === 'reply/latency' ? { options: { ms: 1, jitterMs: 5 } } : {}),
  ...(name === 'reply/rate-limit' ? { options: { limit: 0 } } : {}),
}))
const HEADERS = ['x-price-feed-mock', 'content-type', 'content-length', 'retry-after', 'access-control-allow-origin']
const MIX = [
  { fault: 'reply/status', chance: 0.1, options: { status: 503 } },
  { fault: 'signature/bit-flip', chance: 0.2 },
  { fault: 'reply/malformed-json', chance: 0.05 },
]
const REQUESTS = 150

describeHosts('faults', start => {
  it('behavior: one after the other, they act as in process', async () => {
    const host = start({ scenario: { faults: ONE_BY_ONE as never } })
    const { ask } = mockWith(ONE_BY_ONE)
    for (const { fault } of ONE_BY_ONE)
      for (const endpoint of ENDPOINTS) {
        const target = targetOf(endpoint)
        const [reply, seen] = [await host.request(target, { headers: KEY }), await ask(target)]
        const pick = (headers: Readonly<Record<string, string>>) => HEADERS.map(name => headers[name])
        const what = `${fault} on ${endpoint}`
        expect([reply.status, reply.body, ...pick(reply.headers)], what).toEqual([
          seen.status,
          seen.body,
          ...pick(seen.headers),
        ])
      }
  })

  it('behavior: chance selects the same requests, also in another session', async () => {
    const scenario = { faults: MIX }
    const host = start({ scenario: scenario as never })
    const { mock } = mockWith(MIX)
    const request = { method: 'GET', target: targetOf('latest'), authorization: KEY.authorization, receivedAt: 0 }
    for (let i = 0; i < REQUESTS; i++) {
      const { faults } = mock.serve(request)!.entry
      for (const prefix of ['', '/session/other']) {
        const { headers } = await host.request(prefix + request.target, { headers: KEY })
        const named = /faults=\((.*)\)/.exec(headers['x-price-feed-mock']!)?.[1] ?? ''
        expect(named, `${i + 1} ${prefix}`).toBe(faults.map(name => `"${name}"`).join(' '))
      }
    }
    expect(mock.sessions.default.record.counters.faults.map(({ hits }) => hits > 0)).toEqual([true, true, true])
  })
})
