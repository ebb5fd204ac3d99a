// The data of its own that a session holds: as JSON, so that a snapshot always fits into a body, and as bytes of memory.
import { PriceFeedMockError } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { seriesBytes } from '../market/series.js'
import { toAsciiJson } from '../outcome.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { countJsonValues, MAX_ENTRIES, MAX_VALUES } from '../settings/schema.js'
import type { SettingsPatch } from '../settings/settings.js'
import type { SessionContext } from './endpoint-context.js'
import type { SessionBody, SessionPatch } from './session-settings.js'
import type { State } from './state.js'

/** The cost of a session to the mock. */
export interface Holding {
  /** Whether it was created or changed through the admin API, so that it cannot be evicted. */
  readonly kept: boolean
  /** An estimate of the bytes that only this session holds. */
  readonly bytes: number
}

/** The holding of no session. */
export const NO_HOLDING: Holding = { kept: false, bytes: 0 }

/** Bytes of a value of JSON besides its characters, in the source and as parsed. Measured with Node 20, as are those below. */
const VALUE_BYTES = 56
/** Bytes of a fault, parsed and with its windows. */
const FAULT_BYTES = 1_600
/** Bytes of an override of a price. */
const OVERRIDE_BYTES = 80

/** Maximum number of characters of a snapshot that are the session's own. The body of `restore` may be larger. */
const MAX_SNAPSHOT_CHARACTERS = 1_500_000
/** The share of the values of a body that is the session's own in a snapshot. */
const SHARE = 0.9
/** Characters and values of an override in a snapshot. */
const OVERRIDE = { characters: 64, values: 3 }
/** The same for its mark `alone`. */
const ALONE = { characters: 16, values: 1 }

/** The parts of a session that are measured. */
interface Held {
  readonly own: SettingsPatch
  readonly overrides: SessionContext['overrides']
  readonly scenario: SessionContext['scenario']
  /** The counters of a restored snapshot. */
  readonly state: State | undefined
  /** The change at creation, which `reset` needs. */
  readonly patch: SessionPatch
}

interface Size {
  readonly characters: number
  readonly values: number
  readonly widest: number
}

/**
 * Checks that a snapshot of a session could be restored.
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export function assertRestorable(id: string, { own, overrides, scenario, state }: Omit<Held, 'patch'>): void {
  const sizes = [sizeOf(own), sizeOf(scenario.definition.source), sizeOfOverrides(overrides), sizeOf(state ?? {})]
  const characters = sizes.reduce((sum, size) => sum + size.characters, 0)
  const values = sizes.reduce((sum, size) => sum + size.values, 0)
  const widest = Math.max(...sizes.map(size => size.widest))
  if (characters > MAX_SNAPSHOT_CHARACTERS || values > MAX_VALUES * SHARE || widest > MAX_ENTRIES * SHARE)
    throw new PriceFeedMockError('SESSION_TOO_LARGE', `The session ${id} would hold too much.`, {
      details: [
        [
          'got',
          `${characters} characters and ${values} values of scenario, settings and prices; ${widest} in one list`,
        ],
        [
          'want',
          `at most ${MAX_SNAPSHOT_CHARACTERS} characters and ${MAX_VALUES * SHARE} values, ${MAX_ENTRIES * SHARE} in one list`,
        ],
        ['fix', `a shorter scenario, or POST /_mock/sessions/${id}/reset`],
      ],
    })
}

/** An estimate of the bytes that only this session holds. */
export function measure({ own, overrides, scenario, state, patch }: Held, scenarios: Scenarios): number {
  const { name, source } = scenario.definition
  const isShared = scenarios.has(name) && scenarios.get(name) === scenario.definition
  const { scenario: first } = patch
  return (
    bytesOf(own) +
    countOverrides(overrides) * OVERRIDE_BYTES +
    bytesOf(state ?? {}) +
    (isShared ? 0 : bytesOf(source)) +
    scenario.faults.length * FAULT_BYTES +
    bytesOf(patch) -
    // Held once, although the change at creation has it too.
    (first === source ? bytesOf(source) : 0)
  )
}

/** An estimate of the bytes of the series that only this session holds, parsed and as they were given. */
export function measureSeries(
  own: readonly Feed[],
  shared: readonly Feed[],
  given: Pick<SessionBody, 'series'>,
): number {
  const givenBytes = given.series === undefined ? 0 : JSON.stringify(given).length
  return own.reduce(
    (sum, { series }, i) =>
      series === undefined || series.hash === shared[i]?.series?.hash ? sum : sum + seriesBytes(series),
    givenBytes,
  )
}

/** An estimate of the bytes of data, which must not change later. */
export const bytesOf = (data: object): number => {
  const { characters, values } = sizeOf(data)
  return characters + values * VALUE_BYTES
}

const sizes = new WeakMap<object, Size>()

/** Size of an object as JSON. The object must not change later. */
function sizeOf(data: object): Size {
  let size = sizes.get(data)
  if (size === undefined) {
    const json = toAsciiJson(data)
    sizes.set(data, (size = { characters: json.length, ...countJsonValues(json) }))
  }
  return size
}

const countOverrides = (overrides: Held['overrides']): number =>
  Object.values(overrides).reduce((sum, list) => sum + list.length, 0)

function sizeOfOverrides(overrides: Held['overrides']): Size {
  const lists = Object.values(overrides)
  const count = countOverrides(overrides)
  const alone = lists.reduce((sum, list) => sum + list.filter(override => override.alone).length, 0)
  return {
    characters: count * OVERRIDE.characters + alone * ALONE.characters,
    values: count * OVERRIDE.values + alone * ALONE.values,
    widest: Math.max(0, ...lists.map(list => list.length)),
  }
}
