// The output of `keys`. Each format is in test/cli/keys.txt, and the checksum of addresses in src/chain/calldata.test.ts.
import { describe, expect, it } from 'vitest'
import { createSigner, testKey } from '../signing/signer.js'
import { testSigners } from '../signing/signers.js'
import { KEY_FORMATS } from './command-options.js'
import { DENY_LIST_WRITERS, KEY_WRITERS, type KeyDetails } from './keys.js'

const details: KeyDetails = { signer: createSigner(testKey(0)), testKey: 0, apiKey: 'test-api-key' }

describe('KEY_WRITERS', () => {
  it('behavior: an API key is quoted for the shell', () => {
    const [line] = KEY_WRITERS.env({ ...details, apiKey: "it's $HOME;" }).split('\n')
    expect(line).toBe(`PRICE_FEED_API_KEY='it'\\''s $HOME;'`)
  })

  it('behavior: no format contains the private key', () => {
    const privateKey = Buffer.from(testKey(0)).toString('hex')
    for (const format of KEY_FORMATS)
      expect(KEY_WRITERS[format](details).replace(/\W|0x/g, '')).not.toContain(privateKey)
  })
})

describe('DENY_LIST_WRITERS', () => {
  const signers = testSigners().map(({ number }) => {
    const { address, publicKey, uncompressedPublicKey } = createSigner(testKey(number))
    return { testKey: number, address, publicKey, uncompressedPublicKey }
  })

  it('behavior: every format contains every address once, and no private key', () => {
    for (const format of KEY_FORMATS) {
      const digits = DENY_LIST_WRITERS[format](signers)
        .toLowerCase()
        .replace(/\b0x|[\s,]/g, '')
      for (const { address, testKey: number } of signers) {
        expect(digits.split(address.slice(2)), format).toHaveLength(2)
        expect(digits, format).not.toContain(Buffer.from(testKey(number)).toString('hex'))
      }
    }
  })
})
