// Schemas of the bodies that create and change a session.
import * as z from 'zod/mini'
import type { CatalogueFeedId } from '../market/catalogue.js'
import { seriesAtSchema, seriesSchema } from '../market/series.js'
import { type DeepReadonly, documented, integer, text } from '../settings/schema.js'
import { clockChangeSchema, settingsSchema } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'

/** The id of a session. */
export const sessionIdSchema = text(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'a session id of letters, digits, . _ and -, at most 64, beginning with a letter or a digit',
)

const WANT_PRICE = 'a price above 0 in quote units, or null to remove the override'
const price = z.nullable(z.number({ error: WANT_PRICE }).check(z.positive({ error: WANT_PRICE })))
const pricesSchema = z.record(
  z.string(),
  z.union([price, z.strictObject({ price, alone: z.optional(z.boolean()) })], {
    error: `${WANT_PRICE}, or {"price": 50000, "alone": true}`,
  }),
) as unknown as z.ZodMiniType<Readonly<Record<string, PriceInput>>, PricesInput>
/** Price overrides as users write them, by feed id in any case. With `alone`, derived feeds do not follow. */
export type PricesInput = { readonly [Id in CatalogueFeedId]?: PriceInput } & Readonly<Record<string, PriceInput>>
type PriceInput = number | null | { readonly price: number | null; readonly alone?: boolean | undefined }

/** A scenario by name, or as an object, which is parsed by `src/scenario`. */
const scenarioInputSchema = z.union([z.string(), z.looseObject({})], { error: 'the name of a scenario, or a scenario' })

const { seed, policy, signing, apiKeys, signer, clock } = settingsSchema.shape
/** The settings that a session can have of its own, besides its clock. */
const own = { seed, policy, signing, apiKeys, signer }

/** The body of `PATCH /_mock/sessions/{id}`. */
export const sessionPatchSchema = z.partial(
  z.strictObject({
    ...own,
    clock: clockChangeSchema,
    scenario: z.nullable(scenarioInputSchema),
    scenarioAt: documented(
      integer(0, LATEST),
      'Second of the virtual time at which the `scenario` counts as applied: one that is not after now. Default: now. With that of the running scenario, an edit of one fault leaves the windows, requests and hits of the others as they are; with one more or one less, `chance` selects other requests.',
    ),
    prices: pricesSchema,
  }),
)
/** A parsed change of a session. */
export type SessionPatch = DeepReadonly<z.output<typeof sessionPatchSchema>>
/** A change of a session, as users write it. */
export type SessionPatchInput = z.input<typeof sessionPatchSchema>

/** The body of `POST /_mock/sessions`. */
export const sessionBodySchema = z.partial(
  z.strictObject({
    id: sessionIdSchema,
    ...own,
    clock,
    scenario: scenarioInputSchema,
    prices: pricesSchema,
    series: seriesSchema,
    seriesAt: seriesAtSchema,
  }),
)
/** A parsed request to create a session. */
export type SessionBody = DeepReadonly<z.output<typeof sessionBodySchema>>
/** A request to create a session, as a user writes it. */
export type SessionBodyInput = z.input<typeof sessionBodySchema>
