// The signatures in the answers of a service: their form, their signers, and the ways to sign a batch.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { describe, expect, it } from 'vitest'
import published from '../../fixtures/published-responses.json' with { type: 'json' }
import { LAYOUTS, type Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { createSigner, testKey } from '../signing/signer.js'
import { type FoundLayout, searchLayout } from './layout-search.js'
import { batchFormOf, pairOf, signaturesOf, signersOf, toLayout } from './probes-signed.js'

const btc = { feedId: 'BTCUSD', price: 11_830_872_000_000, expo: -8, ts: 1_753_354_105 }
const eth = { feedId: 'ETHUSD', price: 365_087_200_000, expo: -8, ts: 1_753_354_104 }
const { sign, address } = createSigner(testKey(0))
const found: FoundLayout = { candidate: LAYOUTS.svm }

/** The answers to one question. */
const answersOf = (bodies: readonly unknown[], target = '/', status = 200) =>
  bodies.map(body => ({ question: { base: 'prices', target } as const, answer: { status, headers: {}, body, now: 0 } }))
const signed = (tick: Tick, layout: Layout = LAYOUTS.svm) => ({ ...tick, ...sign(layout, [tick]) })

it('default: the responses that the service has published', () => {
  const signatures = signaturesOf(answersOf(published.samples), 'svm')
  expect(signatures).toHaveLength(3)
  const running = searchLayout(pairOf(signatures)!, [])
  const { value } = running.next()
  expect(value).toEqual({ candidate: { fields: LAYOUTS.svm.fields, digest: 'keccak256', prefix: 'none' } })
  expect(signersOf(value as FoundLayout, signatures)).toEqual(['0xa383a31402bfecab41598378fa9e3f59f39337fe'])
  expect(toLayout(value as FoundLayout, signatures)).toEqual(LAYOUTS.svm)
})

describe('signaturesOf', () => {
  const { signature, recoveryId } = sign(LAYOUTS.svm, [btc])
  const read = (more: object) => signaturesOf(answersOf([{ ...btc, signature, recoveryId, ...more }]), 'svm')[0]

  it('default: each signature once, of answers with status 200 only', () => {
    const answers = [
      ...answersOf([signed(btc), signed(btc), signed(eth)]),
      ...answersOf([signed({ ...eth, ts: 1 })], '/', 404),
    ]
    const [r, s] = [signature.slice(0, 64), signature.slice(64)].map(digits => BigInt(`0x${digits}`))
    const numbers = { r, s, recoveryId, hexPrefix: '', v: undefined, isUpperCase: false }
    const signatures = signaturesOf(answers, 'svm')
    expect(signatures.map(({ ticks }) => ticks)).toEqual([[btc], [eth]])
    expect(signatures[0]).toEqual({ ticks: [btc], ...numbers })
    expect(signaturesOf(answers, 'evm')).toEqual([])
  })

  it.each([
    [{ signature: `0x${signature.toUpperCase()}1c` }, { hexPrefix: '0x', v: 28, recoveryId: 1, isUpperCase: true }],
    [{ signature: `${signature}1B` }, { hexPrefix: '', v: 27, recoveryId: 0, isUpperCase: false }],
    [{ signature: `${signature}01` }, { v: 1, recoveryId: 1 }],
    [{ signature: `${signature}1a` }, { v: 26, recoveryId: undefined }],
    [{ recoveryId: 1 }, { recoveryId: 1 }],
    [{ recoveryId: 2 }, { recoveryId: undefined }],
  ])('args: %j', (more, expected) => expect(read(more)).toMatchObject(expected))

  it.each([{ signature: signature.slice(1) }, { signature: `${signature}001` }, { price: 'x' }])('error: %j', more =>
    expect(read(more)).toBeUndefined(),
  )

  it('behavior: numbers of feeds in a batch stand for the ids of the request', () => {
    const numbered = { prices: [btc, eth].map((tick, i) => ({ ...tick, feedId: i + 7 })), signature, recoveryId }
    const read = (target: string) => signaturesOf(answersOf([numbered], target), 'svm').map(({ ticks }) => ticks)
    expect(read('/prices/batch?feedIds=BTCUSD,ETHUSD')).toEqual([[btc, eth]])
    expect(read('/prices/batch?a=1&feedIds=BTCUSD,ETHUSD&b=2')).toEqual([[btc, eth]])
    expect(read('/prices/batch?feedIds=BTCUSD')).toEqual([])
  })
})

it('behavior: a pair is of different feeds, if there are two', () => {
  const later = { ...btc, ts: btc.ts + 1 }
  const pair = (bodies: readonly unknown[]) => pairOf(signaturesOf(answersOf(bodies), 'svm'))?.map(({ tick }) => tick)
  const batch = { prices: [eth, btc], ...sign(LAYOUTS.svm, [eth, btc]) }
  expect(pair([batch, signed(btc), signed(later), signed(eth)])).toEqual([btc, eth])
  expect(pair([signed(btc), signed(later)])).toEqual([btc, later])
  expect(pair([batch, signed(btc)])).toBeUndefined()
  expect(pair([batch])).toBeUndefined()
})

it.each(['rs', 'rsv', 'rsy'] as const)('behavior: the layout of signatures in the form %s', signature => {
  const layout: Layout = { ...LAYOUTS.svm, signature, hexPrefix: '0x' }
  const answers = answersOf([btc, eth].map(tick => signed(tick, layout)))
  expect(toLayout(found, signaturesOf(answers, 'svm'))).toEqual(layout)
})

it('behavior: signers are sorted, and both are possible without a recovery id', () => {
  const other = createSigner(testKey(1))
  const both = [{ ...btc, ...other.sign(LAYOUTS.svm, [btc]) }, signed(eth), signed(btc)]
  const signersIn = (bodies: readonly unknown[]) => signersOf(found, signaturesOf(answersOf(bodies), 'svm'))
  expect(signersIn(both)).toEqual([address, other.address].sort())
  const unknown = signersIn([{ ...signed(btc), recoveryId: 9 }])
  expect(unknown).toHaveLength(2)
  expect(unknown).toContain(address)
})

it('behavior: the form of a batch is named', () => {
  const ticks = [btc, { ...eth, feedId: 'AVAXUSD' }, { ...eth, feedId: 'SOLUSD' }, eth]
  const { encode } = createEncoder(LAYOUTS.svm)
  const messages = ticks.map(tick => encode([tick]))
  const formOf = (message: Uint8Array, signers = [address]) => {
    const bytes = secp.sign(keccak_256(message), testKey(0), { prehash: false, format: 'recovered' })
    const body = { prices: ticks, signature: bytesToHex(bytes.subarray(1)), recoveryId: bytes[0] }
    return batchFormOf(found, signaturesOf(answersOf([body]), 'svm')[0]!, signers)
  }
  const [a, b, c, d] = messages as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  expect(formOf(concatBytes(a, b, c, d))).toBe('one after the other, as shown')
  expect(formOf(concatBytes(d, c, b, a))).toBe('one after the other, the last one first')
  expect(formOf(concatBytes(b, a, d, c))).toBe('sorted by their bytes')
  expect(formOf(concatBytes(...messages.map(message => keccak_256(message))))).toBe('the digests of the prices')
  expect(formOf(a)).toBe('the first one only')
  expect(formOf(b)).toBeUndefined()
  expect(formOf(a, ['0x00'])).toBeUndefined()
})
