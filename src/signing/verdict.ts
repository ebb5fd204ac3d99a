// The verdict on a response: every price with every reason to reject it, and the checks that were not made.
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import { LAYOUTS, type Layout, layoutSchema } from '../settings/layouts.js'
import { integer, number, parseOrThrow } from '../settings/schema.js'
import { createInspect, type RecoveredKey } from './recover.js'
import {
  type Finding,
  inWords,
  join,
  labelOf,
  type ReadPrice,
  type Reason,
  readResponse,
  SIGNATURE_REASONS,
  type SignedBlock,
  type SignedResponse,
  type SymbolOf,
  signatureFindings,
  WANT_RESPONSE,
} from './signed-response.js'
import { describeSigner, parseSigners } from './signers.js'

/** The layouts in which the prices of a response were signed. */
export interface RecoverOptions {
  /**
   * The layout of batch, history and latest.
   * @default LAYOUTS.svm
   */
  readonly svm?: Layout | undefined
  /**
   * The layout of evm.
   * @default LAYOUTS.evm
   */
  readonly evm?: Layout | undefined
  /** Returns the symbol of a feed's number, for a batch with integer ids: the signed bytes contain the symbol. */
  readonly symbolOf?: SymbolOf | undefined
}

/** The checks of a response. */
export interface VerifyOptions extends RecoverOptions {
  /** The only signers to accept: addresses or public keys in hex. */
  readonly signers: readonly string[]
  /**
   * The largest age of a price in seconds; older ones are `stale`. The prices of a history are as old as its window. Needs `now`.
   * @default none: the age is not checked
   */
  readonly maxAge?: number | undefined
  /**
   * The number of seconds by which a price may be ahead of `now`; later ones are `future`. Needs `now`.
   * @default none: not checked
   */
  readonly maxFuture?: number | undefined
  /**
   * The time in seconds since the epoch. The clock of a mock can be virtual: its replies have it in the header `Date`.
   * @default none
   */
  readonly now?: number | undefined
  /**
   * The exponent of every price.
   * @default none: not checked
   */
  readonly expo?: number | undefined
  /**
   * The requested feeds: each must be in the response, and no other.
   * @default none: not checked
   */
  readonly feeds?: readonly string[] | undefined
  /**
   * Accepts the second signature of the same bytes, as Solana's precompile and a bare `ecrecover` do.
   * @default false
   */
  readonly allowHighS?: boolean | undefined
  /**
   * Accepts prices of 0 and below.
   * @default false
   */
  readonly allowNotPositive?: boolean | undefined
}

/** The verdict on one price. */
export interface PriceVerdict extends ReadPrice {
  /** Whether no check has rejected it. */
  readonly ok: boolean
  /** The first of `findings` that a consumer should branch on; undefined for a good price. */
  readonly reason: Reason | undefined
  /** The key that made the signature, trusted or not; undefined when none can be recovered. */
  readonly signer: RecoveredKey | undefined
}

/** A check that was not made, and the reason. */
export interface NotChecked {
  readonly check: 'age' | 'future' | 'expo' | 'feeds' | 'high-s' | 'positive' | 'order' | 'value'
  readonly because: string
}

/** The verdict on a response. */
export interface Verdict {
  /** Whether there is a price, and every price is good. */
  readonly ok: boolean
  /** Undefined when the body is no signed response. */
  readonly endpoint: SignedResponse['endpoint'] | undefined
  /** In the order of the body, then the missing feeds. */
  readonly prices: readonly PriceVerdict[]
  readonly notChecked: readonly NotChecked[]
}

/** Thrown by `verify`, with the whole verdict. */
export class PricesRejectedError extends PriceFeedMockError {
  readonly verdict: Verdict

  constructor(code: 'RESPONSE_UNRECOGNISED' | 'SIGNATURE_MISMATCH' | 'PRICE_REJECTED', text: string, verdict: Verdict) {
    // A signature of several prices has one finding for all of them.
    const findings = [...new Set(verdict.prices.flatMap(({ findings }) => findings))]
    const shown = findings.slice(0, MAX_FINDINGS_SHOWN)
    super(code, text, {
      details: shown.flatMap(({ reason, at, got, want }) =>
        Object.entries({ reason: at === '' ? reason : `${reason} at ${at}`, got, want }),
      ),
      more: findings.length > shown.length ? `${findings.length - shown.length} further reasons` : undefined,
    })
    this.verdict = verdict
  }
}

const MAX_FINDINGS_SHOWN = 20

const limit = z.optional(number(0, Number.MAX_SAFE_INTEGER, 'seconds, 0 or more'))
const WANT_NOW = 'seconds since the epoch, which maxAge and maxFuture need'

