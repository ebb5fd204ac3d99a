// Checks of the tick and signature scenarios, by effects that a consumer notices.
import { checkResponse, parseExact, testSigners } from '../../src/signing/verify.js'
import type { Batch, Evm, Price } from '../support/ask.js'
import {
  age,
  batch,
  type Consumer,
  chart,
  eachWindow,
  evm,
  history,
  isFresh,
  isRefused,
  isRefusedBody,
  latest,
  promise,
  read,
  readSigned,
  recoverAll,
  SIGNED,
  signersOf,
  TRUSTED,
  target,
  toNextLoop,
} from './consumer.js'

/** A batch and a history miss one feed for a minute: the last one, then BTC, ETH and SOL. Then they have one too many. */
export async function batchPartial(consumer: Consumer): Promise<void> {
  const asked = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'XRPUSD']
  const expectFeeds = async (feeds: readonly string[]) => {
    const want = String(feeds)
    for (const [where, ids] of [
      ['batch', (await batch(consumer, ...asked)).map(({ feedId }) => feedId)],
      ['evm', (await evm(consumer, ...asked)).map(({ feedId }) => feedId)],
      ['history', Object.keys(await history(consumer, 5, ...asked))],
    ] as const)
      promise(String(ids) === want, `${where}: ${want}, not ${ids}`)
    for (const feed of asked) promise(isFresh(await age(consumer, feed)), `latest has ${feed}`)
  }
  const less = ['XRPUSD', 'BTCUSD', 'ETHUSD', 'SOLUSD'].map(gone => asked.filter(feed => feed !== gone))
  for (const [i, feeds] of [...less, ['BNBUSD', ...asked]].entries())
    await eachWindow(consumer, 360, [
      [72 * i, 62, () => expectFeeds(feeds)],
      [72 * i + 62, 10, () => expectFeeds(asked)],
    ])
}

/** One feed after the other is from the future, then all are a little ahead, and behind. */
export async function clockSkew(consumer: Consumer): Promise<void> {
  const FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD', 'XRPUSD']
  const ages =
    (...want: readonly number[]) =>
    async () => {
      for (const [i, { ts }] of (await batch(consumer, ...FEEDS)).entries())
        promise(isFresh(consumer.now() - ts - want[i]!), `${FEEDS[i]} is ${consumer.now() - ts} s old, not ${want[i]}`)
    }
  const HOUR = -3600
  const inMilliseconds = async () => {
    for (const { ts } of await batch(consumer, ...FEEDS)) promise(isFresh(consumer.now() - ts / 1000), 'a ts of ms')
  }
  await eachWindow(consumer, 360, [
    [0, 40, ages(HOUR, 0, 0, 0, 0)],
    [40, 20, ages(0, 0, 0, 0, 0)],
    [60, 40, ages(0, HOUR, 0, 0, 0)],
    [120, 40, ages(0, 0, HOUR, HOUR, 0)],
    [180, 40, inMilliseconds],
    [240, 40, ages(-30, -30, -30, -30, -30)],
    [300, 40, ages(90, 90, 90, 90, 90)],
    [340, 20, ages(0, 0, 0, 0, 0)],
  ])
}

/** Some answers are behind, while prices move. */
function expectLag(consumer: Consumer, seconds: number): void {
  consumer.toPhase(65, 180)
  const answers: Price[] = []
  for (let i = 0; i < 15; i++) {
    // Not through `fetch`, which would wait for late answers.
    const outcome = consumer.outcome(target.latest('BTCUSD'))
    if (outcome.kind === 'reply' && outcome.status === 200) answers.push(parseExact(outcome.body) as Price)
    consumer.advance(1)
  }
  const behind = answers.filter(({ ts }, i) => answers.slice(0, i).some(earlier => earlier.ts > ts + seconds - 12))
  promise(behind.length >= 3, `some of 15 answers are behind, not ${behind.length}`)
  const newest = answers.findLast(one => !behind.includes(one))!
  promise(
    behind.every(({ price }) => price > 1.02 * newest.price),
    'an older price is another one',
  )
}

/** Every third answer is half a minute behind: a newer price is overwritten with an older one. */
export async function laggingReplica(consumer: Consumer): Promise<void> {
  expectLag(consumer, 30)
}

