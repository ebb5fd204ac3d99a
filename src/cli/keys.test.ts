// The output of `keys`: each format is valid, and addresses have the checksum of EIP-55.
import { describe, expect, it } from 'vitest'
import { createSigner, testKey } from '../signing/signer.js'
import { testSigners } from '../signing/signers.js'
import { KEY_FORMATS } from './command-options.js'
import { DENY_LIST_WRITERS, KEY_WRITERS, type KeyDetails } from './keys.js'

const details: KeyDetails = { signer: createSigner(testKey(0)), testKey: 0, apiKey: 'test-api-key' }

/** The test cases of https://eips.ethereum.org/EIPS/eip-55: all capitals, all small, and normal ones. */
const EIP_55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

describe('KEY_WRITERS', () => {
  it('behavior: an API key is quoted for the shell', () => {
    const [line] = KEY_WRITERS.env({ ...details, apiKey: "it's $HOME;" }).split('\n')
    expect(line).toBe(`PRICE_FEED_API_KEY='it'\\''s $HOME;'`)
  })

  for (const expected of EIP_55)
    it(`args: solidity writes ${expected.slice(0, 8)}… with the checksum of EIP-55`, () => {
      const text = KEY_WRITERS.solidity({ ...details, signer: { ...details.signer, address: expected.toLowerCase() } })
      expect(text.split('\n').at(-1)).toBe(`address constant PRICE_FEED_SIGNER = ${expected};`)
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
