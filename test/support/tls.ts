// Certificates of tests, valid for a hundred years, and their key. They protect nothing. In the folder tls:
//   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 36500 -subj /CN=localhost \
//     -addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1
//   openssl req -x509 -key key.pem -out named.pem -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost
// expired.pem was made by `openssl ca -selfsign` with -startdate and -enddate in January 2020.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of a file of the folder tls. */
export const tlsFile = (name: string): string => fileURLToPath(new URL(`tls/${name}`, import.meta.url))

const read = (name: string): string => readFileSync(tlsFile(name), 'utf8')

/** A certificate for localhost and both loopback addresses. */
export const CERT: string = read('cert.pem')
/** A certificate for the name localhost only. */
export const NAMED_CERT: string = read('named.pem')
/** A certificate that expired in January 2020. */
export const EXPIRED_CERT: string = read('expired.pem')
/** The key of all of them. */
export const KEY_OF_CERT: string = read('key.pem')
/** The pair as an option of a server. */
export const TLS = { cert: CERT, key: KEY_OF_CERT }