const KINDS: readonly (readonly [what: string, is: (price: number | bigint, expo: number) => boolean])[] = [
  ['zero', price => price === 0],
  ['negative', (price, expo) => price < 0 && expo === -8],
  ['too large for a double', price => typeof price === 'bigint' && BigInt(Number(price)) !== price],
  ['of another exponent', (price, expo) => price > 0 && expo !== -8],
]

/** Zero, negative, too large for a double, another exponent, each at each feed, then one feed alone: all validly signed. */
export async function oddNumbers(consumer: Consumer): Promise<void> {
  const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']
  const expectOdd = (round: number) => async () => {
    for (const [where, prices] of [
      ['batch', await batch(consumer, ...feeds)],
      ['evm', await evm(consumer, ...feeds)],
      ['latest', await Promise.all(feeds.map(feed => latest(consumer, feed)))],
    ] as const)
      for (const [i, { price, expo }] of prices.entries()) {
        const [what, is] = KINDS[(i + 4 - round) % 4]!
        promise(is(price as number | bigint, expo), `${where}: ${feeds[i]} is ${what}, not ${price}`)
      }
    promise(isFresh(await age(consumer, 'XRPUSD')), 'others are sound')
  }
  const expectSound =
    (from = 0) =>
    async () => {
      for (const { price, expo } of (await batch(consumer, ...feeds)).slice(from))
        promise(price > 0 && Number.isSafeInteger(price) && expo === -8, 'sound prices')
    }
  const expectZero = async () => {
    promise((await latest(consumer, 'BTCUSD')).price === 0, 'BTC is zero')
    await expectSound(1)()
  }
  const expectBeyond = async () => {
    const { price } = await read<Price>(consumer, target.latest('ETHUSD'))
    promise(BigInt(price) === 2n ** 63n, `ETH is beyond 63 bits, not ${price}`)
    promise((await latest(consumer, 'BTCUSD')).price > 0, 'others are sound')
  }
  for (let round = 0; round < 4; round++)
    await eachWindow(consumer, 360, [
      [65 * round, 40, expectOdd(round)],
      [65 * round + 40, 25, expectSound()],
    ])
  await eachWindow(consumer, 360, [
    [260, 40, expectZero],
    [300, 10, expectSound()],
    [310, 40, expectBeyond],
    [350, 10, expectSound()],
  ])
}

/** Another key signs everything, every other minute. */
export async function wrongSigner(consumer: Consumer): Promise<void> {
  const expectOther = async () => {
    for (const asked of SIGNED) {
      promise(await isRefused(consumer, asked), `${asked} is refused by a consumer that compares signers`)
      for (const signer of await signersOf(consumer, asked))
        promise(signer !== TRUSTED && isKnown(signer), `${asked} is validly signed by another key`)
    }
  }
  const expectTrusted = async () => {
    for (const asked of SIGNED) await readSigned(consumer, asked)
  }
  await eachWindow(consumer, 120, [
    [0, 60, expectOther],
    [60, 60, expectTrusted],
  ])
}

type Signed = Batch & Price
const [LATEST, BATCH, EVM, HISTORY] = ['latest', 'batch', 'evm', 'history'] as const
const ALL = [LATEST, BATCH, EVM, HISTORY] as const
type Name = (typeof ALL)[number]
/** The defects in their order: the endpoints at which a reply is refused, and whether a reply of the first of these shows this defect. */
const MATRIX: readonly (readonly [
  name: string,
  refused: readonly Name[],
  shows?: (body: Signed, consumer: Consumer) => boolean,
])[] = [
  ['wrong-signer', ALL, body => isKnown(recoverAll(body)[0]!.address)],
  ['tampered-price', ALL, body => !isKnown(recoverAll(body)[0]!.address)],
  // Genuine signatures, which only the feed that was asked for reveals. A history names it itself.
  ['other-feed', [HISTORY], isOfOtherFeeds],
  ['tampered-ts', ALL, (body, consumer) => isFresh(consumer.now() - body.ts)],
  ['tampered-ts, a little younger', ALL],
  ['bit-flip', ALL],
  ['wrong-recovery-id', ALL],
  ['high-s', ALL, body => /^[89a-f]/.test(body.signature.slice(64))],
  ['all-zero', ALL, body => /^0{128}$/.test(body.signature)],
  ['truncated', ALL, body => body.signature.length === 64],
  ['0x-prefix', ALL, body => body.signature.startsWith('0x')],
  ['evm-v-parity', [EVM], body => /0[01]$/.test((body as unknown as Evm).prices[0]!.signature)],
  ['replay', ALL, (body, consumer) => isFresh(consumer.now() - body.ts)],
  ['batch-reordered', [BATCH], ({ prices }) => prices[0]!.feedId === 'ETHUSD'],
  ['batch-swapped', [BATCH], ({ prices: [btc, eth] }) => btc!.feedId === 'BTCUSD' && btc!.price < eth!.price],
  ['batch-duplicate', [], ({ prices }) => prices.length === 3 && prices[1]!.ts < prices[0]!.ts],
]

