// Bugs of the vault: each changes at most five lines of the correct contract, passes a calm market, and breaks one promise.

/** A promise of the vault. */
export type Promised = 'only genuine prices' | 'only fresh prices' | 'never back in time' | 'every good price'

/** A bug. */
export interface VaultBug {
  readonly name: string
  /** Where it happened, or `classic`. */
  readonly source: string
  /** The text that it changes, and the one that is there instead. */
  readonly line: string
  readonly instead: string
  readonly breaks: Promised
}

const SIGNER = 'require(recovered != address(0) && recovered == signer, "signer");'

export const VAULT_BUGS: readonly VaultBug[] = [
  {
    name: 'recovers, and does not compare',
    source: 'Wormhole, 2 February 2022: a verification whose result nobody compared',
    line: SIGNER,
    instead: 'require(recovered != address(0), "signer");',
    breaks: 'only genuine prices',
  },
  {
    name: 'trusts whatever follows the first price',
    source: 'Nomad, 1 August 2022: after its initialisation every message counted as proven',
    line: SIGNER,
    instead: 'require(recovered == signer || updatedAt != 0, "signer");',
    breaks: 'only genuine prices',
  },
  {
    name: 'takes the price of another feed',
    source: 'classic: prices by their position in a reply',
    line: 'require(feedId == feed, "feed");',
    instead: '',
    breaks: 'only genuine prices',
  },
  {
    name: 'ignores expo',
    source: 'Pyth, 20 September 2021: a publisher sent BTC with other decimals',
    line: 'require(expo == -8, "expo");',
    instead: '',
    breaks: 'only genuine prices',
  },
  {
    name: 'accepts negative prices',
    source: 'WTI crude, 20 April 2020: -37 USD',
    line: 'next > 0 &&',
    instead: 'next != 0 &&',
    breaks: 'only genuine prices',
  },
  {
    name: 'accepts zero',
    source: 'classic: the answer of a feed that has none',
    line: 'next > 0 &&',
    instead: 'next >= 0 &&',
    breaks: 'only genuine prices',
  },
  {
    name: 'accepts the future',
    source: 'classic: a price of tomorrow is fresh for a day',
    line: 'require(ts <= block.timestamp + MAX_FUTURE, "future");',
    instead: '',
    breaks: 'only fresh prices',
  },
  {
    name: 'checks the age once',
    source: 'Venus and Blizz, May 2022: LUNA at its last price after the feed was paused',
    line: ' && updatedAt + MAX_AGE >= block.timestamp',
    instead: '',
    breaks: 'only fresh prices',
  },
  {
    name: 'counts the age from the arrival',
    source: 'classic: block.timestamp in place of the time of the price',
    line: 'updatedAt = ts;',
    instead: 'updatedAt = block.timestamp - MAX_FUTURE;',
    breaks: 'only fresh prices',
  },
  {
    name: 'goes back in time',
    source: 'classic: anyone can bring an older price that is still fresh',
    line: 'require(ts >= updatedAt, "older");',
    instead: '',
    breaks: 'never back in time',
  },
  {
    name: 'one bad price stops it',
    source: 'SWC-113: others can make a contract fail',
    line: SIGNER,
    instead: 'if (recovered != signer) isStopped = true;\n        if (recovered != signer) return;',
    breaks: 'every good price',
  },
  {
    name: 'off by one at the limit',
    source: 'classic',
    line: 'updatedAt + MAX_AGE >= block.timestamp, "no price"',
    instead: 'updatedAt + MAX_AGE > block.timestamp, "no price"',
    breaks: 'every good price',
  },
  {
    name: 'time in 31 bits',
    source: 'the year 2038 problem',
    line: 'require(ts + MAX_AGE >= block.timestamp, "stale");',
    instead: 'require(int256(int32(ts)) + int256(MAX_AGE) >= int256(block.timestamp), "stale");',
    breaks: 'every good price',
  },
]
