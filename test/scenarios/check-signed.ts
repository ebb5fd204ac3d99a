// Checks of the tick and signature scenarios, by effects that a consumer notices.
import { checkResponse, testSigners } from '../../src/signing/verify.js'
import type { Batch, Evm, Price } from '../support/ask.js'
import {
  age,
  batch,
  type Consumer,
  evm,
  isFresh,
  isRefused,
  latest,
  promise,
  read,
  readSigned,
  SIGNED,
  signersOf,
  TRUSTED,
  target,
  value,
} from './consumer.js'

/** A batch lacks its last feed, so prices cannot be matched by position. */
export async function batchPartial(consumer: Consumer): Promise<void> {
  const asked = ['BTCUSD', 'ETHUSD', 'SOLUSD']
  const inBatch = (await batch(consumer, ...asked)).map(({ feedId }) => feedId)
  promise(String(inBatch) === 'BTCUSD,ETHUSD', `a batch without SOL, not ${inBatch}`)
  const inEvm = (await evm(consumer, ...asked)).map(({ feedId }) => feedId)
  promise(String(inEvm) === 'BTCUSD,ETHUSD', `evm without SOL, not ${inEvm}`)
  promise((await batch(consumer, 'SOLUSD')).length === 1, 'SOL is there when asked for alone')
  promise(isFresh(await age(consumer, 'SOLUSD')), 'latest has it')
}

/** BTC has a future ts, ETH an old one. */
export async function clockSkew(consumer: Consumer): Promise<void> {
  const btc = await age(consumer, 'BTCUSD')
  const eth = await age(consumer, 'ETHUSD')
  promise(btc < -20 && btc >= -30, `a BTC from the future, not ${btc} s old`)
  promise(eth >= 90 && eth <= 97, `an ETH of a minute and a half, not ${eth} s`)
  promise(isFresh(await age(consumer, 'SOLUSD')), 'a fresh SOL')
  // The price is current: only its ts is wrong.
  const before = await value(consumer, 'ETHUSD')
  consumer.advance(5)
  promise((await value(consumer, 'ETHUSD')) !== before, 'ETH moves')
}

/** Every third answer is half a minute behind: a newer price is overwritten with an older one. */
export async function laggingReplica(consumer: Consumer): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < 12; i++) {
    times.push((await latest(consumer, 'BTCUSD')).ts)
    consumer.advance(1)
  }
  const behind = times.flatMap((ts, i) => (times.slice(0, i).some(earlier => earlier > ts + 20) ? [i] : []))
  promise(behind.length >= 3, `every third answer is behind, not ${behind.length} of 12`)
  promise(
    behind.every((place, i) => i === 0 || place === behind[i - 1]! + 3),
    'every third',
  )
}

/** Zero, negative, too large for a double, another exponent: all validly signed. */
export async function oddNumbers(consumer: Consumer): Promise<void> {
  const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']
  const check = (prices: readonly Pick<Price, 'price' | 'expo'>[], where: string) => {
    const [btc, eth, sol, usdc] = prices.map(({ price, expo }) => ({ price: price as number | bigint, expo }))
    promise(btc!.price === 0, `${where}: BTC is zero`)
    promise(eth!.price < 0, `${where}: ETH is negative`)
    promise(
      typeof sol!.price === 'bigint' && BigInt(Number(sol!.price)) !== sol!.price,
      `${where}: no double holds SOL`,
    )
    promise(usdc!.expo !== -8 && eth!.expo === -8, `${where}: USDC has another exponent`)
  }
  check(await batch(consumer, ...feeds), 'batch')
  check(await evm(consumer, ...feeds), 'evm')
  check(await Promise.all(feeds.map(feed => latest(consumer, feed))), 'latest')
  const naive = JSON.parse((await consumer.ask(target.latest('SOLUSD'))).body) as Price
  promise(Number.isInteger(naive.price), 'JSON.parse rounds in silence')
  promise(isFresh(await age(consumer, 'XRPUSD')), 'others are sound')
}

