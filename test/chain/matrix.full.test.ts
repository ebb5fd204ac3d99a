// Every signature and tick fault at every verifier, each beside a good twin. The last test compares docs/onchain.md with the results;
// `npm run docs:onchain` writes it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EvmSignedPrice, MAX_INSTRUCTION_BYTES, toInstructionData } from '../../src/chain/chain.js'
import { isPriceFeedMockError } from '../../src/errors.js'
import { SIGNATURE_FAULTS } from '../../src/faults/signature/index.js'
import { TICK_FAULTS } from '../../src/faults/tick/index.js'
import { ownScenario } from '../../src/index.js'
import type { Tick } from '../../src/signing/encode.js'
import { checkResponse, parseExact, testSigners } from '../../src/signing/verify.js'
import { createCalls, NOW } from '../support/calls.js'
import { needs } from '../support/needs.js'
import { CHECKS, COLUMNS, type Column, type Mistake, type Row, writePage } from './page.js'
import type { Batch } from './solana.js'
import { NO_CHAINS } from './workbench.js'

// Without the packages of the chains they cannot be loaded.
const { startEthereum } = (
  NO_CHAINS === undefined ? await import('./ethereum.js') : {}
) as typeof import('./ethereum.js')
const { startSolana } = (NO_CHAINS === undefined ? await import('./solana.js') : {}) as typeof import('./solana.js')

const FEED = 'ETHUSD'
const FEEDS = ['BTCUSD', FEED]
const BATCH = `/prices/batch?feedIds=${FEEDS.join(',')}`
const EVM = `/prices/evm/crypto?feedIds=${FEEDS.join(',')}`
const [SIGNER, OTHER] = testSigners().map(({ address }) => address) as [string, string]
/** The most bytes of a packet of Solana. */
const PACKET_BYTES = 1232
const UNSET = `0x${'0'.repeat(40)}`

/** The verifiers on chains. They check signatures alone. */
const ON_CHAINS = ['precompile', 'program', 'ecrecover', 'openZeppelin'] as const
/** The verifiers that accept a fault; no other fault is accepted anywhere. */
const ACCEPTED: Readonly<Record<string, readonly Column[]>> = {
  'signature/high-s': ['precompile', 'program', 'ecrecover'],
  'signature/batch-duplicate': ['precompile', 'program', 'verify'],
  'signature/other-feed': ON_CHAINS,
  'tick/ts-skew': ON_CHAINS,
  'tick/ts-backwards': COLUMNS,
  'tick/ts-milliseconds': ['precompile', 'program'],
  'tick/zero': ON_CHAINS,
  'tick/negative': ON_CHAINS,
  'tick/unsafe-integer': COLUMNS,
  'tick/wrong-expo': ON_CHAINS,
  'tick/missing-feed': ['precompile', 'program'],
  'tick/extra-feed': ['precompile', 'program'],
  'tick/other-expo': ON_CHAINS,
}
/** The faults that both consumers of examples/ accept, because the price that they take is genuine and plausible. */
const HARMLESS = ['tick/unsafe-integer', 'signature/batch-duplicate']
const ONLY_IN_A_BATCH = [
  'signature/batch-reordered',
  'signature/batch-swapped',
  'signature/batch-duplicate',
  'tick/missing-feed',
  'tick/extra-feed',
]
const ONLY_IN_EVM = ['signature/evm-v-parity']

/** The replies of a mock at the same second, with a fault or without. */
interface Replies {
  readonly batch: Batch
  readonly evm: { readonly prices: readonly EvmSignedPrice[] }
  /** The price in the place of the feed of the consumers. */
  readonly price: EvmSignedPrice | undefined
}

/** The feeds of a fault that would otherwise bring the other feed of the batch. */
const SCOPES: Readonly<Record<string, object>> = {
  'signature/other-feed': { feeds: [FEED] },
  'signature/batch-duplicate': { feeds: [FEED] },
}

function askFor(fault?: string): Replies {
  const faults = fault === undefined ? [] : [{ fault, requests: { every: 1 }, ...SCOPES[fault] }]
  const { serve } = createCalls({ scenario: ownScenario({ title: 'matrix', faults }) })
  const [batch, evm] = [BATCH, EVM].map(target => parseExact(serve(target).body)) as [Batch, Replies['evm']]
  return { batch, evm, price: evm.prices[1] }
}

/** The result of a verifier, or "not encoded" where the library rejects the reply before. */
async function resultOf(act: () => Promise<string>): Promise<string> {
  try {
    return await act()
  } catch (error) {
    if (isPriceFeedMockError(error) && error.code === 'RESPONSE_UNRECOGNISED') return 'not encoded'
    throw error
  }
}

/** The reasons of `verify` with every option. */
function verdictOf(body: unknown): string[] {
  const options = { signers: [SIGNER], feeds: FEEDS, maxAge: 60, maxFuture: 5, now: NOW, expo: -8 }
  const findings = checkResponse(body, options).prices.flatMap(price => price.findings)
  return findings.map(({ reason }) => reason)
}

