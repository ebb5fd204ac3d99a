// What a fault is, stage by stage: a declaration with a name, a sentence, options and the one function that does the harm.
// When and where it acts is not its business: windows, feeds, endpoints, requests and chance are handled once, in `scenario/`.
import type * as z from 'zod/mini'
import type { Feed } from '../market/feeds.js'
import type { PricePath } from '../market/path.js'
import type { Windows } from '../market/windows.js'
import type { HeaderList, Outcome, Reply } from '../outcome.js'
import type { Layout } from '../settings/layouts.js'
import type { Tick } from '../signing/encode.js'
import type { Signature } from '../signing/signature-form.js'

/** The stages of an answer that faults can change, in their order; each is a folder. */
export const STAGES = ['market', 'tick', 'signature', 'series', 'reply', 'wire'] as const
/** A stage of an answer. */
export type Stage = (typeof STAGES)[number]

/** What every fault declares. Its docstring says what it does, and `@catches` which mistake of a consumer: docs are made of them. */
interface Declared<S extends Stage, Options extends z.core.$ZodType> {
  /** Its path below `faults/`, which is its name in scenarios. */
  readonly name: `${S}/${string}`
  /** A strict object; what is left out has its default there. */
  readonly options: Options
  /** Options to show it with, where it has some that must be given. */
  readonly example?: z.input<Options>
  /** The endpoints on which it can act; those of its stage without. */
  readonly endpoints?: readonly string[]
  /** which requests it affects where a scenario does not say; all of them without. */
  readonly defaults?: { readonly requests: { readonly every: number } }
}

/** What a fault of the market is told. */
export interface MarketContext<Options> {
  readonly options: Options
  readonly feed: Feed
  /** When it is at work, in seconds of the horizon: an answer at `now` reads up to `now − lag`. */
  readonly windows: Windows
  /** When the scenario was applied, in seconds of the horizon. */
  readonly appliedAt: number
  /** Says that an answer is another than it would have been. */
  markApplied(): void
}
/** A function of time: the path of a feed becomes another path, which all endpoints read. */
export interface MarketFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'market', Options> {
  path(path: PricePath, context: MarketContext<z.output<Options>>): PricePath
  /** What is wanted instead of options that a feed cannot have; undefined where all is well. */
  fits?(options: z.output<Options>, feed: Feed): string | undefined
  /** Where the last second is whose price is published: at `horizon`, or earlier. Of several faults the earliest counts. */
  horizon?(horizon: number, context: MarketContext<z.output<Options>>): number
}

/** What a fault of the tick is told. */
export interface TickContext<Options> {
  readonly options: Options
  /** The price in force some seconds before, or undefined where there was none. */
  earlier(seconds: number): Tick | undefined
}
/** The answered tick becomes another one before it is signed: what is signed is what is shown. */
export interface TickFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'tick', Options> {
  tick(tick: Tick, context: TickContext<z.output<Options>>): Tick
  /** Whether a feed is left out of an answer. `named`: the scenario names the feed; `isLast`: it is the last of several. */
  omits?(asked: { readonly named: boolean; readonly isLast: boolean }): boolean
}

/** Prices and the signature beside them. */
export interface Signed extends Signature {
  /** The prices as the reply shows them. */
  readonly shown: readonly Tick[]
  /** The prices that the signature covers. */
  readonly covered: readonly Tick[]
}
/** What a fault of the signature is told. */
export interface SignatureContext<Options> {
  readonly options: Options
  readonly layout: Layout
  /** Signs prices in the layout, by the session's key or by another public test key. */
  sign(prices: readonly Tick[], testKey?: number): Signature
  /** The number of the test key that signs for the session; undefined for a key of the user's own. */
  readonly testKey: number | undefined
  /** A price of the same feed some seconds before, or undefined where there was none. */
  earlier(price: Tick, seconds: number): Tick | undefined
  /** The price step of a feed, in units of 10^expo. */
  stepOf(feedId: string): number
  /** Whether the fault is for this feed. */
  selects(feedId: string): boolean
}
/** Prices and their signature no longer belong together, or the signature has another form. */
export interface SignatureFault<Options extends z.core.$ZodType = z.core.$ZodType>
  extends Declared<'signature', Options> {
  /** Returns what it was given where it has nothing to do. */
  apply(signed: Signed, context: SignatureContext<z.output<Options>>): Signed
}