/** Another key signs everything. */
export async function wrongSigner(consumer: Consumer): Promise<void> {
  const known = testSigners().map(({ address }) => address)
  for (const asked of SIGNED) {
    promise(await isRefused(consumer, asked), `${asked} is refused by a consumer that compares signers`)
    for (const signer of await signersOf(consumer, asked))
      promise(signer !== TRUSTED && known.includes(signer), `${asked} is validly signed by another key`)
  }
}

type Signed = Batch & Price
/** The defect of each ten seconds: targets to refuse, and a check that this defect is the cause. */
const MATRIX: readonly (readonly [
  name: string,
  refused: readonly string[],
  known?: (consumer: Consumer) => Promise<boolean>,
])[] = [
  ['wrong-signer', SIGNED, async consumer => isKnown((await signersOf(consumer, SIGNED[0]!))[0]!)],
  ['tampered-price', SIGNED, async consumer => !isKnown((await signersOf(consumer, SIGNED[0]!))[0]!)],
  ['tampered-ts', SIGNED, async consumer => isFresh(consumer.now() - (await read<Price>(consumer, SIGNED[0]!)).ts)],
  ['bit-flip', SIGNED],
  ['wrong-recovery-id', SIGNED],
  ['high-s', SIGNED, async consumer => /^[89a-f]/.test((await read<Price>(consumer, SIGNED[0]!)).signature.slice(64))],
  ['all-zero', SIGNED, async consumer => /^0{128}$/.test((await read<Price>(consumer, SIGNED[0]!)).signature)],
  ['truncated', SIGNED, async consumer => (await read<Price>(consumer, SIGNED[0]!)).signature.length === 64],
  ['0x-prefix', SIGNED, async consumer => (await read<Price>(consumer, SIGNED[0]!)).signature.startsWith('0x')],
  [
    'evm-v-parity',
    [SIGNED[2]!],
    async consumer => /0[01]$/.test((await read<Evm>(consumer, SIGNED[2]!)).prices[0]!.signature),
  ],
  ['replay', SIGNED, async consumer => isFresh(consumer.now() - (await read<Price>(consumer, SIGNED[0]!)).ts)],
  [
    'batch-reordered',
    [SIGNED[1]!],
    async consumer => (await read<Signed>(consumer, SIGNED[1]!)).prices[0]!.feedId === 'ETHUSD',
  ],
  [
    'batch-swapped',
    [SIGNED[1]!],
    async consumer => {
      const [btc, eth] = (await read<Batch>(consumer, SIGNED[1]!)).prices
      return btc!.feedId === 'BTCUSD' && btc!.price < eth!.price
    },
  ],
  // Genuine signatures, which only the feed that was asked for reveals. A history names it itself.
  ['other-feed', [SIGNED[3]!], areOfOtherFeeds],
]

/** Whether a consumer that names its feeds rejects every body, for this reason alone. */
async function areOfOtherFeeds(consumer: Consumer): Promise<boolean> {
  const reasons = await Promise.all(
    SIGNED.map(async (asked, i) => {
      const feeds = i === 0 ? ['BTCUSD'] : ['BTCUSD', 'ETHUSD']
      const { prices } = checkResponse(await read(consumer, asked), { signers: [TRUSTED], feeds })
      return prices.flatMap(({ findings }) => findings.map(({ reason }) => reason))
    }),
  )
  return reasons.every(
    found => found.includes('missing-feed') && found.every(reason => /^(wrong|missing)-feed$/.test(reason)),
  )
}

const isKnown = (address: string): boolean => testSigners().some(signer => signer.address === address)

/** Every signature fault, ten seconds each: none gets through. */
export async function signatureMatrix(consumer: Consumer): Promise<void> {
  for (const [i, [name, refused, known]] of MATRIX.entries())
    for (const phase of [10 * i, 10 * i + 9]) {
      consumer.toPhase(phase, 10 * MATRIX.length)
      for (const asked of refused) promise(await isRefused(consumer, asked), `${name} is refused at ${asked}`)
      promise((await known?.(consumer)) ?? true, `${name} is the defect`)
      for (const asked of SIGNED.filter(one => !refused.includes(one))) await readSigned(consumer, asked)
    }
}
