// Settings of a session: schema, defaults, precedence, and which keys outputs show. Reads no file and no environment.
import * as z from 'zod/mini'
import { NOT_SHOWN } from '../errors.js'
import { CURVE_ORDER, LAYOUTS, type Layout, layoutsSchema } from './layouts.js'
import { DEFAULT_POLICY, type Policy, policySchema } from './policy.js'
import { type DeepReadonly, integer, listOf, number, text } from './schema.js'
import { parseDuration, parseInstant, wantInstant } from './time.js'

/** The clock of a session. Without `at` it starts at the present. */
export interface ClockSettings {
  /** Start time in milliseconds since the epoch. */
  readonly at?: number
  /** Virtual seconds per real second. */
  readonly speed: number
  readonly frozen: boolean
}

/** The layout of each signature form, and every layout by name. */
export interface SigningSettings {
  /** The layout of `batch`, `queryHistory` and `latest`. */
  readonly svm: string
  /** The layout of `/prices/evm/crypto`. */
  readonly evm: string
  readonly layouts: Readonly<Record<string, Layout>>
}

/** Settings of a session. */
export interface Settings {
  /** Sessions with the same seed and feeds have the same prices at the same second. */
  readonly seed: string
  readonly clock: ClockSettings
  readonly policy: Policy
  readonly signing: SigningSettings
  /** API keys that the protected endpoints accept. */
  readonly apiKeys: readonly string[]
  /** Number of the public test key that signs: 0 … 9. */
  readonly signer: number
  /** A private key that signs instead, in hex. Never shown in any output. */
  readonly signerKeyUnsafe?: string
}

/** The defaults. */
export const DEFAULT_SETTINGS: Settings = {
  seed: '42',
  clock: { speed: 1, frozen: false },
  policy: DEFAULT_POLICY,
  signing: { svm: 'svm', evm: 'evm', layouts: LAYOUTS },
  apiKeys: ['test-api-key'],
  signer: 0,
}

/** Maximum number of API keys of a session. */
export const MAX_API_KEYS = 100

const WANT_SEED = 'a seed of 1 to 200 characters'
const WANT_TEXT = 'a text, for a number from 2^53 on'
/** JSON has rounded a larger one: another market would be served. */
const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER
const seed = z.pipe(
  z.union([z.string(), z.number().check(z.refine(isExact, { error: WANT_TEXT }))], { error: WANT_SEED }),
  z.pipe(z.transform(String), text(/^[^\p{Cc}]{1,200}$/u, WANT_SEED)),
)
const WANT_KEY = 'a private key of secp256k1: 32 bytes in hex, not 0 and below the order of the curve'
/** A private key in hex. */
export const privateKey = text(/^(0x)?[0-9a-fA-F]{64}$/, WANT_KEY).check(
  z.refine(
    hex => {
      const key = BigInt(`0x${hex.slice(-64)}`)
      return key > 0n && key < CURVE_ORDER
    },
    { error: WANT_KEY },
  ),
)
/** A text or a number that a function reads; undefined is a problem. */
const time = (read: (value: string | number) => number | undefined, want: (value?: unknown) => string) =>
  z.pipe(
    z
      .union([z.string(), z.number()], { error: ({ input }) => want(input) })
      .check(z.refine(value => read(value) !== undefined, { error: ({ input }) => want(input) })),
    z.transform((value: string | number) => read(value)!),
  )
const WANT_DURATION = 'a duration such as "90s" or "5m", or a number of seconds, also 0 or negative'
const toSeconds = (value: string | number) => (typeof value === 'number' ? value : parseDuration(value)?.seconds)
const clockShape = {
  at: time(parseInstant, wantInstant),
  speed: number(0.001, 1e6, 'a speed from 0.001 to 1000000; "frozen" stops the clock'),
  frozen: z.boolean(),
}

/** A change of a running clock. */
export const clockChangeSchema = z.partial(
  z.strictObject({ ...clockShape, advance: time(toSeconds, () => WANT_DURATION) }),
)
/** A parsed change. */
export type ClockChange = z.output<typeof clockChangeSchema>
/** The same as a user writes it. */
export type ClockChangeInput = z.input<typeof clockChangeSchema>