/** A candle as the reply shows it: `time` in milliseconds, prices in quote units, `volume` in USD. */
export type Row = {
  readonly [K in 'time' | 'open' | 'high' | 'low' | 'close' | 'avg' | 'volume']: K extends 'time'
    ? number
    : number | null
}
/** What a fault of the series is told. */
export interface SeriesContext<Options> {
  readonly options: Options
  /** Seconds that a candle is wide. */
  readonly width: number
  /** Virtual seconds since the epoch. */
  readonly now: number
}
/** The candles of a chart become other rows. */
export interface SeriesFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'series', Options> {
  /** Returns the rows that it was given where it has nothing to do. */
  rows(rows: readonly Row[], context: SeriesContext<z.output<Options>>): readonly Row[]
}

/** An answer before it becomes a reply. */
export interface Content {
  readonly status: number
  /** The body as a value, or its text where that is not the JSON of a value. */
  readonly body: { readonly value: unknown } | { readonly text: string }
  readonly mediaType: string
  /** Whether pages of any origin may read it. */
  readonly cors: boolean
  /** Headers besides those that every reply has. */
  readonly headers: HeaderList
  readonly delayMs: number
  /** Whether a fault has set the status: the first one wins. */
  readonly isStatusSet: boolean
}
/** What a quota counts. */
export interface Quota {
  /** The number of the window that is being counted. */
  readonly window: number
  readonly used: number
}
/** What a fault of the reply, or of the wire, is told. */
export interface ReplyContext<Options> {
  readonly options: Options
  /** Virtual seconds since the epoch. */
  readonly now: number
  /** When the scenario was applied, in virtual seconds since the epoch. */
  readonly appliedAt: number
  /** A number in [0, 1) of this request and this fault. */
  readonly uniform: () => number
  /** What the fault has counted, this request included; only for a fault that counts. */
  readonly quota: Quota
}
/** An answer, whatever it is, becomes another one. */
export interface ReplyFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'reply', Options> {
  /** Counts a request. */
  count?(quota: Quota, context: Omit<ReplyContext<z.output<Options>>, 'quota'>): Quota
  /** Returns what it was given where it has nothing to do. */
  apply(content: Content, context: ReplyContext<z.output<Options>>): Content
}

/** A reply does not arrive as it should. The first one at work has the wire for itself. */
export interface WireFault<Options extends z.core.$ZodType = z.core.$ZodType> extends Declared<'wire', Options> {
  /** Returns what it was given where it has nothing to do. */
  apply(reply: Reply, context: Omit<ReplyContext<z.output<Options>>, 'quota'>): Outcome
}

/** Any fault. */
export type Fault = MarketFault | TickFault | SignatureFault | SeriesFault | ReplyFault | WireFault

/** Declares a fault of the market; its options are typed by their schema. */
export const defineMarketFault = <const O extends z.core.$ZodType>(fault: MarketFault<O>): MarketFault<O> => fault
/** Declares a fault of the tick. */
export const defineTickFault = <const O extends z.core.$ZodType>(fault: TickFault<O>): TickFault<O> => fault
/** Declares a fault of the signature. */
export const defineSignatureFault = <const O extends z.core.$ZodType>(fault: SignatureFault<O>): SignatureFault<O> =>
  fault
/** Declares a fault of the series. */
export const defineSeriesFault = <const O extends z.core.$ZodType>(fault: SeriesFault<O>): SeriesFault<O> => fault
/** Declares a fault of the reply. */
export const defineReplyFault = <const O extends z.core.$ZodType>(fault: ReplyFault<O>): ReplyFault<O> => fault
/** Declares a fault of the wire. */
export const defineWireFault = <const O extends z.core.$ZodType>(fault: WireFault<O>): WireFault<O> => fault

/** The stage of a fault: the first part of its name. */
export const stageOf = ({ name }: Pick<Fault, 'name'>): Stage => name.slice(0, name.indexOf('/')) as Stage

const SIGNED = ['latest', 'batch', 'history', 'evm']
/** The endpoints that have something for a stage to change; all of them for the other stages. */
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
