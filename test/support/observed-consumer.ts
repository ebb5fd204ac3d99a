// A consumer whose requests come at chosen times, and its report card: for unit tests of the checks.
import type { ReportCard, ReportedCheck } from '../../src/admin/report/report-card.js'
import { buildReport } from '../../src/admin/report/report-card.js'
import { createMock, type MockOptions } from '../../src/index.js'

export { LATEST } from './calls.js'

/** Real and virtual milliseconds at which these consumers start. */
const START = 1_753_354_105_000
/** The API key that the mock accepts. */
const KEY = 'test-api-key'

/** Optional parts of a request. */
interface Asking {
  /** Undefined for none. */
  readonly key?: string | undefined
  readonly method?: string
  /** Real milliseconds that the reply takes. */
  readonly tookMs?: number
}

/** Creates a consumer of a mock whose clock follows the real time of the test. */
export function createConsumer(options: MockOptions = {}) {
  let ms = START
  const mock = createMock({ clock: { at: START / 1000 }, realTime: () => ms, ...options })
  const ask = (target: string, asking: Asking = {}): number => {
    const { method = 'GET', tookMs = 0 } = asking
    const authorization = 'key' in asking ? asking.key : KEY
    const served = mock.serve({ method, target, authorization, receivedAt: ms })!
    mock.record(served, tookMs)
    return served.entry.status
  }
  const report = (): ReportCard => buildReport(mock.sessions.default, ms)
  return {
    mock,
    ask,
    /** Lets real time pass. */
    wait(forMs: number): void {
      ms += forMs
    },
    /** Asks the same several times, with a pause after each. */
    poll(target: string, pausesMs: readonly number[], asking?: Asking): void {
      for (const pause of pausesMs) {
        ask(target, asking)
        ms += pause
      }
    },
    report,
    /** The result of a check. */
    check: (id: string): ReportedCheck => report().checks.find(one => one.id === id)!,
  }
}
