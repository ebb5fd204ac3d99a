// A seeded search for the request that takes the most CPU time: it changes sessions at random and goes on from the most expensive ones.
import { createMock, type ServiceRequest } from '../../src/index.js'
import { startProgram } from '../child.js'
import { threadCpuMs } from '../thread-clock.js'
import { type Asked, type Expensive, inventExpensive, mutate, toRequests } from './expensive.js'
import { createRandom } from './volleys.js'

/** Requests to a new program; the last one is the expensive one. */
export interface Found {
  readonly requests: readonly Asked[]
  /** CPU milliseconds of the last one, in a process that has answered others before. */
  readonly ms: number
  readonly status: number
}

/** The number of sessions that the search goes on from. */
const KEPT = 12
/** One of so many sessions is a new one. */
const NEW = 6
const KEY = 'test-api-key'

/** Asks a new mock in process, and returns the requests up to the one that took the most CPU time. */
async function measure(requests: readonly Asked[]): Promise<Found> {
  const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
  let most: Found = { requests: [], ms: -1, status: 0 }
  for (const [i, { method, target, body }] of requests.entries()) {
    const request: ServiceRequest = {
      method,
      target,
      authorization: KEY,
      receivedAt: 0,
      body: body === undefined ? undefined : JSON.stringify(body),
    }
    const start = threadCpuMs()
    const outcome = mock.serve(request)?.outcome ?? (await mock.administer(request, { baseUrl: '', historyUrl: '' }))
    const ms = threadCpuMs() - start
    if (ms > most.ms)
      most = { requests: requests.slice(0, i + 1), ms, status: 'status' in outcome ? outcome.status : 0 }
  }
  return most
}

/** Searches for some seconds, and returns the most expensive requests, the most expensive one first. */
export async function climb(seed: string, seconds: number): Promise<readonly Found[]> {
  const random = createRandom(`${seed} climb`)
  const end = performance.now() + seconds * 1000
  let kept: { readonly session: Expensive; readonly found: Found }[] = []
  while (performance.now() < end) {
    const isNew = kept.length < KEPT || random.below(NEW) === 0
    const from = isNew ? inventExpensive(random) : random.pick(kept.slice(0, random.between(1, KEPT))).session
    const session = Array.from({ length: random.between(1, 3) }).reduce<Expensive>(one => mutate(one, random), from)
    const found = await measure(toRequests(session))
    kept = [...kept, { session, found }].sort((a, b) => b.found.ms - a.found.ms).slice(0, KEPT)
  }
  return kept.map(({ found }) => found)
}

/** CPU milliseconds of the main thread for the last of some requests: the least of some runs, each in a program of its own. */
export async function confirm(requests: readonly Asked[], runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const child = await startProgram('--frozen')
    try {
      let before = 0
      for (const { method, target, body } of requests) {
        before = (await child.usage()).threadMs
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        const text = body === undefined ? {} : { body: JSON.stringify(body) }
        await (await fetch(child.url + target, { method, headers: { authorization: KEY, ...type }, ...text })).text()
      }
      least = Math.min(least, (await child.usage()).threadMs - before)
    } finally {
      await child.stop()
    }
  }
  return least
}
