// TLS of a server: checks the certificate and its key, and creates servers with them. Loaded only if a server has a certificate.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { type Parts, PriceFeedMockError, tryOrThrow } from '../../errors.js'

/** A certificate with its private key. */
export interface TlsOptions {
  /** The certificate in PEM, followed by those of its chain. */
  readonly cert: string | Buffer
  /** The private key in PEM, not encrypted. */
  readonly key: string | Buffer
}

/** A checked certificate. */
export type Tls = ReturnType<typeof loadTls>

/**
 * Checks a certificate and its key.
 * @param now real time in milliseconds since the epoch
 * @throws PriceFeedMockError TLS_INVALID
 */
export function loadTls({ cert, key }: TlsOptions, now: number) {
  const certificate = read('The TLS certificate is not a certificate in PEM.', () => new X509Certificate(cert))
  const privateKey = readKey(key)
  if (!certificate.checkPrivateKey(privateKey))
    throw invalid('The TLS key does not belong to the certificate.', { want: WANT_KEY })
  if (Date.parse(certificate.validTo) <= now)
    throw invalid(`The TLS certificate expired on ${certificate.validTo}.`, { fix: FIX_CERT })
  if (Date.parse(certificate.validFrom) > now)
    throw invalid(`The TLS certificate is not valid before ${certificate.validFrom}.`, { fix: FIX_CERT })
  // OpenSSL refuses some pairs that can be parsed, such as short keys.
  read('The TLS certificate cannot be used.', () => createSecureContext({ cert, key }))
  return {
    /** The server is not yet listening. `handshakeMs` is the time for a client to complete the TLS handshake. */
    createServer: (options: ServerOptions, listener: RequestListener, handshakeMs: number): Server =>
      // A client may end its side before a delayed answer arrives, as without TLS.
      createServer({ ...options, ...HALF_OPEN, cert, key, handshakeTimeout: handshakeMs }, listener),
    /** A name that the certificate is valid for: the given one of this machine, or else `localhost` if it covers that. */
    hostFor: (host: string): string =>
      certificate.checkIP(host) === undefined && certificate.checkHost('localhost') !== undefined ? 'localhost' : host,
  }
}

/** An option of the net module, which the types of the https module lack. */
const HALF_OPEN = { allowHalfOpen: true }

const WANT_KEY =
  'the private key that the certificate was made with; of several certificates in the file, that of the first'
const FIX_CERT =
  'openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 365 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1'

function readKey(key: string | Buffer): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(String(key)))
    throw invalid('The TLS key is encrypted.', { fix: 'openssl pkey -in key.pem -out plain-key.pem' })
  return read('The TLS key is not a private key in PEM.', () => createPrivateKey(key))
}

/** Errors of OpenSSL name the reason, and never the key. */
const read = <T>(shortMessage: string, parse: () => T): T =>
  tryOrThrow(parse, cause => invalid(shortMessage, { got: (cause as Error).message, fix: FIX_CERT, cause }))

const invalid = (shortMessage: string, parts: Parts): PriceFeedMockError =>
  new PriceFeedMockError('TLS_INVALID', shortMessage, parts)