/** Whether a history is rejected because it holds other feeds than those that were asked for. */
function isOfOtherFeeds(body: Signed): boolean {
  const { prices } = checkResponse(body, { signers: [TRUSTED], feeds: ['BTCUSD', 'ETHUSD'] })
  const found = prices.flatMap(({ findings }) => findings.map(({ reason }) => reason))
  return found.includes('missing-feed') && found.every(reason => /^(wrong|missing)-feed$/.test(reason))
}

const isKnown = (address: string): boolean => testSigners().some(signer => signer.address === address)

/** Every second reply has a signature fault, each another one, while prices move: none gets through. */
export async function signatureMatrix(consumer: Consumer): Promise<void> {
  toNextLoop(consumer, 420)
  // The price of another feed lasts for three replies, so that it can confirm itself.
  const places = MATRIX.flatMap(one => [one, ...(one[0] === 'other-feed' ? [one, one] : []), undefined])
  for (const [i, endpoint] of ALL.entries())
    for (const [n, place] of places.entries()) {
      // Replayed prices are old ones where time passes.
      consumer.advance(1)
      const [name, refused, shows] = place ?? ['none', []]
      const isDue = refused.includes(endpoint)
      const body = await read<Signed>(consumer, SIGNED[i]!)
      promise(isRefusedBody(body) === isDue, `${name} is ${isDue ? '' : 'not '}at ${endpoint}, request ${n + 1}`)
      if (place !== undefined && endpoint === (refused[0] ?? BATCH))
        promise(shows?.(body, consumer) ?? true, `${name} is the defect`)
    }
  const candles = (await chart(consumer, 'ETHUSD')).slice(-4)
  const [low, high] = [candles.map(one => one.low!), candles.map(one => one.high!)]
  promise(Math.min(...low) < 0.8 * Math.max(...high), 'prices fall and rise')
}

/** The same with a replica that is late and fails as well. */
export async function degradedReplica(consumer: Consumer): Promise<void> {
  expectLag(consumer, 60)
  const outcomes = Array.from({ length: 42 }, () => consumer.outcome(SIGNED[2]!))
  const late = outcomes.filter(({ delayMs }) => delayMs >= 2500 && delayMs <= 4500)
  promise(late.length === 14, `one of three is late, not ${late.length} of 42`)
  const refused = outcomes.filter(outcome => 'status' in outcome && outcome.status === 503)
  promise(refused.length === 6, `one of seven is a 503, not ${refused.length} of 42`)
}

/** A history that is wrong in another way each minute, beside sound prices. */
export async function oddHistory(consumer: Consumer): Promise<void> {
  const isRangeOf =
    (is: (high: Price, low: Price) => boolean, isSigned = true) =>
    async () => {
      const body = await read<Record<string, { high: Price; low: Price }>>(consumer, SIGNED[3]!)
      promise(isRefusedBody(body) !== isSigned, `a history that is ${isSigned ? '' : 'not '}signed`)
      for (const { high, low } of Object.values(body)) promise(is(high, low), `${high.price} and ${low.price}`)
      for (const asked of SIGNED.slice(0, 3)) await readSigned(consumer, asked)
    }
  await eachWindow(consumer, 360, [
    [0, 60, isRangeOf((high, low) => high.price < low.price)],
    [60, 60, isRangeOf(high => high.expo === -8, false)],
    [120, 60, isRangeOf((high, low) => high.price === 0 && low.price === 0)],
    [180, 60, isRangeOf((_, low) => low.price < 0)],
    [240, 60, isRangeOf(high => high.expo !== -8)],
    [
      300,
      60,
      async () => {
        const body = await read<Record<string, { high: Price }>>(consumer, SIGNED[3]!)
        promise(
          Object.entries(body).every(([feed, { high }]) => high.feedId !== feed),
          'prices of other feeds',
        )
      },
    ],
  ])
}
