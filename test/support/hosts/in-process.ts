// The reference host: calls a mock and reads its outcome as data, without socket, fetch or stream.
import { createMock, type MockOptions } from '../../../src/index.js'
import { bodyToSend, type Outcome, plannedMs, toPieces } from '../../../src/outcome.js'
import { type Asked, type Experience, fallible, type RunningHost } from './host.js'
import { waited } from './waited.js'

const BASE_URL = 'http://localhost'

export async function startInProcess(options: MockOptions): Promise<RunningHost> {
  const mock = createMock(options)
  const experience = async (path: string, { method = 'GET', headers = {}, body }: Asked = {}) => {
    const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
    // HTTP parsers trim the values of headers.
    const request = { method, target: path, authorization: authorization?.trim(), receivedAt: Date.now() }
    const served = mock.serve(request)
    if (served !== undefined) {
      mock.record(served, plannedMs(served.outcome))
      return toExperience(method, served.outcome)
    }
    const addresses = { baseUrl: BASE_URL, historyUrl: BASE_URL }
    return toExperience(method, await mock.administer({ ...request, body }, addresses))
  }
  return { ...fallible(experience), async stop() {} }
}

/** The experience of an outcome without a connection. */
function toExperience(method: string, outcome: Outcome): Experience {
  if (outcome.delayMs > 0) waited.push(outcome.delayMs)
  if (outcome.kind === 'reset') return { kind: 'nothing', error: 'wire/reset' }
  if (outcome.kind === 'timeout') {
    if (outcome.closeAfterMs === undefined) return { kind: 'silence' }
    waited.push(outcome.closeAfterMs)
    return { kind: 'nothing', error: 'wire/timeout' }
  }
  const { status } = outcome
  const headers = Object.fromEntries(
    Array.from({ length: outcome.headers.length / 2 }, (_, i) => outcome.headers.slice(2 * i, 2 * i + 2)),
  )
  const body = bodyToSend(method, outcome)
  if (body === null) return { kind: 'reply', status, headers, body: '' }
  if (outcome.kind === 'truncate')
    return { kind: 'broken', error: 'wire/truncate', status, headers, body: body.slice(0, outcome.sentLength) }
  if (outcome.kind === 'dribble') for (const _ of toPieces(body, outcome.pieces).slice(1)) waited.push(outcome.everyMs)
  return { kind: 'reply', status, headers, body }
}