/** A part of the settings, from a config file, a call or flags. */
export const settingsSchema = z.partial(
  z.strictObject({
    seed,
    clock: z.partial(z.strictObject(clockShape)),
    policy: policySchema,
    signing: z.partial(z.strictObject({ svm: z.string(), evm: z.string(), layouts: layoutsSchema })),
    apiKeys: listOf(text(/^[\x21-\x7e]{1,512}$/, 'a key of 1 to 512 visible ASCII characters'), 'key', MAX_API_KEYS),
    signer: integer(0, 9, 'the number of a test key, 0 to 9'),
    signerKeyUnsafe: privateKey,
  }),
)
/** A parsed part of the settings. */
export type SettingsPatch = DeepReadonly<z.output<typeof settingsSchema>>
/** A part of the settings as a user writes it. */
export type SettingsInput = z.input<typeof settingsSchema>

/** Applies patches in order. Nested settings are merged, lists are replaced. */
export function mergeSettings(settings: Settings, ...patches: readonly SettingsPatch[]): Settings {
  return patches.reduce<Settings>(mergePatches, settings)
}

/** Merges a patch into settings, or into an earlier patch; the later wins. */
export function mergePatches<T extends SettingsPatch | Settings>(settings: T, patch: SettingsPatch): T {
  return {
    ...settings,
    ...defined(patch),
    clock: { ...settings.clock, ...defined(patch.clock) },
    policy: { ...settings.policy, ...defined(patch.policy) },
    signing: {
      ...settings.signing,
      ...defined(patch.signing),
      layouts: { ...settings.signing?.layouts, ...patch.signing?.layouts },
    },
  }
}

/** Drops keys that are undefined, which would otherwise overwrite a value. */
function defined<T extends object>(patch: T | undefined) {
  const entries = Object.entries(patch ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** Whether a key is public: the default one, or one that the mock derived from the name of a session. */
export function isPublicKey(key: string, { apiKeys }: Pick<Settings, 'apiKeys'>): boolean {
  return DEFAULT_SETTINGS.apiKeys.includes(key) || !apiKeys.includes(key)
}

/** An accepted key as outputs show it. */
export function toShownKey(key: string, settings: Pick<Settings, 'apiKeys'>): string {
  return isPublicKey(key, settings) ? key : NOT_SHOWN
}

/** Names of query parameters whose values may be keys, in any case. */
const SECRET = /(?:^|[?&])(?:key|api[-_]?key|access[-_]?token|admin[-_]?token|token|auth|authorization|secret)=/i
/** Finds every target that may have such a parameter. */
const MAYBE_SECRET = /key|token|auth|secret|%/i

/** Whether the name of a query parameter is one of those whose values may be keys. */
export const mayHoldKey = (name: string): boolean => SECRET.test(`${name}=`)

/** A text of the user without the secrets of some settings: their own API keys, and their private keys. */
export function withoutSecrets(
  text: string,
  settings: readonly Pick<Settings, 'apiKeys' | 'signerKeyUnsafe'>[],
): string {
  const secrets = settings.flatMap(one => {
    const key = one.signerKeyUnsafe?.replace(/^0x/i, '')
    return [...one.apiKeys.filter(known => !isPublicKey(known, one)), ...(key ? [key, key.toLowerCase()] : [])]
  })
  // The longest first, since one may begin with another.
  return secrets
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, NOT_SHOWN), text)
}

/** Replaces a value in a target, where blanks would be invalid. */
const HIDDEN = '(not-shown)'

/** A request target without the values of parameters that may be keys, also those within the URL of another parameter. */
export function toShownTarget(target: string): string {
  const mark = target.indexOf('?')
  if (mark < 0 || !MAYBE_SECRET.test(target)) return target
  const pairs = target
    .slice(mark + 1)
    .split('&')
    .map(pair => (SECRET.test(decode(pair)) ? `${pair.slice(0, pair.indexOf('=') + 1)}${HIDDEN}` : pair))
  return `${target.slice(0, mark)}?${pairs.join('&')}`
}

/** Decodes as far as possible: `%zz` stays, and a key beside it is hidden nevertheless. */
function decode(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, code => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}
