// A session as the admin shows it.
import * as z from 'zod/mini'
import type { Session } from '../service/session.js'
import { toInstant } from '../settings/time.js'
import type { AdminContext } from './admin-route.js'

/** `clock.now` in seconds since the epoch, `clock.at` the same in ISO 8601; `testKey` is null for a key of the user's own. */
export const sessionSchema = z.object({
  id: z.string(),
  created: z.boolean(),
  baseUrl: z.string(),
  historyUrl: z.string(),
  apiKey: z.string(),
  signer: z.object({ testKey: z.nullable(z.int()), address: z.string(), publicKey: z.string() }),
  seed: z.string(),
  clock: z.object({ at: z.string(), now: z.int(), speed: z.number(), frozen: z.boolean() }),
  scenario: z.string(),
  policy: z.record(z.string(), z.unknown()),
  /** Requests so far. */
  requests: z.int(),
})

/** Describes a session at the time of a request. */
export function describeSession(
  session: Session,
  { receivedAt, addresses }: AdminContext,
): z.output<typeof sessionSchema> {
  const { id, created, context, state } = session
  const { settings, clock, signer } = context
  const nowMs = session.nowMs(receivedAt)
  const prefix = id === 'default' ? '' : `/session/${id}`
  return {
    id,
    created,
    baseUrl: addresses.baseUrl + prefix,
    historyUrl: addresses.historyUrl + prefix,
    apiKey: session.apiKey ?? settings.apiKeys[0]!,
    signer: {
      testKey: settings.signerKeyUnsafe === undefined ? settings.signer : null,
      address: signer.address,
      publicKey: signer.publicKey,
    },
    seed: settings.seed,
    clock: { at: toInstant(nowMs), now: Math.floor(nowMs / 1000), speed: clock.speed, frozen: clock.frozen },
    scenario: context.scenario.definition.name,
    policy: settings.policy,
    requests: state.n,
  }
}
