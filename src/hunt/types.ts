// The input and the result of a hunt: how a consumer is run, for how long, and what a find consists of.
import type { Feed } from '../market/feeds.js'

/** A fault as a scenario file has it. */
export interface HuntFault {
  readonly fault: string
  readonly feeds?: readonly string[]
  readonly alone?: boolean
  readonly endpoints?: readonly string[]
  readonly from?: string
  readonly for?: string
  readonly repeat?: string
  readonly requests?: string | { readonly first: number } | { readonly every: number }
  readonly chance?: number
  readonly options?: Readonly<Record<string, unknown>>
}

/** A scenario as its file has it. */
export interface HuntScenario {
  readonly title: string
  readonly why: string
  readonly seed?: string | number
  readonly clock?: Readonly<Record<string, unknown>>
  readonly policy?: Readonly<Record<string, unknown>>
  readonly loop?: string
  readonly faults: readonly HuntFault[]
}

/** A request of a run. */
export interface HuntRequest {
  /** Virtual milliseconds since the run began. */
  readonly at: number
  /** Undefined for a path that is none of the service. */
  readonly endpoint: string | undefined
  /** Those that it names, also unknown ones. */
  readonly feeds: readonly string[]
  /** Its parameters that name no feeds: "interval=1h". */
  readonly parameters?: readonly string[]
  /** 0 without a reply. */
  readonly status: number
  /** Its number among the requests of its endpoint, from 1. */
  readonly ordinal: number
  /** Names of the faults that its reply has. */
  readonly faults: readonly string[]
}

/** One run of the consumer under a scenario. */
export interface HuntRun {
  readonly failed: boolean
  /** The last lines of its output, or the message of its error. */
  readonly output: string
  /** The requests of its session, oldest first. */
  readonly requests: readonly HuntRequest[]
  /** The replies that each fault of the scenario was applied to, by its index. */
  readonly hits: readonly number[]
  /** Virtual milliseconds from the first request or earlier to its end. */
  readonly ms: number
}

/** A scenario to run. */
export interface Trial {
  readonly label: string
  readonly scenario: HuntScenario
}

/** A limit of runs, or of time by the caller's clock. */
export type HuntBudget =
  | { readonly runs: number }
  | { readonly ms: number /** Milliseconds, from any origin. */; now(): number }

/** How a hunt goes. */
export interface HuntOptions {
  /** Runs the consumer once, in a session of its own. It rejects only if the run itself was not possible. */
  run(
    scenario: HuntScenario,
    context: { readonly label: string; readonly signal?: AbortSignal | undefined },
  ): Promise<HuntRun>
  /**
   * The reason why a consumer that sends no request fails without faults.
   * @default 'It sent no request to the mock.'
   */
  readonly noRequest?: string | undefined
  /** The same seed gives the same runs, where the runs start at the same time. */
  readonly seed: number | string
  /**
   * A failure that was seen within the budget is finished beyond it: at most 40 runs more, or half of the time and five runs, and five
   * for each other failure of the runs at the same time. Calm runs and known finds count, but run whatever the budget is.
   */
  readonly budget: HuntBudget
  /**
   * Runs at the same time.
   * @default 1
   */
  readonly parallel?: number | undefined
  /**
   * Names of faults, of built-in scenarios or of finds that are accepted. Accepted faults are left out.
   * @default none
   */
  readonly allow?: readonly string[] | undefined
  /**
   * Finds of earlier hunts, which run first.
   * @default none
   */
  readonly known?: readonly KnownFind[] | undefined
  /**
   * Built-in and own scenarios, which take turns with the faults.
   * @default those built in
   */
  readonly scenarios?: Readonly<Record<string, unknown>> | undefined
  /**
   * The feeds of the mock, for faults with prices.
   * @default those of the catalogue
   */
  readonly feeds?: readonly Feed[] | undefined
  readonly onProgress?: ((progress: HuntProgress) => void) | undefined
  /** Ends the hunt early. It returns what it has found. */
  readonly signal?: AbortSignal | undefined
}

/** A find of an earlier hunt. */
export type KnownFind = Pick<HuntFind, 'name' | 'scenario'>

/** The progress of a hunt, before each run. */
export interface HuntProgress {
  readonly phase: 'calm' | 'known' | 'search' | 'shrink' | 'confirm'
  /** The scenario that runs next. */
  readonly label: string
  /** Finished runs. */
  readonly runs: number
  readonly finds: number
  /** The part of the budget that is left, from 1 to 0. */
  readonly left: number
}

/** A bug that was found: the smallest scenario that shows it. */
export interface HuntFind {
  /** For a file name: `tick-zero-batch`. */
  readonly name: string
  readonly scenario: HuntScenario
  /** Names of its faults. */
  readonly faults: readonly string[]
  /** The output of a failed run. */
  readonly output: string
  /** Its requests around the first fault, the last ones, and those with a fault if they are few: `4s latest BTCUSD 200 market/stale`. */
  readonly requests: readonly string[]
  /** Failures among the runs that repeated it. */
  readonly confirmed: number
  /** Runs that repeated the final scenario: three, or fewer if the signal ended the hunt. */
  readonly repeated: number
  /** The page of the fault, with the heading. */
  readonly page: string
  /** Runs until it failed for the first time. */
  readonly runs: number
  /** The question to answer before it is called a bug. */
  readonly question: string
}

/** A scenario that failed, and passed when it was run again: the consumer, or its check, depends on chance or on time. */
export interface Unconfirmed extends Trial {
  /** The output of the failed run. */
  readonly output: string
}

/** The result of a hunt. */
export interface HuntReport {
  /** Without faults: `failed` both times, or once (`differs`); then nothing else was tried. */
  readonly calm: 'passed' | 'failed' | 'differs'
  /** The output of the failed calm run, otherwise empty. */
  readonly calmOutput: string
  readonly finds: readonly HuntFind[]
  readonly runs: number
  /** Scenarios that were tried, those of known finds included; 0 if the budget was too small for any. */
  readonly tried: number
  readonly unconfirmed: readonly Unconfirmed[]
  /** Finds that `allow` names. */
  readonly allowed: readonly HuntFind[]
  /** Whether the signal ended it, or a run that was not possible. */
  readonly isCut: boolean
  /** The error of that run, after at least one find; without any, the hunt rejects with it. Undefined if there was none. */
  readonly problem: unknown
  /** Faults that it can never meet, since it does not ask the endpoints they act on. */
  readonly leftOut: readonly string[]
  /** Faults that no reply of the scenarios had, and that were in fewer than two which passed: a larger budget tries them. */
  readonly unmet: readonly string[]
  /**
   * The output of a run without faults on another day, if it failed: then no other clocks were tried. A consumer that reads another
   * clock than that of the mock finds every price of another day old.
   */
  readonly otherDayOutput: string | undefined
}
