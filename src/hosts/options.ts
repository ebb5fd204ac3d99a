// Checks options that JavaScript callers pass to hosts, before anything starts.
import { isObject, NOT_SHOWN, type Problem } from '../errors.js'
import {
  ADMIN_TOKEN,
  assertNoProblems,
  BASE_URL,
  findUnknownKeys,
  ORIGIN,
  WANT_BASE_URL,
  WANT_TOKEN,
} from '../settings/schema.js'

const SECRET: ReadonlySet<string> = new Set(['adminToken', 'tls', 'store'])

/** A rule for an option: a noun phrase for messages, and the check. */
export type OptionRule = readonly [want: string, isValid: (value: unknown) => boolean]

const PORT: OptionRule = [
  'an integer from 0 to 65535',
  value => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
]
const NAME = /^([^\s/:*]+|\[[\da-f:.]+\])$/i

/** The options of every host with sockets. */
export const ACCESS_RULES = {
  allowHosts: [
    'a list of names without ports, such as ["app.internal"]; there is no wildcard',
    value => isListOf(value, NAME),
  ],
  allowOrigins: ['a list of origins, such as ["http://localhost:5173"]', value => isListOf(value, ORIGIN)],
  adminToken: [WANT_TOKEN, value => typeof value === 'string' && ADMIN_TOKEN.test(value)],
} satisfies Readonly<Record<string, OptionRule>>

/** The options of a server that no mock has, as far as they are checked before it starts. */
export const SERVER_RULES = {
  // An empty one would be all addresses.
  host: ['a host name or an address, such as "127.0.0.1"', value => typeof value === 'string' && value.trim() !== ''],
  port: PORT,
  historyPort: PORT,
  ...ACCESS_RULES,
  tls: [
    'an object { cert, key } of two texts or Buffers in PEM',
    value => isObjectOf(value, { cert: isPem, key: isPem }),
  ],
  state: [
    'an object { file, everyMs, onError }: a path, a number of milliseconds from 10, and a function',
    value =>
      isObjectOf(value, {
        file: file => typeof file === 'string' && file !== '',
        everyMs: isMilliseconds(10),
        onError: isOptional('function'),
      }),
  ],
  store: [
    'an address such as "redis://host:6379", or an object { url, idleMs, lazySessions, notesUse, onChange }',
    value =>
      typeof value === 'string' ||
      isObjectOf(value, {
        url: url => typeof url === 'string',
        idleMs: isMilliseconds(1000),
        lazySessions: isOptional('boolean'),
        notesUse: isOptional('boolean'),
        onChange: isOptional('function'),
      }),
  ],
  publicUrl: [WANT_BASE_URL, value => typeof value === 'string' && BASE_URL.test(value) && URL.canParse(value)],
  onExchange: ['a function', value => typeof value === 'function'],
  handlers: [
    'a list of request handlers, such as [http.get(…)] of msw; a module of them is an option of the command line only',
    value => Array.isArray(value) && value.every(isRequestHandler),
  ],
} satisfies Readonly<Record<string, OptionRule>>

/** Whether a value is a request handler of msw. A WebSocket handler is not. */
export function isRequestHandler(value: unknown): boolean {
  const { kind, run } = (value ?? {}) as { readonly kind?: unknown; readonly run?: unknown }
  return kind === 'request' && typeof run === 'function'
}

const isObjectOf = (value: unknown, checks: Readonly<Record<string, OptionRule[1]>>): boolean =>
  isObject(value) &&
  findUnknownKeys(value, Object.keys(checks)).length === 0 &&
  Object.entries(checks).every(([key, isValid]) => isValid((value as Record<string, unknown>)[key]))

const isOptional = (type: string) => (value: unknown) => value === undefined || typeof value === type

const isMilliseconds = (min: number) => (value: unknown) =>
  value === undefined || (typeof value === 'number' && value >= min)

const isPem = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array

const isListOf = (value: unknown, pattern: RegExp): boolean =>
  Array.isArray(value) && value.every(item => typeof item === 'string' && pattern.test(item))

/**
 * Checks the options of a call. Undefined values are ignored.
 * @throws PriceFeedMockError OPTIONS_INVALID, listing all problems
 */
export function assertOptions(call: string, options: object, rules: Readonly<Record<string, OptionRule>>): void {
  if (!isObject(options))
    assertNoProblems('OPTIONS_INVALID', call, [{ at: 'options', got: options, want: 'an object' }])
  const wrong = Object.entries(rules).flatMap(([at, [want, isValid]]): Problem[] => {
    const got = (options as Record<string, unknown>)[at]
    return got === undefined || isValid(got) ? [] : [{ at, got: SECRET.has(at) ? NOT_SHOWN : got, want }]
  })
  assertNoProblems('OPTIONS_INVALID', call, [...findUnknownKeys(options, Object.keys(rules)), ...wrong])
}
