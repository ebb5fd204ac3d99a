// The configuration of a server as hashes: all servers on a store must have the same one, or a session would depend on who answers.

import { createHash } from 'node:crypto'
import { PriceFeedMockError } from '../../../errors.js'
import type { SessionParts } from '../../../service/runtime.js'

/** The version of the form in which a store keeps sessions. */
const FORM = '2'

/** Describes the configuration of a server: values that are no secret as they are, and the others as hashes. */
export function describeParts(
  version: string,
  { settings, feeds, scenarios, scenario, seriesAt }: SessionParts,
): Readonly<Record<string, string>> {
  /** Some built-in scenarios name feeds that the catalogue of a user may not have. */
  const sourceOf = (name: string): unknown => {
    try {
      return scenarios.get(name).source
    } catch {
      return null
    }
  }
  const { seed, policy, signing, apiKeys, signer, signerKeyUnsafe, clock } = settings
  return {
    form: FORM,
    version,
    seed: seed.slice(0, 64),
    settings: hash([policy, signing, clock, seriesAt]),
    feeds: hash(feeds),
    keys: hash([apiKeys, signerKeyUnsafe ?? signer]),
    scenarios: hash([scenario, scenarios.names.map(name => [name, sourceOf(name)])]),
  }
}

const hash = (data: unknown): string => createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 12)

/**
 * Reads the description that the first server of a store has left there.
 * @throws PriceFeedMockError STORE_MISMATCH if another program, or another version, has written it
 */
export function readBirth(born: unknown, text: unknown, shown: string): Readonly<Record<string, string>> {
  try {
    const birth: unknown = JSON.parse(String(text))
    if (typeof born === 'string' && typeof birth === 'object' && birth !== null) return birth as Record<string, string>
  } catch {
    // As below.
  }
  throw new PriceFeedMockError(
    'STORE_MISMATCH',
    `The store ${shown} has keys of another program, or of another version.`,
    {
      details: [
        ['got', 'a key `born` or `birth` that cannot be read'],
        ['fix', 'name another database (/1) or prefix (?prefix=name) in the address, or remove the keys of this one'],
      ],
    },
  )
}
