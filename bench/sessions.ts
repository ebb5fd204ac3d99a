// Sessions: memory of an unused one, a request among as many sessions as are kept, and moving the clock.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMock, type Mock } from '../src/index.js'
import { MAX_KEPT } from '../src/service/admission.js'
import { microseconds, print } from './measure.js'

const AT = 1_753_354_105
const YEAR = 31_536_000
const SESSIONS = MAX_KEPT

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap in use, after a collection. */
function heapUsed(): number {
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const frozenMock = (): Mock => createMock({ clock: { at: AT, frozen: true } })
const latest = (mock: Mock, id: string) =>
  mock.serve({
    method: 'GET',
    target: `/session/${id}/prices/BTCUSD/latest`,
    authorization: 'test-api-key',
    receivedAt: 0,
  })

/** Prints the figures of sessions. */
export function benchSessions(): void {
  const create = (mock: Mock, i: number) =>
    mock.sessions.create({ id: `s${i}`, seed: `seed ${i}`, clock: { at: AT * 1000, frozen: true } }, 0)
  const lonely = frozenMock()
  const crowded = frozenMock()
  for (const mock of [lonely, crowded]) {
    create(mock, 0)
    latest(mock, 's0')
  }
  const before = heapUsed()
  for (let i = 1; i < SESSIONS; i++) create(crowded, i)
  const perSession = (heapUsed() - before) / (SESSIONS - 1)
  // In turns, because the speed of a shared machine varies. The median of the ratios counts.
  const pairs = Array.from({ length: 15 }, () => {
    const alone = microseconds(10_000, () => latest(lonely, 's0'), 1)
    return { alone, ratio: microseconds(10_000, () => latest(crowded, 's0'), 1) / alone }
  }).sort((a, b) => a.ratio - b.ratio)
  const { alone, ratio } = pairs[7]!

  const moving = frozenMock()
  const step = (by: number) => () => {
    moving.clock.set(AT)
    moving.clock.advance(by)
    return latest(moving, 'default')
  }
  const second = microseconds(60, step(1))
  const year = microseconds(60, step(YEAR))
  print('Sessions', [
    { name: 'heap of an unused session', value: perSession / 1024, unit: 'KB', goal: 10 },
    { name: 'a request to the only session', value: alone, unit: 'µs' },
    { name: `the same among ${SESSIONS}`, value: ratio, unit: '×', goal: 1.1 },
    { name: 'advance by a second, and ask', value: second, unit: 'µs' },
    { name: 'by a year', value: year / second, unit: '×', goal: 1.2 },
  ])
}
