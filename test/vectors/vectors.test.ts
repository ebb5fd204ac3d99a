// The vectors of fixtures/format-vectors.json against the code, and against programs that share nothing with it.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import vectors from '../../fixtures/format-vectors.json' with { type: 'json' }
import published from '../../fixtures/published-responses.json' with { type: 'json' }
import signing from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { CALLDATA_SIGNATURE, toCalldata, toInstructionData } from '../../src/signing/chain.js'
import { createEncoder, type Tick } from '../../src/signing/encode.js'
import { createSigner } from '../../src/signing/signer.js'
import { testKey } from '../../src/signing/test-keys.js'
import { checkResponse, LAYOUTS, parseExact } from '../../src/signing/verify.js'

const run = promisify(execFile)
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const signer = createSigner(testKey(0))
const ticksOf = (prices: readonly { feedId: string; price: string; expo: number; ts: number }[]): Tick[] =>
  prices.map(({ price, ...rest }) => ({ ...rest, price: BigInt(price) }))

describe('whole replies', () => {
  it.each(vectors.replies)('default: $title', ({ body, reasons }) => {
    const verdict = checkResponse(parseExact(body), { signers: [vectors.signer] })
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
      const data = toInstructionData({ message: bytes, rs: signature, recoveryId, address: signer.address })
      expect(bytesToHex(data)).toBe(instructionData)
    },
  )

  it.each(vectors.evm)('default: calldata of $title', ({ prices, message, signature, calldata }) => {
    const [tick] = ticksOf(prices)
    expect(bytesToHex(createEncoder(LAYOUTS.evm).encode([tick!], 'wrap'))).toBe(message)
    expect(signer.sign(LAYOUTS.evm, [tick!]).signature).toBe(signature)
    expect(CALLDATA_SIGNATURE).toBe(vectors.calldataFunction)
    expect(bytesToHex(toCalldata(tick!, signature))).toBe(calldata)
  })

  it('behavior: 19 prices fit into a packet of Solana, 20 do not', () => {
    const sizeOf = (count: number): number => {
      const message = new Uint8Array(49 * count)
      return toInstructionData({ message, rs: '00'.repeat(64), recoveryId: 0, address: signer.address }).length
    }
    // The signature of the payer, the head, two keys, the blockhash and the head of the instruction.
    const REST = 1 + 64 + 3 + 1 + 64 + 32 + 1 + 1 + 1 + 2
    expect([19, 20].map(count => sizeOf(count) + REST <= 1232)).toEqual([true, false])
  })
})

const files = ['format-vectors', 'signing-vectors', 'published-responses'].map(name =>
  pathOf(`../../fixtures/${name}.json`),
)
const count = [vectors.replies, vectors.svm, vectors.evm, signing.vectors, published.samples].flat().length

describe('Python, without packages', async () => {
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  )

  it.runIf(hasPython)('behavior: it agrees with every vector', async () => {
    const { stdout } = await run('python3', [pathOf('check.py'), ...files])
    expect(stdout).toBe(`${count} vectors, all as expected\n`)
  })

  it.runIf(hasPython)('error: it notices one changed digit', async () => {
    const broken = join(mkdtempSync(join(tmpdir(), 'price-feed-mock-')), 'vectors.json')
    onTestFinished(() => rmSync(dirname(broken), { recursive: true }))
    const source = readFileSync(files[0]!, 'utf8')
    writeFileSync(
      broken,
      source.replace(/("digest": ")(.)/, (_, key: string, digit: string) => key + (digit === '0' ? '1' : '0')),
    )
    await expect(run('python3', [pathOf('check.py'), broken, ...files.slice(1)])).rejects.toMatchObject({ code: 1 })
  })
})
