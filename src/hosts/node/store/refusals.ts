// Reasons why a store cannot be used, as errors: most failures of Redis and of TLS have a fix that their own text does not name.
import { isPriceFeedMockError, PriceFeedMockError, UNTRUSTED } from '../../../errors.js'
import type { StoreAddress } from './store-url.js'

interface Refusal {
  /** Matches its code or its text. */
  readonly when: RegExp
  /** Follows the address of the store in a sentence. */
  readonly says: string
  /** Replaces the text of the failure, which is long or contains a user name. */
  got?(error: TlsError, text: string): string
  want?(error: TlsError): string
  readonly fix: string
  /** Whether it is this one only where the first connection fails, with TLS or without. */
  readonly firstWithTls?: boolean
}

type TlsError = NodeJS.ErrnoException & {
  readonly host?: string
  readonly cert?: { readonly subjectaltname?: string }
  readonly errors?: readonly unknown[]
}

/** Those that another attempt would meet as well. */
const LASTING: readonly Refusal[] = [
  {
    ...UNTRUSTED,
    says: 'has a certificate that is not trusted',
    want: () => 'a certificate of an authority that Node trusts',
  },
  {
    when: /^ERR_TLS_CERT_ALTNAME_INVALID /,
    says: 'has a certificate for another name',
    got: ({ cert }, text) => (cert?.subjectaltname ? `a certificate for ${cert.subjectaltname}` : text),
    want: ({ host }) => `a certificate for ${host ?? 'the host name in the address'}`,
    fix: 'use a name of the certificate in the address, or make a certificate for this one',
  },
  {
    when: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID) /,
    says: 'has a certificate that is not valid now',
    fix: 'renew the certificate, or correct the clock of this machine',
  },
  {
    when: /alert certificate required/,
    says: 'requires a certificate of its clients',
    got: () => 'no certificate of a client: an address has a user name and a password only',
    fix: 'tls-auth-clients no, in the configuration of Redis',
  },
  {
    when: /wrong version number/,
    says: 'does not speak TLS',
    got: () => 'a reply without TLS',
    fix: 'use redis:// in the address, or the port of Redis with TLS',
  },
  {
    when: /\bNOAUTH\b/,
    says: 'requires a password',
    got: () => 'an address without a password',
    want: () => 'redis://user:password@host, or redis://:password@host for the default user',
    fix: 'put them into the address, and the address into the environment: PRICE_FEED_MOCK_STORE',
  },
  {
    when: /\bWRONGPASS\b/,
    says: 'refuses the user name or the password',
    fix: 'check both. Percent-encode other characters than letters and digits: @ is %40',
  },
  {
    // In a script Redis names no command.
    when: /\bNOPERM\b|The user executing the script|ACL failure in script/,
    says: 'does not allow its user a command',
    got: (_, text) => text.replace(/^.*?NOPERM (User \S+|this user) /i, 'the user ').replace(/ script: .*/, ''),
    want: () => 'the rights that docs/scale.md lists under Users',
    fix: 'ACL SETUSER, with these rights',
  },
  {
    when: /^\W*(\w+Error: )?(MOVED|ASK) |SELECT is not allowed in cluster mode/,
    says: 'is a node of a cluster',
    got: () => 'an address of one server',
    fix: 'use redis+cluster:// in the address, without a database',
  },
  {
    when: /cluster support disabled/,
    says: 'is not a cluster',
    got: () => 'a server without cluster-enabled yes',
    fix: 'use redis:// in the address',
  },
  {
    when: /DB index is out of range/,
    says: 'has no such database',
    fix: 'use a smaller number, such as /0, or another prefix: ?prefix=name',
  },
  {
    when: /unknown command '?SENTINEL/i,
    says: 'is not a sentinel',
    fix: 'name the port of sentinels, usually 26379, or use redis:// for the server itself',
  },
  {
    when: /No such master/i,
    says: 'watches no primary of that name',
    fix: 'name it as sentinel.conf does: sentinel monitor NAME …',
  },
  {
    when: /unknown command '?EVAL/i,
    says: 'does not run scripts',
    fix: 'use redis+sentinel:// if it is a sentinel',
  },
]

/** Those that may pass. */
const PASSING: readonly Refusal[] = [
  {
    // Redis without TLS waits for the rest of a command.
    when: /Connection timeout/,
    firstWithTls: true,
    says: 'does not answer to TLS',
    fix: 'use redis:// if its port has no TLS, or check the address',
  },
  {
    when: /^ECONNRESET |Socket closed unexpectedly/,
    firstWithTls: false,
    says: 'ends the connection at once',
    fix: 'use rediss:// if its port has TLS, or check the address',
  },
  {
    when: /\bOOM\b/,
    says: 'is full',
    got: () => 'as much memory in use as maxmemory allows',
    fix: 'delete sessions, or give Redis more memory. Nothing was counted or changed',
  },
  {
    when: /\bREADONLY\b/,
    says: 'is a replica, which takes no changes',
    fix: 'use the address of the primary, or redis+sentinel:// with its sentinels. During a failover, wait',
  },
]

/** @param withTls whether the first connection is made with TLS; undefined after it was made */
const find = (refusals: readonly Refusal[], error: unknown, withTls?: boolean): Refusal | undefined => {
  const text = `${(error as TlsError).code ?? ''} ${reasonOf(error)}`
  return refusals.find(
    ({ when, firstWithTls }) => (firstWithTls === undefined || firstWithTls === withTls) && when.test(text),
  )
}

/** Whether another attempt to connect would fail as well. */
export const isLasting = (error: unknown): boolean => find(LASTING, error) !== undefined

/**
 * The error for a store that cannot be used.
 * @param reason an error of Redis or of the connection, or a text
 * @param isFirst whether the first connection was not made
 */
export function unavailable({ shown, tls }: Pick<StoreAddress, 'shown' | 'tls'>, reason: unknown, isFirst = false) {
  const known = find([...LASTING, ...PASSING], reason, isFirst ? tls : undefined)
  const text = reasonOf(reason)
  const otherwise = isFirst ? START_FIRST : MAYBE_COUNTED
  return new PriceFeedMockError('STORE_UNAVAILABLE', `The store ${shown} ${known?.says ?? 'does not answer'}.`, {
    got: known?.got?.(reason as TlsError, text) ?? text,
    want: known?.want?.(reason as TlsError),
    ...(known === undefined ? otherwise : { fix: known.fix }),
  })
}

const START_FIRST = { fix: 'start Redis first, or check the address' }
const MAYBE_COUNTED = { note: 'the request may have been counted' }

/** A reason in one line, without an address. */
export function reasonOf(error: unknown): string {
  if (isPriceFeedMockError(error)) return error.details.find(([label]) => label === 'got')?.[1] ?? error.shortMessage
  if (typeof error === 'string') return error
  const { code, message, errors } = error as TlsError
  const text = message || code || (errors === undefined ? '' : reasonOf(errors[0])) || String(error)
  const [, ofTls] = /SSL routines:[^:]*:([^:]+)/.exec(text) ?? []
  return (ofTls ?? text).split('\n', 1)[0]!.trim().replace(/[.:]$/, '').slice(0, 200)
}
