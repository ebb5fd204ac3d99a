// What sessions are created and changed with, as schemas. Paths of problems are those of the body.
import * as z from 'zod/mini'
import { text } from '../settings/schema.js'
import { clockChangeSchema, settingsSchema } from '../settings/settings.js'

/** The names that sessions may have. */
export const sessionIdSchema = text(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'a session id of letters, digits, . _ and -, at most 64, beginning with a letter or a digit',
)

/** Prices to hold feeds at, in quote units; null lets a feed go. */
const WANT_PRICE = 'a price above 0 in quote units, or null to let go'
const pricesSchema = z.record(
  z.string(),
  z.nullable(z.number({ error: WANT_PRICE }).check(z.positive({ error: WANT_PRICE }))),
)

/** A scenario by name, or as an object: what is in it is checked where the faults are known. */
const scenarioGiven = z.union([z.string(), z.looseObject({})], { error: 'the name of a scenario, or a scenario' })

const { seed, policy, signing, apiKeys, signer } = settingsSchema.shape

/** The body of `PATCH /_mock/sessions/{id}`: a part of the settings, a change of the clock, prices. */
export const sessionPatchSchema = z.partial(
  z.strictObject({
    seed,
    policy,
    signing,
    apiKeys,
    signer,
    clock: clockChangeSchema,
    scenario: scenarioGiven,
    prices: pricesSchema,
  }),
)
/** A change of a session, checked. */
export type SessionPatch = z.output<typeof sessionPatchSchema>
/** A change of a session as a user writes it. */
export type SessionPatchInput = z.input<typeof sessionPatchSchema>

/** The body of `POST /_mock/sessions`. */
export const sessionBodySchema = z.partial(
  z.strictObject({
    id: sessionIdSchema,
    seed,
    policy,
    signing,
    apiKeys,
    signer,
    clock: settingsSchema.shape.clock,
    scenario: scenarioGiven,
    prices: pricesSchema,
  }),
)
/** A session to create, checked. */
export type SessionBody = z.output<typeof sessionBodySchema>
/** A session to create, as a user writes it. */
export type SessionBodyInput = z.input<typeof sessionBodySchema>
