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
const pick = (headers: Readonly<Record<string, string>>) => HEADERS.map(name => headers[name])

/** The answers in process to each fault on every endpoint, and the faults of each request of the mix: the same for all hosts. */
const answers = (async () => {
  const { ask } = mockWith(ONE_BY_ONE)
  const seen: unknown[] = []
  for (const _ of ONE_BY_ONE)
    for (const endpoint of ENDPOINTS) {
      const { status, body, headers } = await ask(targetOf(endpoint))
      seen.push([status, body, ...pick(headers)])
    }
  return seen
})()
const LATEST = targetOf('latest')
const { mock } = mockWith(MIX)
const named = Array.from({ length: REQUESTS }, () => {
  const request = { method: 'GET', target: LATEST, authorization: KEY.authorization, receivedAt: 0 }
  return mock
    .serve(request)!
    .entry.faults.map(name => `"${name}"`)
    .join(' ')
})

it('default: chance selects each fault', () => {
  expect(mock.sessions.default.record.counters.faults.map(({ hits }) => hits > 0)).toEqual([true, true, true])
})

describeHosts('faults', start => {
  it('behavior: one after the other, they act as in process', async () => {
    const host = start({ scenario: { faults: ONE_BY_ONE as never } })
    const due = [...(await answers)]
    for (const { fault } of ONE_BY_ONE)
      for (const endpoint of ENDPOINTS) {
        const { status, body, headers } = await host.request(targetOf(endpoint), { headers: KEY })
        expect([status, body, ...pick(headers)], `${fault} on ${endpoint}`).toEqual(due.shift())
      }
  })

  it('behavior: chance selects the same requests, also in another session', async () => {
    const host = start({ scenario: { faults: MIX } as never })
    for (const [i, due] of named.entries())
      for (const prefix of ['', '/session/other']) {
        const { headers } = await host.request(prefix + LATEST, { headers: KEY })
        expect(/faults=\((.*)\)/.exec(headers['x-price-feed-mock']!)?.[1] ?? '', `${i + 1} ${prefix}`).toBe(due)
      }
  })
})
