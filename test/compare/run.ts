// Runs a comparison of two mocks in this process: no sockets, and pauses move the clock of the service.
import { askService, type CompareOptions, compareWithOurs } from '../../src/compare/compare.js'
import type { Service } from '../../src/compare/observe.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'
import type { ServiceConfig } from './arbitrary-config.js'

const KEY = 'key-of-the-service'

/** A mock in the place of a service. */
export function createService(config: ServiceConfig, more: Partial<Service> = {}) {
  const mock = createMock({ ...config, apiKeys: [KEY], seed: '7', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
  const lines: string[] = []
  const service: Service = {
    baseUrl: 'http://service',
    historyUrl: 'http://service',
    apiKey: KEY,
    maxRequests: 200,
    fetch: createFetch(mock),
    now: () => mock.clock.now(),
    wait: async ms => mock.clock.advance(ms / 1000),
    signal: new AbortController().signal,
    timeout: () => new AbortController().signal,
    report: line => lines.push(line),
    ...more,
  }
  return { mock, service, lines }
}

/** The options of a comparison with settings of ours. */
export const optionsOf = (settings: ServiceConfig = {}, more: Partial<CompareOptions> = {}): CompareOptions => {
  const { feeds, ...rest } = settings
  return { feeds: ['BTCUSD', 'ETHUSD', 'SOLUSD'], ours: { settings: rest, feeds }, ...more }
}

/** Compares a service with ours. */
export async function compareMocks(config: ServiceConfig, ours: ServiceConfig = {}) {
  // A low limit of ids takes three times the polls.
  const { service } = createService(config, { maxRequests: 400 })
  const options = optionsOf(ours, { maxCandidates: 30_000 })
  const asked = await askService(service, options)
  return { ...(await compareWithOurs(asked, options)), requests: asked.asker.requests }
}
