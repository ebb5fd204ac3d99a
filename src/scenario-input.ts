// Scenarios as TypeScript users write them. The types follow from the faults and endpoints, so a misspelt name does not compile.
import type * as z from 'zod/mini'
import type { ENDPOINTS } from './endpoints/index.js'
import { PriceFeedMockError } from './errors.js'
import type { CatalogueFault } from './faults/index.js'
import type { FeedId } from './market/catalogue.js'
import type { BuiltInScenarioName } from './scenario/built-in.js'
import type { inlineScenarioSchema } from './scenario/schema.js'
import type { Duration } from './settings/time.js'

export type { BuiltInScenarioName } from './scenario/built-in.js'

/** The name of an endpoint in scenarios, journals and clients. */
export type EndpointName = (typeof ENDPOINTS)[number]['name']
/** The name of a fault. */
export type FaultName = CatalogueFault['name']

/** Lists may be read-only, as those of `as const`. */
type Written<T> = T extends readonly (infer Item)[] ? readonly Written<Item>[] : T

type OptionsOf<F extends CatalogueFault> = {
  readonly [K in keyof z.input<F['options']>]: Written<z.input<F['options']>[K]>
}

/** The options of a fault: `FaultOptions<'reply/status'>`. docs/faults.md describes them. */
export type FaultOptions<Name extends FaultName> = OptionsOf<Extract<CatalogueFault, { readonly name: Name }>>

/** Selects ticks by feed and time. */
interface TimeSelectors {
  /** Feed ids in any case. All feeds by default. */
  readonly feeds?: readonly FeedId[] | undefined
  /** Start, counted from the start of the scenario: `"10s"`. */
  readonly from?: Duration | undefined
  /** Duration: `"5m"`. Until the scenario ends by default. */
  readonly for?: Duration | undefined
  /** Repeats after this time, counted from its start. */
  readonly repeat?: Duration | undefined
}

/** Selects requests of each endpoint as well. */
interface RequestSelectors extends TimeSelectors {
  /**
   * Requests of each endpoint, counted from 1 at the start of each window: `"3"`, `"1-3,7"`, `"5-6 of 30"` (of every 30 those),
   * `{ first: 3 }` or `{ every: 5 }`.
   */
  readonly requests?: string | { readonly first: number } | { readonly every: number } | undefined
  /** Probability from 0 to 1. The same requests are selected in every run. */
  readonly chance?: number | undefined
}

/** Selects endpoints as well. */
interface AllSelectors extends RequestSelectors {
  /** All endpoints by default. */
  readonly endpoints?: readonly EndpointName[] | undefined
}

/** Selects derived feeds or not. */
interface FollowedSelectors extends TimeSelectors {
  /** Whether staked and wrapped tokens of the selected feeds stay as they are. They follow by default. */
  readonly alone?: boolean | undefined
}

/** A market fault is a function of time, so it cannot select requests or endpoints. One endpoint has series. */
type SelectorsOf<F extends CatalogueFault, Name extends string = F['name']> = Name extends `market/${string}`
  ? F extends { readonly isFollowed?: infer Followed }
    ? true extends Followed
      ? FollowedSelectors
      : TimeSelectors
    : TimeSelectors
  : Name extends `series/${string}`
    ? RequestSelectors
    : AllSelectors

type InputOf<F extends CatalogueFault> = F extends CatalogueFault
  ? { readonly fault: F['name'] } & SelectorsOf<F> &
      (Record<never, never> extends OptionsOf<F>
        ? { readonly options?: OptionsOf<F> | undefined }
        : { readonly options: OptionsOf<F> })
  : never

/** One fault of a scenario: its name, when and where it acts, and its options. */
export type FaultInput = InputOf<CatalogueFault>

/** A scenario as an object, in the format of a scenario file. It may leave out title and why. */
export interface InlineScenario extends Readonly<Omit<z.input<typeof inlineScenarioSchema>, 'faults'>> {
  readonly faults: readonly FaultInput[]
}

declare const OWN: unique symbol
/**
 * A scenario of yours that the compiler does not know, marked by `ownScenario`. Opaque: not an object type, so that errors in
 * inline scenarios stay readable.
 */
export type OwnScenario = string & { readonly [OWN]: true }

/**
 * Marks the name of a scenario of yours, or a scenario from a JSON file, which the compiler cannot check. The mock checks it
 * when it is applied.
 * @example
 * await priceFeed.setScenario(ownScenario('checkout-outage'))
 */
export function ownScenario(nameOrObject: string | object): OwnScenario {
  return nameOrObject as unknown as OwnScenario
}

/**
 * Checks that a caller without types gives a scenario: in a change, null would end the running one, and undefined change nothing.
 * @throws PriceFeedMockError SESSION_INVALID
 */
export function assertScenario(given: unknown): void {
  if (given !== null && given !== undefined) return
  throw new PriceFeedMockError('SESSION_INVALID', `setScenario(${given}) names no scenario.`, {
    problems: [{ at: 'scenario', got: given, want: 'the name of a scenario, or one as an object' }],
    fix: 'endScenario() ends the running scenario, setScenario("calm") applies one without faults',
  })
}

/**
 * A scenario: the name of a built-in one, an object, or one of your own by `ownScenario`.
 * @typeParam Own names of your own scenarios that are declared
 */
export type ScenarioInput<Own extends string = never> = BuiltInScenarioName | Own | OwnScenario | InlineScenario

/** The names that are literal types; `string` declares nothing. */
export type Declared<Own extends string> = string extends Own ? never : Own

/** The type of a body with a `scenario`, which its schema leaves open. In a change, null ends the running scenario. */
export type WithScenario<Body, Own extends string = never> = Omit<Body, 'scenario'> & {
  readonly scenario?: ScenarioInput<Own> | NullOf<Body> | undefined
}
type NullOf<Body> = Body extends { readonly scenario?: infer Given } ? Extract<Given, null> : never
