// API keys and targets as outputs show them: keys of the user are secrets, those of the mock are public.
import { NOT_SHOWN } from '../errors.js'
import { DEFAULT_SETTINGS, type Settings } from './settings.js'

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

/** A text of the user without the secrets of a session: its own API keys, and its private key. */
export function withoutSecrets(text: string, settings: Pick<Settings, 'apiKeys' | 'signerKeyUnsafe'>): string {
  const key = settings.signerKeyUnsafe?.replace(/^0x/i, '')
  const secrets = [
    ...settings.apiKeys.filter(one => !isPublicKey(one, settings)),
    ...(key ? [key, key.toLowerCase()] : []),
  ]
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, NOT_SHOWN), text)
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
