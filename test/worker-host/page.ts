// The page of the worker host: mocks that answer through the service worker, each at its own address.
import './recorded-timers.js'
// This has to come first: the mock keeps the timers that it finds when it is loaded.
import { type RunningWorker, startWorker } from '../../src/hosts/browser.js'
import { handlers } from '../../src/hosts/msw.js'
import { createMock, type MockOptions } from '../../src/index.js'
import { experienceOf } from '../support/hosts/experience-of.js'
import type { Asked, Experience } from '../support/hosts/host.js'
import { restoreTimers, waits } from './recorded-timers.js'

restoreTimers()

let running: Promise<RunningWorker> | undefined
const callers = new Map<number, AbortController>()

/** The functions that tests call from outside. */
export interface MockPage {
  /** Starts a mock. The first one starts the worker, the others share it: msw has one in a page. */
  start(baseUrl: string, options: MockOptions): Promise<void>
  /** Sends a request and returns the delays of the mock as well. `caller` names the request for `giveUp`. */
  ask(url: string, asked: Asked, caller: number): Promise<{ seen: Experience; waits: number[] }>
  giveUp(caller: number): void
}

const page: MockPage = {
  async start(baseUrl, options) {
    if (running === undefined) {
      running = startWorker({ ...options, baseUrl })
      await running
    } else {
      const { worker } = await running
      const mock = createMock({ realTime: Date.now, startedAt: Date.now(), ...options })
      worker.use(...handlers(mock, { baseUrl }))
    }
  },
  async ask(url, asked, caller) {
    const controller = new AbortController()
    callers.set(caller, controller)
    const seen = await experienceOf((input, init) => fetch(input, init), url, { ...asked, signal: controller.signal })
    callers.delete(caller)
    return { seen, waits: waits.splice(0) }
  },
  giveUp: caller => callers.get(caller)?.abort(),
}

Object.assign(globalThis, { mockPage: page, startWorker })
