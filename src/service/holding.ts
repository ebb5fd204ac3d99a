// The data of its own that a session holds: measured as JSON, so that a snapshot always fits into a body.
import { PriceFeedMockError } from '../errors.js'
import { toAsciiJson } from '../outcome.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { findExcess } from '../settings/schema.js'
import type { SettingsPatch } from '../settings/settings.js'
import type { SessionContext } from './endpoint-context.js'
import type { SessionPatch } from './session-settings.js'
import type { State } from './state.js'

/** What a session costs the mock. */
export interface Holding {
  /** Whether it was created or changed through the admin API, so that it cannot be evicted. */
  readonly kept: boolean
  /** Characters of JSON that only this session holds. */
  readonly characters: number
}

/** The holding of no session. */
export const NO_HOLDING: Holding = { kept: false, characters: 0 }

/** Maximum number of characters of a snapshot that are the session's own. The body of `restore` may be larger. */
const MAX_SNAPSHOT_CHARACTERS = 1_500_000
/** Smaller data cannot have too many values. */
const FEW_CHARACTERS = 100_000

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

/**
 * Checks that a snapshot of a session could be restored.
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export function assertRestorable(id: string, { own, overrides, scenario, state }: Held): void {
  const { source } = scenario.definition
  const parts = { own, overrides, state }
  const characters = lengthOf(source) + toAsciiJson(parts).length
  if (characters <= FEW_CHARACTERS) return
  // A tenth is left for the other parts of a snapshot.
  if (characters > MAX_SNAPSHOT_CHARACTERS || findExcess({ ...parts, source }, 0.9).length > 0)
    throw sessionTooLarge(id, characters)
}

/** Number of characters of JSON that only this session holds. */
export function measure({ own, overrides, scenario, state, patch }: Held, scenarios: Scenarios): number {
  const { name, source } = scenario.definition
  const ofScenario = lengthOf(source)
  const ofParts = toAsciiJson({ own, overrides, state }).length
  const isShared = scenarios.has(name) && scenarios.get(name) === scenario.definition
  const { scenario: first, ...others } = patch
  const ofReset = typeof first === 'object' && first !== source ? lengthOf(first) : 0
  return ofParts + (isShared ? 0 : ofScenario) + toAsciiJson(others).length + ofReset
}

const lengths = new WeakMap<object, number>()

/** Length of an object as JSON. The object must not change later. */
function lengthOf(source: object): number {
  let length = lengths.get(source)
  if (length === undefined) lengths.set(source, (length = toAsciiJson(source).length))
  return length
}

function sessionTooLarge(id: string, characters: number): PriceFeedMockError {
  return new PriceFeedMockError('SESSION_TOO_LARGE', `The session ${id} would hold too much.`, {
    details: [
      ['got', `${characters} characters of scenario, settings and prices`],
      ['want', `at most ${MAX_SNAPSHOT_CHARACTERS}, and 90000 values, 9000 in each list or object`],
      ['fix', `a shorter scenario, or POST /_mock/sessions/${id}/reset`],
    ],
  })
}
