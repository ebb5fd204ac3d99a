// The vectors of fixtures/format-vectors.json against the code. test/clients has them in other languages.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import vectors from '../../fixtures/format-vectors.json' with { type: 'json' }
import { encodeCalldata, UPDATE_PRICE } from '../../src/chain/calldata.js'
import { encodeInstruction } from '../../src/chain/instruction.js'
import { createEncoder, type Tick } from '../../src/signing/encode.js'
import { createSigner, testKey } from '../../src/signing/signer.js'
import { checkResponse, LAYOUTS, parseExact } from '../../src/signing/verify.js'

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const signer = createSigner(testKey(0))
const ticksOf = (prices: readonly { feedId: string; price: string; expo: number; ts: number }[]): Tick[] =>
  prices.map(({ price, ...rest }) => ({ ...rest, price: BigInt(price) }))

describe('whole replies', () => {
  it.each(vectors.replies)('default: $title', ({ body, reasons }) => {
    const verdict = checkResponse(parseExact(body, { plainDigits: true }), { signers: [vectors.signer] })
    expect(verdict.prices.map(({ findings }) => findings.map(({ reason }) => reason))).toEqual(reasons)
    expect(verdict.ok).toBe(reasons.flat().length === 0)
  })

  it('behavior: each reason that one reply can have is among them', () => {
    const covered = new Set(vectors.replies.flatMap(({ reasons }) => reasons.flat() as string[]))
    expect([...covered].sort()).toMatchInlineSnapshot(`
      [
        "0x-prefix",
        "high-s",
        "malformed",
        "negative-price",
        "unrecoverable",
        "wrong-feed",
        "wrong-length",
        "wrong-recovery-id",
        "wrong-signer",
        "wrong-v",
        "zero",
        "zero-price",
      ]
    `)
  })
})

describe('the limits of int64', () => {
  const reasonsOf = (body: string): string[][] =>
    checkResponse(parseExact(body), { signers: [vectors.signer] }).prices.map(({ findings }) =>
      findings.map(({ reason }) => reason),
    )

  it.each(vectors.limits)('default: $title', ({ batch, evm, reasons, price, calldata }) => {
    expect(reasonsOf(batch)).toEqual([reasons])
    expect(reasonsOf(evm)).toEqual([reasons])
    const { prices } = parseExact(evm) as { prices: [Tick & { signature: string }] }
    expect(String(prices[0].price)).toBe(price)
    expect(bytesToHex(encodeCalldata(prices[0], prices[0].signature))).toBe(calldata)
  })

  it('behavior: one signature covers a negative price and its unsigned twin, and one of them is an int64', () => {
    const [signed, twin] = ['−11008588000000', '2^64 − 11008588000000'].map(
      title => vectors.limits.find(limit => limit.title === title)!,
    )
    const signatureOf = (body: string) => (parseExact(body) as { signature: string }).signature
    expect(signatureOf(signed!.batch)).toBe(signatureOf(twin!.batch))
    expect([signed!.reasons, twin!.reasons]).toEqual([['negative-price'], ['out-of-range']])
  })

  it('behavior: docs/format.md has them', () => {
    const page = readFileSync(pathOf('../../docs/format.md'), 'utf8')
    for (const { title, reasons, consumers } of vectors.limits) {
      const words = reasons.map(reason => `\`${reason}\``).join(', ') || 'good'
      expect(page).toContain(`| ${title} | ${words} | ${consumers} |`)
    }
  })
})

describe('chains', () => {
  it.each(vectors.svm)(
    'default: instruction data of $title',
    ({ title: _, prices, message, digest, instructionData, ...signed }) => {
      const ticks = ticksOf(prices)
      const { encode, digest: hash } = createEncoder(LAYOUTS.svm)
      const bytes = encode(ticks, 'wrap')
      expect(bytesToHex(bytes)).toBe(message)
      expect(bytesToHex(hash(bytes))).toBe(digest)
      // RFC 6979: the same key and message give the same signature in every library.
      const { signature, recoveryId } = signer.sign(LAYOUTS.svm, ticks)
      expect({ signature, recoveryId }).toEqual(signed)
      const data = encodeInstruction({ message: bytes, rs: signature, recoveryId, address: signer.address })
      expect(bytesToHex(data)).toBe(instructionData)
    },
  )

  it.each(vectors.evm)('default: calldata of $title', ({ prices, message, signature, calldata }) => {
    const [tick] = ticksOf(prices)
    expect(bytesToHex(createEncoder(LAYOUTS.evm).encode([tick!], 'wrap'))).toBe(message)
    expect(signer.sign(LAYOUTS.evm, [tick!]).signature).toBe(signature)
    expect(UPDATE_PRICE.replace(/ \w+(?=[,)])/g, '').replaceAll(' ', '')).toBe(vectors.calldataFunction)
    expect(bytesToHex(encodeCalldata(tick!, signature))).toBe(calldata)
  })

  it('behavior: 19 prices fit into a packet of Solana, 20 do not', () => {
    const sizeOf = (count: number): number => {
      const message = new Uint8Array(49 * count)
      return encodeInstruction({ message, rs: '00'.repeat(64), recoveryId: 0, address: signer.address }).length
    }
    // The signature of the payer, the head, two keys, the blockhash and the head of the instruction.
    const REST = 1 + 64 + 3 + 1 + 64 + 32 + 1 + 1 + 1 + 2
    expect([19, 20].map(count => sizeOf(count) + REST <= 1232)).toEqual([true, false])
  })
})