const inWords = (reasons: readonly string[]): string => [...new Set(reasons)].join(', ') || 'ok'

const good = askFor()

describe('on chains', needs(NO_CHAINS), () => {
  let solana: Awaited<ReturnType<typeof startSolana>>
  let ethereum: Awaited<ReturnType<typeof startEthereum>>
  beforeAll(async () => {
    solana = await startSolana(NOW)
    ethereum = await startEthereum(NOW, good.price!, SIGNER)
  })
  afterAll(() => ethereum?.anvil.stop())

  const verifyEverywhere = async ({ batch, evm, price }: Replies): Promise<Record<Column, string>> => {
    return {
      precompile: await resultOf(() => solana.precompile(batch, SIGNER)),
      program: await resultOf(() => solana.program(batch, SIGNER)),
      ecrecover: price === undefined ? '–' : await resultOf(() => ethereum.bare(price, SIGNER)),
      openZeppelin: price === undefined ? '–' : await resultOf(() => ethereum.openZeppelin(price, SIGNER)),
      verify: inWords([...verdictOf(batch), ...verdictOf(evm)]),
    }
  }

  const rows: Row[] = []
  const mistakes: Mistake[] = []

  describe.each([...SIGNATURE_FAULTS, ...TICK_FAULTS].map(({ name }) => name))('%s', fault => {
    it('behavior: the verifiers accept the good twin, and the fault only as listed', async () => {
      const consume = await solana.createConsumer(SIGNER, FEED)
      const faulty = askFor(fault)
      // A later price is older only after a newer one was accepted.
      const isSecond = fault === 'tick/ts-backwards'
      if (isSecond) expect(await consume(good.batch)).toBe('ok')
      const consumers = {
        program: await consume(faulty.batch),
        contract:
          faulty.price === undefined
            ? '–'
            : await resultOf(() => ethereum.consume(faulty.price!, isSecond ? 'used' : 'empty')),
      }
      const all = await verifyEverywhere(faulty)
      const unchanged: readonly Column[] = ONLY_IN_A_BATCH.includes(fault)
        ? ['ecrecover', 'openZeppelin']
        : ONLY_IN_EVM.includes(fault)
          ? ['precompile', 'program']
          : []
      const cells = { ...all, ...Object.fromEntries(unchanged.map(column => [column, '–'])) }
      if (unchanged.length > 0)
        cells.verify = inWords(verdictOf(unchanged.includes('program') ? faulty.evm : faulty.batch))

      expect(COLUMNS.filter(column => cells[column] === 'ok')).toEqual(ACCEPTED[fault] ?? [])
      for (const column of unchanged) expect(all[column], column).toMatch(/^(ok|–)$/)
      const errors = Object.values(consumers).filter(result => result !== '–')
      const isUnchanged = (result: string) => result === 'ok'
      if (HARMLESS.includes(fault)) expect(errors.every(isUnchanged)).toBe(true)
      else if (unchanged.length === 0) expect(errors.some(isUnchanged), errors.join()).toBe(false)
      else expect(errors.filter(result => !isUnchanged(result))).toHaveLength(1)

      // The good twin, by the same verifiers and consumers.
      expect(await verifyEverywhere(good)).toEqual(Object.fromEntries(COLUMNS.map(column => [column, 'ok'])))
      expect(await consume(good.batch)).toBe('ok')
      expect(await ethereum.consume(good.price!)).toBe('ok')
      if (Object.values(cells).includes('ok')) expect(CHECKS).toHaveProperty([fault])
      rows.push({ fault, cells, consumers })
    })
  })

  const addMistake = (mistake: Mistake) => mistakes.push(mistake)

  it('behavior: an unset signer accepts a signature of zeros', async () => {
    const { price } = askFor('signature/all-zero')
    expect(await ethereum.bare(price!, UNSET)).toBe('ok')
    expect(await ethereum.openZeppelin(price!, UNSET)).toBe('ECDSAInvalidSignature')
    expect(await ethereum.bare(good.price!, UNSET)).toBe('WrongSigner')
    const consume = await solana.createConsumer(UNSET, FEED)
    expect(await consume(good.batch)).toBe('Custom(6) SignerUnset')
    addMistake({
      mistake: 'the trusted signer is the zero address, because it was never set',
      result: 'bare `ecrecover` accepts `signature/all-zero`; OpenZeppelin reverts with `ECDSAInvalidSignature`',
      check: 'refuse to start without a signer (`SignerUnset`)',
    })
  })

  it('behavior: v += 27 accepts both forms of a signature', async () => {
    const { price } = askFor('signature/evm-v-parity')
    expect(await ethereum.adjusted(price!, SIGNER)).toBe('ok')
    expect(await ethereum.adjusted(good.price!, SIGNER)).toBe('ok')
    expect(await ethereum.bare(price!, SIGNER)).toBe('WrongSigner')
    expect(await ethereum.openZeppelin(price!, SIGNER)).toBe('ECDSAInvalidSignature')
    addMistake({
      mistake: '`if (v < 27) v += 27` before `ecrecover`',
      result: '`signature/evm-v-parity` is accepted, so that one signature has two forms',
      check: 'v is 27 or 28; identify a price by feed and `ts`, never by its signature',
    })
  })

  it('behavior: the precompile accepts any signer whose address is in the instruction', async () => {
    const { batch } = askFor('signature/wrong-signer')
    expect(await solana.precompile(batch, OTHER)).toBe('ok')
    expect(await solana.precompile(batch, SIGNER)).not.toBe('ok')
    expect(await solana.precompile(good.batch, SIGNER)).toBe('ok')
    addMistake({
      mistake: 'the *recovered* address is put into the instruction of the precompile',
      result: 'the precompile accepts `signature/wrong-signer`, and every other signature',
      check: 'your program reads the instruction and compares its address, and its message, with the trusted ones',
    })
  })

  it('behavior: a price that JSON.parse has rounded has no signer', async () => {
    const exact = askFor('tick/unsafe-integer')
    const rounded = <T extends Tick>(one: T): T => ({ ...one, price: BigInt(Number(one.price)) })
    const price = rounded(exact.price!)
    expect(price.price).not.toBe(exact.price!.price)
    const batch = { ...exact.batch, prices: exact.batch.prices.map(rounded) }
    expect(await ethereum.bare(price, SIGNER)).toBe('WrongSigner')
    expect(await ethereum.openZeppelin(price, SIGNER)).toBe('WrongSigner')
    expect(await solana.program(batch, SIGNER)).toBe('Custom(2) WrongSigner')
    expect(await solana.precompile(batch, SIGNER)).not.toBe('ok')
    expect(await solana.program(exact.batch, SIGNER)).toBe('ok')
    addMistake({
      mistake: '`JSON.parse` reads a price above 2^53',
      result: 'every verifier rejects the rounded price as `WrongSigner`',
      check: 'read integers exactly',
    })
  })

  it('behavior: a decoder that strips 0x sends the bytes of the good twin', async () => {
    const { batch, price } = askFor('signature/0x-prefix')
    const strip = <T extends { readonly signature: string }>(signed: T): T => ({
      ...signed,
      signature: signed.signature.replace(/^0x/, ''),
    })
    expect(strip(batch)).toEqual(good.batch)
    expect(await solana.precompile(strip(batch), SIGNER)).toBe('ok')
    expect(await ethereum.openZeppelin(strip(price!), SIGNER)).toBe('ok')
    addMistake({
      mistake: 'the decoder strips `0x` without a word',
      result: 'every verifier accepts `signature/0x-prefix`: the bytes are those of the calm price',
      check: 'none on the chain; decide where the text is decoded',
    })
  })

  it('behavior: a chain at its default time finds every price in the future', async () => {
    const fresh = await startSolana(0)
    const consume = await fresh.createConsumer(SIGNER, FEED)
    expect(await consume(good.batch)).toBe('Custom(11) Future')
    expect(await (await solana.createConsumer(SIGNER, FEED))(good.batch)).toBe('ok')
    addMistake({
      mistake: 'the chain is left at its default time (litesvm 0, forge 1)',
      result: 'a consumer with a check of the future rejects calm prices: `Future`',
      check: '`syncClock`, or `vm.warp`',
    })
  })

  it('behavior: a batch of 19 fits into a packet, one of 20 does not', async () => {
    const { serve, mock } = createCalls()
    const ids = mock.sessions.default.runtime.market.feeds.map(({ id }) => id)
    const batchOf = (count: number) =>
      parseExact(serve(`/prices/batch?feedIds=${ids.slice(0, count).join(',')}`).body) as Batch
    const data = toInstructionData(batchOf(19), { signer: SIGNER })
    expect(await solana.precompile(batchOf(19), SIGNER)).toBe('ok')
    expect(await solana.packetBytes(data)).toBeLessThanOrEqual(PACKET_BYTES)
    expect(() => toInstructionData(batchOf(20), { signer: SIGNER })).toThrow(
      expect.objectContaining({ code: 'INSTRUCTION_TOO_LARGE' }),
    )
    const larger = toInstructionData(batchOf(20), { signer: SIGNER, maxBytes: 2000 })
    expect(await solana.packetBytes(larger)).toBeGreaterThan(PACKET_BYTES)
    // Exactly as many as fit: one byte more does not.
    const full = new Uint8Array(MAX_INSTRUCTION_BYTES)
    expect(await solana.packetBytes(full)).toBe(PACKET_BYTES)
  })

  it('behavior: docs/onchain.md shows these results', async () => {
    expect(rows).toHaveLength(SIGNATURE_FAULTS.length + TICK_FAULTS.length)
    expect(mistakes).toHaveLength(6)
    await expect(writePage(rows, mistakes)).toMatchFileSnapshot('../../docs/onchain.md')
  })
})
