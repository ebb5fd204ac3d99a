// GET /_mock/info: everything that the next run would need to give the same bytes.
import * as z from 'zod/mini'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import { defineLever } from './lever.js'

/** The lever `/_mock/info`: `clock.now` in seconds since the epoch, `clock.at` the same in ISO 8601. */
export const info = defineLever({
  name: 'info',
  summary: 'What this mock is set to',
  path: '/_mock/info',
  reply: z.object({
    name: z.literal('price-feed-mock'),
    version: z.string(),
    session: z.string(),
    seed: z.string(),
    /** `at` is the virtual present. */
    clock: z.object({ at: z.string(), now: z.int(), speed: z.number(), frozen: z.boolean() }),
    scenario: z.string(),
    policy: z.record(z.string(), z.unknown()),
    feeds: z.int(),
    /** `testKey` is null for a key of the user's own. */
    signer: z.object({ testKey: z.nullable(z.int()), address: z.string(), publicKey: z.string() }),
    signing: z.record(z.string(), z.unknown()),
  }),
  answer({ session, receivedAt }) {
    const { world } = session
    const { settings, clock, signer } = world
    const nowMs = session.nowMs(receivedAt)
    return {
      name: 'price-feed-mock' as const,
      version: VERSION,
      session: world.id,
      seed: settings.seed,
      clock: { at: toInstant(nowMs), now: Math.floor(nowMs / 1000), speed: clock.speed, frozen: clock.frozen },
      scenario: 'calm',
      policy: settings.policy,
      feeds: world.market.feeds.length,
      signer: {
        testKey: settings.signerKeyUnsafe ? null : settings.signer,
        address: signer.address,
        publicKey: signer.publicKey,
      },
      signing: { ...settings.signing },
    }
  },
})
