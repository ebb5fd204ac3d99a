// The mock inside the page: no server, the same prices. Loaded only when the page asks for it.
import { ownScenario, startWorker } from 'price-feed-mock/browser'
import { ask } from './ask'
import type { Settings, WorkerSettings } from './settings'

/** The mock as the page uses it. */
export interface PageMock {
  /** The scenarios, with the mistake that each one catches. */
  readonly scenarios: readonly { readonly name: string; readonly title: string; readonly why: string }[]
  setScenario(name: string): Promise<void>
  /** The name of the current scenario. */
  running(): Promise<string>
}

/** Starts the mock and exposes it to the console as `priceFeedMock`: `priceFeedMock.mock.clock.advance('1h')`. */
export async function startMock({ baseUrl, historyUrl }: Settings, worker: WorkerSettings): Promise<PageMock> {
  const { seed, scenario, at, frozen } = worker
  const clock = { ...(at === undefined ? {} : { at }), ...(frozen ? { frozen } : {}) }
  const started = await startWorker({
    seed,
    clock,
    baseUrl,
    historyUrl,
    ...(scenario === undefined ? {} : { scenario: ownScenario(scenario) }),
  })
  Object.assign(globalThis, { priceFeedMock: started })
  const { mock } = started
  return {
    scenarios: mock.scenarios.list(),
    setScenario: async name => mock.setScenario(ownScenario(name)),
    async running() {
      // The worker answers the admin routes of the mock as well.
      const answer = await ask(`${baseUrl}/_mock/sessions/default`)
      return answer.kind === 'reply' ? String((answer.body as { scenario?: unknown } | undefined)?.scenario) : ''
    },
  }
}
