// The cost of sessions, and whether a mock has room: data as JSON, so that a snapshot always fits into a body, and as bytes.
import { oncePerObject } from '../caches.js'
import { isObject, PriceFeedMockError } from '../errors.js'
import type { PriceOverrides } from '../market/overridden.js'
import { seriesBytes } from '../market/series.js'
import { toAsciiJson } from '../outcome.js'
import { countJsonValues, MAX_ENTRIES, MAX_VALUES } from '../settings/schema.js'
import type { Setup } from './record.js'
import type { Runtime } from './runtime.js'

/** Maximum number of sessions besides `default`. */
export const MAX_SESSIONS = 1000
/** Maximum number of those that cannot be evicted, so that a new path always finds room. */
export const MAX_KEPT = 900
/** Maximum number of bytes that all sessions hold, as estimated. */
export const MAX_BYTES = 24_000_000
/** Sessions up to this number of bytes are not refused for what others hold: 8 MB of all. */
export const SMALL_BYTES = 8_000

/** The cost of a session. */
export interface Charge {
  /** Whether it was created or changed through the admin API, so that it cannot be evicted. */
  readonly isNamed: boolean
  /** An estimate of the bytes that only this session holds. */
  readonly bytes: number
}

/** The cost of all sessions of a mock. */
export interface Totals {
  readonly bytes: number
  /** Number of those that cannot be evicted. */
  readonly named: number
}

/** The charge of no session. */
export const NO_CHARGE: Charge = { isNamed: false, bytes: 0 }

/**
 * The totals after a session has changed.
 * @throws PriceFeedMockError SESSIONS_FULL
 */
export function admit(totals: Totals, before: Charge, after: Charge): Totals {
  if (isTooMuch(totals, before, after)) throw sessionsHoldTooMuch()
  const named = totals.named + Number(after.isNamed) - Number(before.isNamed)
  if (named > totals.named && totals.named >= MAX_KEPT) throw sessionsFull()
  return { bytes: totals.bytes + after.bytes - before.bytes, named }
}

/** Whether all sessions would hold too much after one has changed. */
export function isTooMuch({ bytes }: Totals, before: Charge, after: Charge): boolean {
  const more = after.bytes - before.bytes
  // A small session can change although others hold everything: a price that is set, a scenario.
  return more > 0 && after.bytes > SMALL_BYTES && bytes + more > MAX_BYTES
}

/**
 * The error where no further session may be created or changed.
 * @param most maximum number of sessions
 */
export function sessionsFull(most = MAX_SESSIONS): PriceFeedMockError {
  return new PriceFeedMockError(
    'SESSIONS_FULL',
    `There are already ${(MAX_KEPT / MAX_SESSIONS) * most} sessions created or changed through the admin API, the maximum.`,
    { fix: 'DELETE /_mock/sessions/{id} when a test ends' },
  )
}

/** The error where all sessions would hold too much together. */
export function sessionsHoldTooMuch(most = MAX_SESSIONS): PriceFeedMockError {
  return new PriceFeedMockError('SESSIONS_FULL', 'All sessions together would hold too much.', {
    want: `at most ${(MAX_BYTES / MAX_SESSIONS) * most} bytes of scenarios, settings and prices`,
    fix: 'DELETE /_mock/sessions/{id} when a test ends, or load scenarios from files',
  })
}

/** Bytes of a value of JSON besides its characters, in the source and as parsed. Measured with Node 20, as are those below. */
const VALUE_BYTES = 56
/** Bytes of a fault, parsed and with its windows. */
const FAULT_BYTES = 1_600
const OVERRIDE_BYTES = 80

/** Maximum number of characters of a snapshot that are the session's own. The body of `restore` may be larger. */
const MAX_SNAPSHOT_CHARACTERS = 1_500_000
/** Maximum numbers of values of a snapshot, in all and in one list, that are the session's own: nine tenths of those of a body. */
const MAX_SNAPSHOT_VALUES = MAX_VALUES * 0.9
const MAX_SNAPSHOT_ENTRIES = MAX_ENTRIES * 0.9
/** Characters and values of an override in a snapshot. */
const OVERRIDE = { characters: 64, values: 3 }
/** The same for its mark `alone`. */
const ALONE = { characters: 16, values: 1 }

