// The data that a session holds of its own: what counts, and how much may be restored.
import { expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { errorLines } from '../../test/support/problem-paths.js'
import { createMock, type MockOptions } from '../index.js'
import { seriesBytes } from '../market/series.js'
import { admit, assertRestorable, chargeOf, MAX_BYTES, MAX_KEPT, NO_CHARGE, SMALL_BYTES } from './admission.js'
import type { Setup } from './record.js'

const { parts: shared } = createMock({ realTime: () => 0 }).sessions
const { setup: CALM } = createMock({ realTime: () => 0 }).sessions.default.record
const { source: STALE } = shared.scenarios.get('stale-btc')
const setupOf = (source: object, own: object = {}): Setup => ({
  ...CALM,
  own,
  scenario: { name: 'inline', source, appliedAt: 0 },
})
const bytesOf = (setup: Setup): number => chargeOf(shared.runtimeOf(setup)).bytes
const scenarioOf = (faults: readonly object[]) => ({ title: 'A', why: 'A test.', faults })

it('behavior: a scenario counts, unless the mock has it', () => {
  const own = bytesOf(setupOf(STALE))
  const known = bytesOf({ ...CALM, scenario: { name: 'stale-btc', source: STALE, appliedAt: 0 } })
  expect(own - known).toBeGreaterThan(JSON.stringify(STALE).length)
})

it('behavior: values and faults count by the memory that they take, and not by their characters', () => {
  const points = Array.from({ length: 1000 }, (_, i) => ({ at: `${i + 1}s`, price: i + 1 }))
  const path = { fault: 'market/path', feeds: ['BTCUSD'], options: { points } }
  const faults = Array.from({ length: 100 }, () => ({ fault: 'wire/reset' }))
  const more = (some: readonly object[]) => bytesOf(setupOf(scenarioOf(some))) - bytesOf(setupOf(scenarioOf([])))
  // A point has three values: itself, its time and its price.
  expect(more([path])).toBeGreaterThan(3 * 1000 * 56)
  expect(more(faults)).toBeGreaterThan(100 * 1600)
})

it('behavior: series of a session count by their ticks and their text, those of the mock do not', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => `${i * 60},${i + 1}\n`).join('')
  const series = [{ as: 'BTCUSD', rows: `ts,price\n${rows}` }]
  const chargeIn = async (options: MockOptions, body: object): Promise<number> => {
    const { admin, mock } = createCalls(options)
    await admin('POST', '/_mock/sessions', { id: 'a', ...body })
    return chargeOf(mock.sessions.get('a').runtime).bytes
  }
  const [plain, own] = [await chargeIn({}, {}), await chargeIn({}, { series })]
  const { feeds } = createMock({ series }).sessions.default.runtime.market
  const text = own - plain - seriesBytes(feeds.find(({ id }) => id === 'BTCUSD')!.series!)
  expect(text).toBe(JSON.stringify(series).length - '[]'.length)
  expect(await chargeIn({ series }, {})).toBe(plain)
})

it('error: SESSION_TOO_LARGE beyond 1.5 million characters in all', () => {
  const tooLarge = expect.objectContaining({ code: 'SESSION_TOO_LARGE' })
  const [source, own] = [{ a: 'x'.repeat(1_000_000) }, { b: 'x'.repeat(600_000) }]
  expect(() => assertRestorable(setupOf(source))).not.toThrow()
  expect(() => assertRestorable(setupOf({}, own))).not.toThrow()
  expect(() => assertRestorable(setupOf(source, own))).toThrow(tooLarge)
})

it('error: SESSION_TOO_LARGE with more values than a body may have in a list', () => {
  const source = { faults: Array.from({ length: 10_801 }, () => 0) }
  expect(() => assertRestorable(setupOf(source))).toThrow(expect.objectContaining({ code: 'SESSION_TOO_LARGE' }))
})

it('error: SESSIONS_FULL beyond the number and the bytes of all', () => {
  const [large, small] = [SMALL_BYTES + 1, SMALL_BYTES].map(bytes => ({ isNamed: true, bytes }))
  const full = { bytes: MAX_BYTES, named: MAX_KEPT - 1 }
  expect(admit(full, NO_CHARGE, small!)).toEqual({ bytes: MAX_BYTES + SMALL_BYTES, named: MAX_KEPT })
  expect(admit({ ...full, bytes: MAX_BYTES - large!.bytes }, NO_CHARGE, large!).bytes).toBe(MAX_BYTES)
  expect(admit({ ...full, named: MAX_KEPT }, small!, small!).named).toBe(MAX_KEPT)
  const messages = errorLines(
    () => admit(full, NO_CHARGE, large!),
    () => admit({ ...full, named: MAX_KEPT }, NO_CHARGE, small!),
  )
  expect(messages).toMatchInlineSnapshot(`
    "SessionsFullError: All sessions together would hold too much. | want  at most 24000000 bytes of scenarios, settings and prices | fix   DELETE /_mock/sessions/{id} when a test ends, or load scenarios from files | code  SESSIONS_FULL
    SessionsFullError: There are already 900 sessions created or changed through the admin API, the maximum. | fix   DELETE /_mock/sessions/{id} when a test ends | code  SESSIONS_FULL"
  `)
})
