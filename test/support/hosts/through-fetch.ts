// Hosts that `fetch` reaches without a socket: the function, and msw in Node.
import { setupServer } from 'msw/node'
import { createFetch } from '../../../src/hosts/fetch.js'
import { handlers } from '../../../src/hosts/msw.js'
import { createMock, type MockOptions } from '../../../src/index.js'
import { experienceOf } from './experience-of.js'
import { fallible, type RunningHost } from './host.js'

export async function startFetch(options: MockOptions): Promise<RunningHost> {
  const fetch = createFetch(createMock(options))
  return { ...fallible((path, asked) => experienceOf(fetch, `http://localhost${path}`, asked)), async stop() {} }
}

/** msw has one server per process, so each host has its own address. */
const intercepted = { server: setupServer(), started: 0, running: 0 }

export async function startMsw(options: MockOptions): Promise<RunningHost> {
  const baseUrl = `https://mock-${++intercepted.started}.example`
  if (intercepted.running++ === 0) intercepted.server.listen({ onUnhandledRequest: 'error' })
  intercepted.server.use(...handlers(createMock(options), { baseUrl }))
  return {
    ...fallible((path, asked) => experienceOf(globalThis.fetch, `${baseUrl}${path}`, asked)),
    async stop() {
      if (--intercepted.running === 0) intercepted.server.close()
    },
  }
}
