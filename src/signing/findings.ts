// The reasons for which a price of a response is rejected.

/** The reasons for which no trusted key can have signed the price that is shown. */
export const SIGNATURE_REASONS = [
  '0x-prefix',
  'wrong-length',
  'zero',
  'high-s',
  'wrong-recovery-id',
  'wrong-v',
  'unrecoverable',
  'wrong-signer',
] as const

/** Every reason. Stable across versions; a later version can add some. */
export const REASONS = [
  // The body.
  'malformed',
  'missing-feed',
  'wrong-feed',
  ...SIGNATURE_REASONS,
  // The price.
  'out-of-range',
  'zero-price',
  'negative-price',
  'wrong-expo',
  'stale',
  'future',
] as const
/** A reason for which a price is rejected. */
export type Reason = (typeof REASONS)[number]

/** One reason, with the place and the value that caused it. */
export interface Finding {
  readonly reason: Reason
  /** The path in the body: `prices[0].signature`, `BTCUSD.high.ts`. */
  readonly at: string
  /** The value there, in a few words. */
  readonly got: string
  /** The expected value. */
  readonly want: string
}
