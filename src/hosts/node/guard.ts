// Protects the admin from pages of other sites: from their origin, and from a name that they rebound to this machine.
import type { IncomingMessage } from 'node:http'
import { PriceFeedMockError } from '../../errors.js'
import { parseTarget } from '../../service/request.js'

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** The error for a request that may not reach the admin, or undefined. Paths outside the admin are open. */
export function findObjection(
  { url = '/', headers }: IncomingMessage,
  allowHosts: readonly string[],
): PriceFeedMockError | undefined {
  // Decoded as the router decodes it: other spellings of /_mock are protected too, and so is the index.
  const { segments } = parseTarget(url)
  if (segments[0]!.toLowerCase() !== '_mock' && segments.some(segment => segment !== '')) return undefined

  const isAllowed = (name: string): boolean =>
    LOOPBACK.test(name) || allowHosts.some(allowed => allowed.toLowerCase() === name)
  const host = hostName(headers.host)
  if (host === '') return notAllowed('The admin does not answer without a Host header.', host)
  if (!isAllowed(host)) return notAllowed(`The admin does not answer to the host name "${host.slice(0, 100)}".`, host)
  const { origin } = headers
  if (origin === undefined) return undefined
  const page = hostName(origin.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''))
  return isAllowed(page)
    ? undefined
    : notAllowed(`The admin does not answer to pages of "${page.slice(0, 100)}".`, page)
}

function hostName(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

function notAllowed(shortMessage: string, name: string): PriceFeedMockError {
  return new PriceFeedMockError('HOST_NOT_ALLOWED', shortMessage, {
    details: [
      ['want', 'localhost, a loopback address, or a name given with --allow-host'],
      ['fix', `price-feed-mock --allow-host ${/^[\w.-]{1,100}$/.test(name) ? name : 'NAME'}`],
      ['note', 'the five endpoints answer to any host name'],
    ],
  })
}
