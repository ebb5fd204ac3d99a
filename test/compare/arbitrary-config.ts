// Random configurations of a mock, for the service that `compare` meets in tests.
import fc from 'fast-check'
import type { FeedsFile } from '../../src/index.js'
import type { Layout } from '../../src/settings/layouts.js'
import { FEED_CLASSES, MAX_MINUTES } from '../../src/settings/policy.js'
import type { SettingsInput } from '../../src/settings/settings.js'

/** A configuration as a file has it. */
export type ServiceConfig = SettingsInput & { readonly feeds?: FeedsFile | undefined }

const NUMBER_BITS = {
  price: [48, 56, 64, 96, 128, 160, 192, 256],
  expo: [8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 160, 192, 256],
  ts: [32, 40, 48, 56, 64, 96, 128, 160, 192, 256],
}

/** The vocabulary from which layouts are drawn. */
export interface Vocabulary {
  readonly idBytes: readonly number[]
  /** Whether the numbers of one layout can have different byte orders. */
  readonly mixesOrders: boolean
  readonly bits: Readonly<Record<'price' | 'expo' | 'ts', readonly number[]>>
}

/** Each field once in any order, all widths of numbers, one byte order for them, the widths of ids that other programs have. */
export const VOCABULARY: Vocabulary = { idBytes: [16, 20, 24, 32, 64], mixesOrders: false, bits: NUMBER_BITS }
/** The same ids, usual widths of numbers, and byte orders that are mixed. */
export const MIXED_VOCABULARY: Vocabulary = {
  ...VOCABULARY,
  mixesOrders: true,
  bits: { price: [64, 128, 192, 256], expo: [8, 16, 32, 64, 128, 192, 256], ts: [32, 64, 128, 192, 256] },
}
/** Each width of an id that the schema accepts, and plain widths of numbers in one byte order. */
export const ANY_ID_VOCABULARY: Vocabulary = {
  idBytes: Array.from({ length: 90 }, (_, i) => i + 10),
  mixesOrders: false,
  bits: { price: [64, 128, 192, 256], expo: [8, 32], ts: [32, 64] },
}
/** All of it at once. */
export const WHOLE_VOCABULARY: Vocabulary = { ...VOCABULARY, idBytes: ANY_ID_VOCABULARY.idBytes, mixesOrders: true }
/** Widths that are usual, so that a search takes less than a second. */
export const USUAL: Vocabulary = {
  idBytes: [32],
  mixesOrders: false,
  bits: { price: [64, 192], expo: [8, 32], ts: [32, 64] },
}

/** A random layout. */
export const arbitraryLayout = (
  { idBytes, mixesOrders, bits }: Vocabulary,
  form: 'svm' | 'evm' = 'svm',
): fc.Arbitrary<Layout> =>
  fc
    .record({
      order: fc.shuffledSubarray(['feedId', 'price', 'expo', 'ts'] as const, { minLength: 4, maxLength: 4 }),
      id: fc.constantFrom(...idBytes),
      side: fc.constantFrom('left', 'right'),
      price: fc.constantFrom(...bits.price),
      expo: fc.constantFrom(...bits.expo),
      ts: fc.constantFrom(...bits.ts),
      orders: fc.tuple(fc.constantFrom('le', 'be'), fc.constantFrom('le', 'be'), fc.constantFrom('le', 'be')),
      signs: fc.constantFrom('u', 'i'),
      digest: fc.constantFrom('keccak256' as const, 'sha256' as const),
      prefix: fc.constantFrom('none', 'eip191'),
      signature:
        form === 'evm'
          ? fc.constantFrom('rsv' as const, 'rsy' as const)
          : fc.constantFrom('rs' as const, 'rsv' as const, 'rsy' as const),
      hexPrefix: fc.constantFrom('' as const, '0x' as const),
    })
    .map(({ order, id, side, orders, signs, digest, prefix, signature, hexPrefix, ...widths }) => {
      const numbers = ['price', 'expo', 'ts'] as const
      return {
        fields: order.map(field => {
          if (field === 'feedId') return `feedId:ascii${id}-${side}`
          const width = widths[field]
          const byteOrder = width === 8 ? '' : orders[mixesOrders ? numbers.indexOf(field) : 0]
          return `${field}:${field === 'expo' ? 'i' : field === 'ts' ? 'u' : signs}${width}${byteOrder}`
        }),
        digest,
        prefix,
        signature,
        hexPrefix,
      }
    })

const FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD']

/** A random configuration, with every option that `compare` can find. */
export const arbitraryConfig: fc.Arbitrary<ServiceConfig> = fc
  .record({
    signer: fc.integer({ min: 0, max: 9 }),
    policy: fc.record(
      {
        missingParameter: fc.integer({ min: 400, max: 499 }).filter(status => ![401, 403, 429].includes(status)),
        unknownFeed: fc.constantFrom('reject' as const, 'omit' as const),
        maxMinutes: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: MAX_MINUTES })),
        maxFeedIds: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 10_000 })),
        evmClasses: fc.oneof(fc.constant('all' as const), fc.subarray([...FEED_CLASSES])),
        batchFeedId: fc.constantFrom('symbol' as const, 'integer' as const),
        candles: fc.integer({ min: 1, max: 2000 }),
        wwwAuthenticate: fc.constantFrom('', 'ApiKey realm="prices"', 'Bearer'),
      },
      { requiredKeys: [] },
    ),
    signing: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      fc
        .record({ a: arbitraryLayout(USUAL), b: arbitraryLayout(USUAL, 'evm') })
        .map(layouts => ({ svm: 'a', evm: 'b', layouts })),
    ),
    feeds: fc
      .subarray(FEEDS)
      .chain(ids =>
        fc.tuple(
          ...ids.map((id, i) =>
            fc
              .record(
                {
                  id: fc.constant(id),
                  expo: fc.integer({ min: -9, max: -5 }),
                  heartbeat: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 256, 4096),
                  lag: fc.integer({ min: 0, max: 6 }),
                  number: fc.integer({ min: 10_000 * (i + 1), max: 10_000 * (i + 1) + 9999 }),
                },
                { requiredKeys: ['id'] },
              )
              // The lag of a slow feed shows only at the moment of its next tick.
              .map(({ lag, ...feed }) => ((feed.heartbeat ?? 1) > 32 ? feed : { ...feed, lag })),
          ),
        ),
      )
      .map(feeds => ({ feeds })),
  })
  // A heartbeat shows in histories that are three times as long.
  .filter(({ policy, feeds }) =>
    feeds.feeds.every(({ heartbeat = 1 }) => heartbeat <= 32 || (policy.maxMinutes ?? 525_600) * 20 >= heartbeat),
  )
