// Descriptions of the settings for the OpenAPI document. They stand here because the document is generated: in the schemas
// themselves every browser would load them.
import type * as z from 'zod/mini'
import { sessionBodySchema, sessionPatchSchema } from '../../src/service/session-settings.js'
import { layoutSchema } from '../../src/settings/layouts.js'
import { policySchema } from '../../src/settings/policy.js'
import { documented } from '../../src/settings/schema.js'
import { clockChangeSchema, settingsSchema } from '../../src/settings/settings.js'
import { listAssumptions } from './assumptions.js'

/** Describes the fields of an object, which may be optional. All of them must be given. */
function describeFields<Shape extends object>(schema: { shape: Shape }, texts: { [K in keyof Shape]?: string }): void {
  for (const [name, text] of Object.entries(texts)) {
    let field = (schema.shape as Record<string, z.core.$ZodType>)[name]!
    while (field._zod.def.type === 'optional')
      field = (field as unknown as { _zod: { def: { innerType: z.core.$ZodType } } })._zod.def.innerType
    documented(field, text as string)
  }
}

/** Registers the descriptions. */
export function documentSettings(): void {
  documented(layoutSchema, 'A byte layout and signature form.', 'SignatureLayout')
  describeFields(layoutSchema, {
    fields: 'The message of one price, field by field. Several prices under one signature are concatenated.',
    digest: 'Hash of the message.',
    prefix: 'Put before the message: `none`; `eip191`, the prefix of EIP-191 around its digest; or bytes in hex.',
    signature:
      '`rs`: 64 bytes r‖s with a separate recovery id. `rsv`: 65 bytes r‖s‖v, v 27 or 28. `rsy`: 65 bytes, v 0 or 1.',
    hexPrefix: 'Put before the hex digits of the signature.',
  })
  documented(
    policySchema,
    'What the mock does where the interface is silent. Options that are left out keep their value.',
    'Policy',
  )
  describeFields(
    policySchema,
    Object.fromEntries(
      listAssumptions().flatMap(({ option, silentOn, assumed }) =>
        option?.startsWith('policy.') ? [[option.slice(7), `${silentOn}: ${assumed}`]] : [],
      ),
    ),
  )
  documented(clockChangeSchema, 'A change of the clock. What is left out keeps its value.', 'ClockChange')
  describeFields(clockChangeSchema, {
    at: 'Virtual time: ISO 8601 with Z, or seconds since the epoch.',
    speed: 'Virtual seconds per real second.',
    frozen: 'Stops the clock.',
    advance: 'Time to advance by: "90s", "5m", "1h", or seconds; negative seconds go back.',
  })
  describeFields(settingsSchema, {
    seed: 'Seed of all prices.',
    signing: 'The layout of each signature form by name, and your own layouts.',
    apiKeys: 'API keys that the protected endpoints accept.',
    signer: 'Number of the public test key that signs.',
  })
  describeFields(sessionBodySchema, { scenario: 'Name of a scenario, or a scenario as an object; it starts now.' })
  describeFields(sessionPatchSchema, {
    scenario:
      'Name of a scenario, or a scenario as an object; it starts now, and the past of the market is its own. `null` ends the running one, and the past stays.',
    prices:
      'Rebases feeds to a price in quote units, by feed id: they keep moving from there. Derived feeds follow, unless it is `{"price": 50000, "alone": true}`. `null` removes the override.',
  })
}