/** Checks only that `signers` is a list; `parseSigners` checks its items. */
const optionsSchema = z
  // Strict: a misspelt check would silently not be made.
  .strictObject({
    svm: z.optional(z.unknown()),
    evm: z.optional(z.unknown()),
    symbolOf: z.optional(z.unknown()),
    signers: z.array(z.unknown(), { error: 'a list of addresses or public keys in hex' }),
    // Milliseconds since the epoch are above: with them, no price would be ahead of it.
    now: z.optional(number(0, 1e11, WANT_NOW)),
    maxAge: limit,
    maxFuture: limit,
    expo: z.optional(integer(-128, 127)),
    feeds: z.optional(z.array(z.string({ error: 'the id of a feed' }), { error: 'a list of feed ids' })),
    allowHighS: z.optional(z.boolean({ error: 'true or false' })),
    allowNotPositive: z.optional(z.boolean({ error: 'true or false' })),
  })
  .check(
    z.refine(({ maxAge, maxFuture, now }) => now !== undefined || (maxAge ?? maxFuture) === undefined, {
      error: WANT_NOW,
      path: ['now'],
    }),
  )

const layoutsSchema = z.object({ svm: layoutSchema, evm: layoutSchema })

type Inspect = ReturnType<typeof createInspect>

/** Checks the choice of layouts, and creates the inspection of signatures of each form. */
export function createInspects(
  { svm = LAYOUTS.svm, evm = LAYOUTS.evm }: RecoverOptions,
  allowHighS?: boolean,
): Record<SignedBlock['form'], Inspect> {
  parseOrThrow(layoutsSchema, { svm, evm }, 'OPTIONS_INVALID', 'The choice of layouts')
  return { svm: createInspect(svm, allowHighS), evm: createInspect(evm, allowHighS) }
}

/**
 * Checks every price of a response, and returns a verdict on each. It never throws because of the body.
 * @param body the parsed body; integers above 2^53 as bigints, see `parseExact`
 * @throws PriceFeedMockError OPTIONS_INVALID for invalid options
 * @example
 * const { ok, prices } = checkResponse(parseExact(await response.text()), { signers, feeds: ['BTCUSD'], maxAge: 60, now })
 */
export function checkResponse(body: unknown, options: VerifyOptions): Verdict {
  parseOrThrow(optionsSchema, options, 'OPTIONS_INVALID', 'The call of verify')
  const signers = parseSigners(options.signers)
  const inspect = createInspects(options, options.allowHighS)
  const response = readResponse(body, options.symbolOf)
  const found = (response?.blocks ?? []).flatMap(block => {
    const signature = inspectBlock(block, inspect[block.form])
    const trusted = [...signature.findings, ...findWrongSigner(block, signature.key, signers)]
    return block.prices.map(price =>
      toVerdict(price, [...price.findings, ...trusted, ...checkTick(price, options)], signature.key),
    )
  })
  const prices = [...found, ...findMissing(found, options.feeds)]
  return {
    ok: response !== undefined && prices.every(({ ok }) => ok),
    endpoint: response?.endpoint,
    prices,
    notChecked: listNotChecked(options),
  }
}

/**
 * Throws one error with all reasons of a verdict.
 * @param body for the message
 * @throws PricesRejectedError
 */
export function assertVerdict(body: unknown, verdict: Verdict): void {
  if (verdict.ok) return
  const { endpoint, prices } = verdict
  if (endpoint === undefined)
    throw new PricesRejectedError(
      'RESPONSE_UNRECOGNISED',
      `The body is none of the signed responses: got ${inWords(body)}, expected ${WANT_RESPONSE}.`,
      verdict,
    )
  const bad = prices.filter(({ ok }) => !ok)
  const reasons = [...new Set(bad.flatMap(({ findings }) => findings.map(({ reason }) => reason)))]
  const code = reasons.includes('malformed')
    ? 'RESPONSE_UNRECOGNISED'
    : reasons.some(reason => (SIGNATURE_REASONS as readonly Reason[]).includes(reason))
      ? 'SIGNATURE_MISMATCH'
      : 'PRICE_REJECTED'
  const subject =
    prices.length === 1
      ? `The price of ${prices[0]!.feedId ?? 'an unknown feed'} is`
      : `${bad.length} of ${prices.length} prices are`
  throw new PricesRejectedError(code, `${subject} rejected: ${reasons.join(', ')}.`, verdict)
}

