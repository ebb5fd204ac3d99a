// `price-feed-mock keys`: the public key and address of the signer, in a format that consumers can paste.
import { quote } from '../admin/reproduce-command.js'
import { toChecksum } from '../chain/calldata.js'
import type { Signer } from '../signing/signer.js'
import type { KEY_FORMATS } from './command-options.js'

type KeyFormat = (typeof KEY_FORMATS)[number]

type Keys = Pick<Signer, 'address' | 'publicKey' | 'uncompressedPublicKey'>

/** The printed data: the signer, and the API key that clients send. */
export interface KeyDetails {
  readonly signer: Keys
  /** The number of the test key; null for the user's own key. */
  readonly testKey: number | null
  readonly apiKey: string
}

/** The text to paste, by format. */
export const KEY_WRITERS: Readonly<Record<KeyFormat, (details: KeyDetails) => string>> = {
  env: ({ signer, apiKey }) => `PRICE_FEED_API_KEY=${quote(apiKey)}
PRICE_FEED_SIGNER=${signer.address}
PRICE_FEED_SIGNER_PUBLIC_KEY=${signer.publicKey}`,
  solidity: ({ signer, testKey }) => `// ${nameOf(testKey)}. Never trust it in production.
address constant PRICE_FEED_SIGNER = ${toChecksum(signer.address)};`,
  rust: ({ signer, testKey }) => `// ${nameOf(testKey)}. Never trust it in production.
/// Ethereum address: the last 20 bytes of keccak256 of the public key.
pub const PRICE_FEED_SIGNER: [u8; 20] = [
${toLines(signer.address, '    ')}
];
/// Public key, x and y.
pub const PRICE_FEED_SIGNER_PUBLIC_KEY: [u8; 64] = [
${toLines(signer.uncompressedPublicKey, '    ')}
];`,
  go: ({ signer, testKey }) => `// PriceFeedSigner is ${lowerFirst(nameOf(testKey))}. Never trust it in production.
// It is an Ethereum address: the last 20 bytes of keccak256 of the public key.
var PriceFeedSigner = [20]byte{
${toLines(signer.address, '\t')}
}

// PriceFeedSignerPublicKey is its public key, x and y.
var PriceFeedSignerPublicKey = [64]byte{
${toLines(signer.uncompressedPublicKey, '\t')}
}`,
  json: ({ signer, testKey, apiKey }) => JSON.stringify({ testKey, ...signer, apiKey }, null, 2),
}

type NumberedSigner = Keys & { readonly testKey: number }

const WARNING = 'The public test keys of price-feed-mock. Anybody can sign with them, so production must refuse them.'

/** The list of all test keys, as code that refuses them, by format. */
export const DENY_LIST_WRITERS: Readonly<Record<KeyFormat, (signers: readonly NumberedSigner[]) => string>> = {
  env: signers => `PRICE_FEED_TEST_SIGNERS=${signers.map(({ address }) => address).join(',')}`,
  solidity: signers => `// ${WARNING}
library PriceFeedMockSigners {
    function isTestSigner(address signer) internal pure returns (bool) {
        return
${signers.map(({ address }) => `            signer == ${toChecksum(address)}`).join(' ||\n')};
    }
}`,
  rust: signers => `// ${WARNING}
/// Ethereum addresses.
pub const TEST_SIGNERS: [[u8; 20]; ${signers.length}] = [
${signers.map(({ address }) => `    [\n${toLines(address, '        ')}\n    ],`).join('\n')}
];
/// Public keys, x and y.
pub const TEST_SIGNER_PUBLIC_KEYS: [[u8; 64]; ${signers.length}] = [
${signers.map(signer => `    [\n${toLines(signer.uncompressedPublicKey, '        ')}\n    ],`).join('\n')}
];

pub fn is_test_signer(address: &[u8; 20]) -> bool {
    TEST_SIGNERS.contains(address)
}`,
  go: signers => `// PriceFeedMockSigners are the public test keys of price-feed-mock, as Ethereum addresses.
// Anybody can sign with them, so production must refuse them.
var PriceFeedMockSigners = [${signers.length}][20]byte{
${signers.map(({ address }) => `\t{\n${toLines(address, '\t\t')}\n\t},`).join('\n')}
}

// IsPriceFeedMockSigner reports whether an address is that of a public test key.
func IsPriceFeedMockSigner(address [20]byte) bool {
\tfor _, signer := range PriceFeedMockSigners {
\t\tif signer == address {
\t\t\treturn true
\t\t}
\t}
\treturn false
}`,
  json: signers => JSON.stringify(signers, ['testKey', 'publicKey', 'uncompressedPublicKey', 'address'], 2),
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const nameOf = (testKey: number | null): string =>
  testKey === null ? 'Your own key' : `Test key ${testKey} of price-feed-mock`

/** Bytes in lines of twelve, without the first byte of the text: `0x`, or the 04 of a public key. */
const toLines = (hex: string, indent: string): string =>
  hex
    .slice(2)
    .match(/.{1,24}/g)!
    .map(bytes => indent + bytes.replace(/../g, '0x$&, ').trimEnd())
    .join('\n')
