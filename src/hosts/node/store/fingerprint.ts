// The configuration of a server as hashes: all servers on a store must have the same one, or a session would depend on who answers.
import { createHash } from 'node:crypto'
import { PriceFeedMockError, tryTo } from '../../../errors.js'
import type { SessionParts } from '../../../service/runtime.js'
import { VERSION } from '../../../version.js'
import { USE_ANOTHER } from './store-url.js'

/** The version of the form in which a store keeps sessions. */
const FORM = '3'

/** The parts of a server that all servers on a store must share, as texts by name. */
export type Fingerprint = Readonly<Record<string, string>>

/** The fingerprint of a server: values that are no secret as they are, and the others as hashes. */
export function fingerprintOf({ settings, feeds, scenarios, scenario, seriesAt }: SessionParts): Fingerprint {
  const { seed, policy, signing, apiKeys, signer, signerKeyUnsafe, clock } = settings
  return {
    form: FORM,
    version: VERSION,
    seed: seed.slice(0, 64),
    settings: hash([policy, signing, clock, seriesAt]),
    feeds: hash(feeds),
    keys: hash([apiKeys, signerKeyUnsafe ?? signer]),
    scenarios: hash([scenario, scenarios.sources]),
  }
}

const hash = (data: unknown): string => createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 12)

/**
 * Compares the fingerprint of a server with that of the first server of a store.
 * @param name the name that the store has got from the first server, if it can be read
 * @param text the fingerprint in the store, if it can be read
 * @throws PriceFeedMockError STORE_MISMATCH if they differ, or another program or another version has written it
 */
export function compareFingerprints(mine: Fingerprint, name: unknown, text: unknown, shown: string): void {
  const theirs = tryTo((): Fingerprint | null => JSON.parse(String(text)))
  if (typeof name !== 'string' || typeof theirs !== 'object' || theirs === null) {
    const shortMessage = `The store ${shown} has keys of another program, or of another version.`
    throw new PriceFeedMockError('STORE_MISMATCH', shortMessage, {
      got: 'a key `born` or `birth` that cannot be read',
      fix: USE_ANOTHER,
    })
  }
  const different = Object.keys({ ...theirs, ...mine }).filter(part => theirs[part] !== mine[part])
  if (different.length === 0) return
  const others = different.map(
    part => ['other', `${part}: here ${mine[part] ?? 'none'}, there ${theirs[part] ?? 'none'}`] as const,
  )
  throw new PriceFeedMockError('STORE_MISMATCH', `The store ${shown} belongs to servers with another configuration.`, {
    details: others,
    fix: 'start all servers alike, or name another database (/1) or prefix (?prefix=name) in the address',
  })
}