/** The key of a signature, if every price that it covers can be read. */
function inspectBlock(block: SignedBlock, inspect: Inspect): ReturnType<Inspect> {
  const { at, recoveryId, signature } = block
  if (typeof signature !== 'string') return { key: undefined, findings: signatureFindings(block) }
  const ticks = block.prices.flatMap(({ tick }) => tick ?? [])
  const paths = block.prices.flatMap(price => (price.tick === undefined ? [] : [price.at]))
  const inspected = inspect({ at, paths, prices: ticks, signature, recoveryId })
  if (ticks.length === block.prices.length) return inspected
  // Without all signed bytes a key means nothing; defects of the form still count.
  const findings = inspected.findings.filter(({ reason }) => reason !== 'unrecoverable')
  if (block.prices.length === 1) return { key: undefined, findings }
  const unsigned: Finding = {
    reason: 'malformed',
    at: join(at, 'prices'),
    got: 'a malformed price under the same signature',
    want: 'prices that can all be read, because one signature covers them',
  }
  return { key: undefined, findings: [...findings, unsigned] }
}

function findWrongSigner(block: SignedBlock, key: RecoveredKey | undefined, signers: readonly string[]): Finding[] {
  if (key === undefined || signers.includes(key.address)) return []
  const want = signers.map(describeSigner).join(', ') || 'a signer, but the list of signers is empty'
  const got = describeSigner(key.address) + (block.prices.length > 1 ? ` for ${labelOf(block)}` : '')
  return [{ reason: 'wrong-signer', at: join(block.at, 'signature'), got, want }]
}

function checkTick({ tick, at }: ReadPrice, options: VerifyOptions): Finding[] {
  if (tick === undefined) return []
  const { maxAge, maxFuture, now = 0, expo, feeds, allowNotPositive = false } = options
  const findings: Finding[] = []
  const report = (reason: Reason, key: string, got: string, want: string): void =>
    void findings.push({ reason, at: join(at, key), got, want })
  if (feeds !== undefined && !feeds.some(id => isSameFeed(id, tick.feedId)))
    report('wrong-feed', 'feedId', tick.feedId, feeds.join(', ') || 'no feed')
  if (!allowNotPositive && tick.price <= 0)
    report(tick.price < 0 ? 'negative-price' : 'zero-price', 'price', String(tick.price), 'a price above 0')
  if (expo !== undefined && tick.expo !== expo) report('wrong-expo', 'expo', String(tick.expo), String(expo))
  // Milliseconds are exact enough; a difference of fractions has noise.
  const age = Math.round((now - tick.ts) * 1000) / 1000
  if (maxAge !== undefined && age > maxAge) report('stale', 'ts', `${age} seconds old`, `at most ${maxAge}`)
  if (maxFuture !== undefined && -age > maxFuture)
    report('future', 'ts', `${-age} seconds ahead of now`, `at most ${maxFuture}`)
  return findings
}

const isSameFeed = (id: string, other: string): boolean => id.toUpperCase() === other.toUpperCase()

function findMissing(prices: readonly PriceVerdict[], feeds: readonly string[] = []): PriceVerdict[] {
  return feeds
    .filter(id => !prices.some(({ feedId }) => feedId !== undefined && isSameFeed(id, feedId)))
    .map(feedId =>
      toVerdict({ at: '', feedId, tick: undefined }, [
        { reason: 'missing-feed', at: '', got: 'no price', want: `a price of ${feedId}` },
      ]),
    )
}

function toVerdict(
  { at, feedId, tick }: Omit<ReadPrice, 'findings'>,
  findings: readonly Finding[],
  signer?: RecoveredKey,
): PriceVerdict {
  return { at, feedId, ok: findings.length === 0, reason: findings[0]?.reason, findings, tick, signer }
}

function listNotChecked(options: VerifyOptions): NotChecked[] {
  const { maxAge, maxFuture, expo, feeds, allowHighS, allowNotPositive } = options
  const checks: readonly (readonly [isMade: boolean, check: NotChecked['check'], because: string])[] = [
    [maxAge !== undefined, 'age', 'maxAge is not set'],
    [maxFuture !== undefined, 'future', 'maxFuture is not set'],
    [expo !== undefined, 'expo', 'expo is not set'],
    [feeds !== undefined, 'feeds', 'feeds is not set'],
    [!allowHighS, 'high-s', 'allowHighS is set'],
    [!allowNotPositive, 'positive', 'allowNotPositive is set'],
    [false, 'order', 'one response does not show which prices came before it'],
    [false, 'value', 'a signature does not show that a price is that of the market'],
  ]
  return checks.flatMap(([isMade, check, because]) => (isMade ? [] : [{ check, because }]))
}
