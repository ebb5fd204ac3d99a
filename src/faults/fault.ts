// The declaration of a fault, stage by stage: a name, options and the one function that changes the answer. A fault does not know when
// it acts: windows, feeds, endpoints, requests and chance are handled once, in `scenario/`.
import type * as z from 'zod/mini'
import type { Feed } from '../market/feeds.js'
import type { Leader } from '../market/levels.js'
import type { PricePath } from '../market/path.js'
import type { Windows } from '../market/windows.js'
import type { HeaderList, Outcome, Reply } from '../outcome.js'
import type { Layout } from '../settings/layouts.js'
import type { Tick } from '../signing/encode.js'
import type { Signature } from '../signing/signer.js'

/** The stages of an answer that faults can change, in their order; each is a folder. */
export const STAGES = ['market', 'tick', 'signature', 'series', 'reply', 'wire'] as const
/** A stage of an answer. */
export type Stage = (typeof STAGES)[number]

/** The declaration of a fault. The docs show its docstring: a description, then `@catches` with the consumer's mistake. */
interface Declared<S extends Stage, Options extends z.core.$ZodType> {
  /** Its path below `faults/`, which is its name in scenarios. */
  readonly name: `${S}/${string}`
  /** The schema of the options, a strict object with its defaults. */
  readonly options: Options
  /** Example options, for a fault with options that are required. */
  readonly example?: z.input<Options>
  /**
   * The endpoints on which the fault can act.
   * @default every endpoint of its stage
   */
  readonly endpoints?: readonly string[]
  /**
   * The options that are times in the course of the market, which the pace of a scenario divides: seconds, or lists of objects with
   * seconds `at`.
   */
  readonly times?: readonly string[]
  /** The requests that the fault affects unless a scenario chooses others; by default all. */
  readonly defaults?: { readonly requests: { readonly every: number } }
}

/** The input of a market fault besides the path. */
export interface MarketContext<Options> {
  readonly options: Options
  readonly feed: Feed
  /** The seed of the session's market. */
  readonly seed: string
  /** The path of the feed in the market, without faults and overrides, for the first fault of each name. */
  readonly market: PricePath | undefined
  /** The windows in which the fault is active, in seconds of the horizon: an answer at `now` reads up to `now − lag`. */
  readonly windows: Windows
  /** The second at which the scenario was applied, in seconds of the horizon. */
  readonly appliedAt: number
  /** For a derived feed, where the scenario selects a feed that it follows: that feed. */
  readonly leader: (Leader & { readonly feed: Feed }) | undefined
  /** Records that the fault has changed an answer. */
  markApplied(): void
}
/** Wraps the path of a feed in another one, which all endpoints read. */
export interface MarketFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'market', Options> {
  path(path: PricePath, context: MarketContext<z.output<Options>>): PricePath
  /**
   * Whether the feeds derived from a selected one follow: true for a change of the market's price, which a staked or wrapped token
   * takes over. A fault of publishing (stale, stuck, a wrong print) stays with its feed: each feed has a publisher of its own.
   */
  readonly isFollowed?: true
  /** The windows without trade, for a fault that stops ticks. Times without a price have no trade anyway. */
  silence?(context: MarketContext<z.output<Options>>): Windows
  /**
   * The additional trade, for a fault that excites the market: by seconds since the start of a window at `from`, in hundredths of a
   * USD, a whole number that never falls.
   */
  surge?(context: MarketContext<z.output<Options>>): (passed: number, from: number) => number
  /** How many faults a scenario may have that are such as one with these options: what each of them needs is large. */
  most?(options: z.output<Options>): readonly (readonly [like: string, count: number])[]
  /** Checks the options against a feed. Returns the expected value when they do not fit, otherwise undefined. */
  fits?(options: z.output<Options>, feed: Feed): string | undefined
  /**
   * Changes what the latest price is at a second of the horizon. Undefined when it does not. Of several faults the one with the
   * oldest `ts` counts, unless the feed has no price at that second: then none is shown.
   */
  holdBack?(second: number, context: MarketContext<z.output<Options>>): HeldBack | undefined
}

