// Selection of requests by faults, beyond the tests of each fault: counters and their start. Times are in src/scenario/parse.test.ts.

import { describe, expect, it } from 'vitest'
import { FAULTS } from '../../src/faults/index.js'
import { createMock } from '../../src/index.js'
import { reset } from '../../src/service/changes.js'
import { expectActed, mockWith, pairOf, targetOf } from '../support/request-faults.js'

const NO_CORS = 'reply/no-cors'
const LATEST = targetOf('latest')
/** The start of the clock. */
const AT = 1_753_354_105

describe('ordinals', () => {
  const FIRST = [{ fault: NO_CORS, requests: { first: 1 } }]
  const SCENARIO = { faults: FIRST }

  it('behavior: they start when the scenario is applied: setScenario, PATCH, reset', async () => {
    const { mock, ask } = mockWith([])
    const twice = async (): Promise<boolean[]> => {
      const seen = [await ask(LATEST), await ask(LATEST)]
      return seen.map(({ faults }) => faults.includes(NO_CORS))
    }
    expect(await twice()).toEqual([false, false])
    mock.setScenario(SCENARIO as never)
    expect(await twice()).toEqual([true, false])
    mock.change({ scenario: SCENARIO as never })
    expect(await twice()).toEqual([true, false])
    // An invalid scenario is not applied.
    mock.change({ clock: { advance: '1h' } })
    expect(await twice()).toEqual([false, false])
    mock.setScenario('calm')
    expect(await twice()).toEqual([false, false])

    const started = mockWith(FIRST)
    expect((await started.ask(LATEST)).faults).toEqual([NO_CORS])
    expect((await started.ask(LATEST)).faults).toEqual([])
    started.mock.sessions.default.run(reset(0))
    expect((await started.ask(LATEST)).faults).toEqual([NO_CORS])
  })
})

describe('ordinals in windows', () => {
  const WINDOWS = { fault: NO_CORS, from: '10s', for: '20s', repeat: '1m', requests: '1-2' }
  /** The requests that a fault changed, by the second at which they were sent and their endpoint. */
  const sent = (mock: ReturnType<typeof mockWith>['mock'], at: number, targets: readonly string[] = [LATEST]) => {
    mock.clock.set(AT + at)
    const request = { method: 'GET', authorization: 'test-api-key', receivedAt: 0 }
    return targets.map(target => mock.serve({ ...request, target })!.entry.faults.length > 0)
  }
  const THREE = [LATEST, LATEST, LATEST]

  it('default: they count from the start of each window, for each endpoint', () => {
    const { mock } = mockWith([WINDOWS])
    expect(sent(mock, 0, THREE)).toEqual([false, false, false])
    const both = [LATEST, targetOf('batch'), LATEST, LATEST, targetOf('batch'), targetOf('batch')]
    expect(sent(mock, 10, both)).toEqual([true, true, true, false, true, false])
    expect(sent(mock, 40, THREE)).toEqual([false, false, false])
    expect([...sent(mock, 75), ...sent(mock, 89, THREE)]).toEqual([true, true, false, false])
  })

  it('behavior: a window without an end, and each round of a loop', () => {
    const open = mockWith([{ fault: NO_CORS, from: '10s', requests: { every: 2 } }]).mock
    expect([...sent(open, 5), ...sent(open, 20, THREE), ...sent(open, 999)]).toEqual([false, false, true, false, true])
    const loop = createMock({
      clock: { at: AT, frozen: true },
      scenario: { loop: '1m', faults: [{ fault: NO_CORS, requests: '1' }] },
    })
    for (const second of [0, 60, 125]) expect(sent(loop, second, THREE), `${second}`).toEqual([true, false, false])
  })

  it('behavior: a window that is left and entered again counts anew', () => {
    const { mock } = mockWith([WINDOWS])
    expect(sent(mock, 10, THREE)).toEqual([true, true, false])
    expect(sent(mock, 9)).toEqual([false])
    expect(sent(mock, 10, THREE)).toEqual([true, true, false])
    // A clock that moves without a request, or by a request that counts for nothing, has not left it.
    mock.clock.set(AT)
    mock.serve({ method: 'OPTIONS', target: LATEST, receivedAt: 0, authorization: undefined })
    expect(sent(mock, 10)).toEqual([false])
  })
})

describe('several faults', () => {
  it('behavior: one fault twice is named once', async () => {
    const twice = [1, 2].map(by => ({ fault: 'tick/wrong-expo', options: { by } }))
    const pair = await pairOf(twice).ask(LATEST)
    expectActed(pair, ['tick/wrong-expo'])
    expect(JSON.parse(pair.wire.body).expo).toBe(-5)
  })
})

it('behavior: every fault outside the market has a test beside it that uses describeFault', async () => {
  const { existsSync, readFileSync } = await import('node:fs')
  const missing = FAULTS.map(({ name }) => name)
    .filter(name => !name.startsWith('market/'))
    .filter(name => {
      const file = new URL(`../../src/faults/${name}.test.ts`, import.meta.url)
      return !existsSync(file) || !readFileSync(file, 'utf8').includes(`describeFault('${name}'`)
    })
  expect(missing).toEqual([])
})