type Size = Readonly<Record<'characters' | 'values' | 'widest', number>>

/**
 * Checks that a snapshot of a session could be restored.
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export function assertRestorable({ id, own, scenario, overrides, restored }: Setup): void {
  const parts = [own, scenario.source as object, restored ?? NO_STATE]
  const sizes = [...parts.map(sizeOf), sizeOfOverrides(overrides)]
  const characters = sizes.reduce((sum, size) => sum + size.characters, 0)
  const values = sizes.reduce((sum, size) => sum + size.values, 0)
  const widest = Math.max(...sizes.map(size => size.widest))
  if (characters <= MAX_SNAPSHOT_CHARACTERS && values <= MAX_SNAPSHOT_VALUES && widest <= MAX_SNAPSHOT_ENTRIES) return
  const got = `${characters} characters and ${values} values of scenario, settings and prices; ${widest} in one list`
  const want = `at most ${MAX_SNAPSHOT_CHARACTERS} characters and ${MAX_SNAPSHOT_VALUES} values, ${MAX_SNAPSHOT_ENTRIES} in one list`
  const fix = `a shorter scenario, or POST /_mock/sessions/${id}/reset`
  throw new PriceFeedMockError('SESSION_TOO_LARGE', `The session ${id} would hold too much.`, { got, want, fix })
}

const NO_STATE = {}

/** The charge of a session. It depends on its setup alone. */
export function chargeOf({ setup, shared, scenario, market }: Runtime): Charge {
  const { isNamed, own, overrides, restored = NO_STATE, verdicts, createdWith } = setup
  const { name, source } = scenario.definition
  const { scenarios } = shared
  const isShared = scenarios.has(name) && scenarios.get(name) === scenario.definition
  const { series = NO_SERIES, ...body } = createdWith
  const parts = [own, restored, verdicts, ...Object.values(body)]
  if (!isShared && body.scenario !== source) parts.push(source as object)
  const bytes =
    parts.reduce<number>((sum, part) => sum + bytesOf(part), 0) +
    bytesOfOverrides(overrides) +
    scenario.faults.length * FAULT_BYTES +
    sizeOf(series).characters +
    market.feeds.reduce((sum, feed, i) => {
      const isOwn = feed.series !== undefined && feed.series.hash !== shared.feeds[i]?.series?.hash
      return isOwn ? sum + seriesBytes(feed.series) : sum
    }, 0)
  return { isNamed, bytes }
}

const NO_SERIES: readonly object[] = []

/** An estimate of the bytes of data, which must not change later. */
export const bytesOf = (data: unknown): number => {
  if (!isObject(data)) return VALUE_BYTES
  const { characters, values } = sizeOf(data)
  return characters + values * VALUE_BYTES
}

/** An estimate of the bytes of overrides, which later lists of them share. */
export const bytesOfOverrides = (overrides: PriceOverrides): number => countOverrides(overrides) * OVERRIDE_BYTES

/** Size of an object as JSON. The object must not change later. */
const sizeOf = oncePerObject((data: object): Size => {
  const json = toAsciiJson(data)
  return { characters: json.length, ...countJsonValues(json) }
})

const countOverrides = (overrides: PriceOverrides): number =>
  Object.values(overrides).reduce((sum, list) => sum + list.length, 0)

function sizeOfOverrides(overrides: PriceOverrides): Size {
  const lists = Object.values(overrides)
  const count = countOverrides(overrides)
  const alone = lists.reduce((sum, list) => sum + list.filter(override => override.alone).length, 0)
  return {
    characters: count * OVERRIDE.characters + alone * ALONE.characters,
    values: count * OVERRIDE.values + alone * ALONE.values,
    widest: Math.max(0, ...lists.map(list => list.length)),
  }
}