/** The latest price of a feed that is held back. */
export interface HeldBack {
  /** The second whose price is in force. */
  readonly horizon: number
  /** The `ts` that answers show: a feed also shows seconds between its ticks. */
  readonly ts: number
}

/** A price of a history. */
export type Half = 'high' | 'low'
/** The input of a tick fault besides the tick. */
export interface TickContext<Options> {
  readonly options: Options
  /** Which price of a history it is; undefined in other answers. */
  readonly half: Half | undefined
  /** The tick in force some seconds before, or undefined when there was none. */
  earlier(seconds: number): Tick | undefined
}
/** Changes the answered tick before it is signed, so the signature covers the shown values. */
export interface TickFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'tick', Options> {
  tick(tick: Tick, context: TickContext<z.output<Options>>): Tick
  /** Whether a feed is left out of an answer. `named`: the scenario names the feed; `isLast`: it is the last of several. */
  omits?(asked: { readonly named: boolean; readonly isLast: boolean }): boolean
  /** Whether an answer of several feeds has one more, which nobody asked for. */
  readonly adds?: true
}

/** Prices and the signature beside them. */
export interface Signed extends Signature {
  /** The prices as the reply shows them. */
  readonly shown: readonly Tick[]
  /** The prices that the signature covers. */
  readonly covered: readonly Tick[]
}
/** The input of a signature fault besides the signed prices. */
export interface SignatureContext<Options> {
  readonly options: Options
  readonly layout: Layout
  /** Signs prices in the layout, by the session's key or by another public test key. */
  sign(prices: readonly Tick[], testKey?: number): Signature
  /** The number of the session's test key; undefined for a key of the user's own. */
  readonly testKey: number | undefined
  // In a history, the price in place of the high is not below the one in place of the low.
  /** The price of the same feed some seconds before, or undefined when there was none. */
  earlier(price: Tick, seconds: number): Tick | undefined
  /** The price of the next feed of the catalogue at the same time, or undefined when there is none. */
  otherFeed(price: Tick): Tick | undefined
  /** The price step of a feed, in units of 10^expo. */
  stepOf(feedId: string): number
  /** Whether the fault is for this feed. */
  selects(feedId: string): boolean
  /** Which price of a history it is; undefined in other answers. */
  readonly half: Half | undefined
  /** Whether the scenario names the feeds of the fault. */
  readonly named: boolean
}
/** Changes the shown prices, the signature or its form, so that they no longer match. */
export interface SignatureFault<Options extends z.core.$ZodType = z.core.$ZodType>
  extends Declared<'signature', Options> {
  /** Returns its argument when there is nothing to change. */
  apply(signed: Signed, context: SignatureContext<z.output<Options>>): Signed
  /** Whether the signature still fits: only the list of prices is odd. */
  isGenuine?(options: z.output<Options>): boolean
}

/** A candle as the reply shows it: `time` in milliseconds, prices in quote units, `volume` in USD. */
export type Row = {
  readonly [K in 'time' | 'open' | 'high' | 'low' | 'close' | 'avg' | 'volume']: K extends 'time'
    ? number
    : number | null
}
/** The input of a candle fault besides the rows. */
export interface CandleContext<Options> {
  readonly options: Options
  /** The width of a candle in seconds. */
  readonly width: number
  /** Virtual seconds since the epoch. */
  readonly now: number
}
/** Changes a chart. */
export interface CandleFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'series', Options> {
  /** The interval of the chart, by that of the request, such as "5m". */
  interval?(asked: string, options: z.output<Options>): string
  /** Changes the rows. Returns its argument when there is nothing to change. */
  rows(rows: readonly Row[], context: CandleContext<z.output<Options>>): readonly Row[]
}

/** An answer before it becomes a reply. */
export interface Content {
  readonly status: number
  /** The body as a value, or as text that is not the JSON of a value. */
  readonly body: { readonly value: unknown } | { readonly text: string }
  readonly mediaType: string
  /** Whether pages of any origin may read the answer. */
  readonly cors: boolean
  /** Headers in addition to those of every reply. */
  readonly headers: HeaderList
  readonly delayMs: number
  /** Whether a fault has set the status. Of several the first wins. */
  readonly isStatusSet: boolean
  /** Whether nothing is left of the body that the answer had. */
  readonly isBodyReplaced: boolean
}
/** The state of a quota. */
export interface Quota {
  /** The number of the current window. */
  readonly window: number
  readonly used: number
}
/** The input of a reply fault or a wire fault besides the answer. */
export interface ReplyContext<Options> {
  readonly options: Options
  /** Virtual seconds since the epoch. */
  readonly now: number
  /** The second at which the scenario was applied, in virtual seconds since the epoch. */
  readonly appliedAt: number
  /** Path and query of the request, below the base address of its session. */
  readonly target: () => string
  /** A pseudo-random number in [0, 1), fixed for this request and this fault. */
  readonly uniform: () => number
  /** The quota, this request included; only for a fault with `count`. */
  readonly quota: Quota
}
/** Changes an answer, errors included. */
export interface ReplyFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'reply', Options> {
  /** Counts a request. */
  count?(quota: Quota, context: Omit<ReplyContext<z.output<Options>>, 'quota'>): Quota
  /** Returns its argument when there is nothing to change. */
  apply(content: Content, context: ReplyContext<z.output<Options>>): Content
}

/** Changes how a reply arrives. Of several active ones only the first applies. */
export interface WireFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'wire', Options> {
  /** Returns its argument when there is nothing to change. */
  apply(reply: Reply, context: Omit<ReplyContext<z.output<Options>>, 'quota'>): Outcome
}

/** Any fault. */
export type Fault = MarketFault | TickFault | SignatureFault | CandleFault | ReplyFault | WireFault

/** Keeps the name as a literal type, so that scenarios in TypeScript are checked. */
export interface Named<Name extends string> {
  readonly name: Name
}

/** Declares a market fault; its options are typed by their schema. */
export const defineMarketFault = <
  const O extends z.core.$ZodType,
  const Name extends `market/${string}`,
  const Followed extends true | undefined = undefined,
>(
  fault: MarketFault<O> & Named<Name> & { readonly isFollowed?: Followed },
): MarketFault<O> & Named<Name> & { readonly isFollowed?: Followed } => fault
/** Declares a tick fault. */
export const defineTickFault = <const O extends z.core.$ZodType, const Name extends `tick/${string}`>(
  fault: TickFault<O> & Named<Name>,
): TickFault<O> & Named<Name> => fault
/** Declares a signature fault. */
export const defineSignatureFault = <const O extends z.core.$ZodType, const Name extends `signature/${string}`>(
  fault: SignatureFault<O> & Named<Name>,
): SignatureFault<O> & Named<Name> => fault
/** Declares a candle fault. */
export const defineCandleFault = <const O extends z.core.$ZodType, const Name extends `series/${string}`>(
  fault: CandleFault<O> & Named<Name>,
): CandleFault<O> & Named<Name> => fault
/** Declares a reply fault. */
export const defineReplyFault = <const O extends z.core.$ZodType, const Name extends `reply/${string}`>(
  fault: ReplyFault<O> & Named<Name>,
): ReplyFault<O> & Named<Name> => fault
/** Declares a wire fault. */
export const defineWireFault = <const O extends z.core.$ZodType, const Name extends `wire/${string}`>(
  fault: WireFault<O> & Named<Name>,
): WireFault<O> & Named<Name> => fault

/** The stage of a fault: the first part of its name. */
export const stageOf = ({ name }: { readonly name: string }): Stage => name.slice(0, name.indexOf('/')) as Stage

const SIGNED = ['latest', 'batch', 'history', 'evm']
/** The endpoints whose answers pass a stage; all of them for the other stages. */
const STAGE_ENDPOINTS: Partial<Record<Stage, readonly string[]>> = {
  tick: SIGNED,
  signature: SIGNED,
  series: ['candles'],
}

/** Whether a fault can act on an endpoint at all. */
export function canActOn(fault: Fault, endpoint: string): boolean {
  const endpoints = fault.endpoints ?? STAGE_ENDPOINTS[stageOf(fault)]
  return endpoints === undefined || endpoints.includes(endpoint)
}
