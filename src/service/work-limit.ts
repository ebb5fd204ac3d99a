// The limit on the market's work for one request. Work is counted, not timed, so that the same request is refused on every machine.
import { countOf, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import type { PricePath } from '../market/path.js'
import { type PartedPath, partedOf } from '../market/search.js'
import type { Surge, Volume } from '../market/volume.js'
import type { Windows } from '../market/windows.js'

/** Counts the work of one request. */
export type WorkMeter = ReturnType<typeof createWorkMeter>

/** The work of one request: at most about 200 ms in a new process. A drift on 15 feeds over a year is below it. */
export const MAX_WORK = 80_000

/** At most so much of it is for answering the request again with fewer faults, to find out which of them changed the answer. */
export const MAX_REPEATED_WORK = MAX_WORK / 4

/** Stays the same with whatever is added. */
const NOT_COUNTED = Number.NEGATIVE_INFINITY

/** Whether an error is that of a meter. */
export const isTooCostly = (error: unknown): error is PriceFeedMockError =>
  isPriceFeedMockError(error) && error.code === 'SCENARIO_TOO_COSTLY'

/** The result of some work, or undefined where it is too costly. */
export function unlessTooCostly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isTooCostly(error)) return undefined
    throw error
  }
}

/**
 * Creates a meter.
 * @param faults the number of faults of the scenario, for the message
 * @param changes the number of price changes of the feed that has most of them
 */
export function createWorkMeter(faults: number, changes = 0, limit = MAX_WORK) {
  let spent = NOT_COUNTED
  return {
    /** The units so far; 0 outside a request. */
    get spent(): number {
      return Math.max(0, spent)
    },
    /** Starts to count a request, from the units of its work so far. */
    start(units: number): void {
      spent = units
    },
    /** Ends the count. Look-ups outside a request have no limit. */
    stop(): void {
      spent = NOT_COUNTED
    },
    /**
     * Adds units of at most a microsecond.
     * @throws PriceFeedMockError SCENARIO_TOO_COSTLY beyond the limit
     */
    spend(units: number): void {
      spent += units
      if (spent <= limit) return
      const cause = faults === 0 ? 'price changes' : 'faults'
      const got = countOf(faults, 'fault') + (changes === 0 ? '' : ` and ${countOf(changes, 'price change')}`)
      const want =
        'fewer overlapping faults, price changes, feeds, minutes or candles, a longer "repeat", or a later start'
      throw new PriceFeedMockError('SCENARIO_TOO_COSTLY', `The ${cause} make this request too costly.`, {
        problems: [{ at: 'faults', got, want }],
        docs: 'price-feed-mock/docs/scenarios.md',
      })
    },
  }
}

// Chosen so that the units are no fewer than the microseconds of 250 measured scenarios and requests.
// All are multiples of 1/256, so that sums are exact in any order: hosts divide the work of a request.
/** Units of a signature that a fault makes, and of each byte that is encoded. */
const SIGNATURE = 500
const ENCODED_BYTE = 4 / 64

/** Units of a message of some bytes, and of its signature if a fault makes one. */
export const messageWork = (bytes: number, isOfFault: boolean): number =>
  bytes * ENCODED_BYTE + (isOfFault ? SIGNATURE : 0)

/** Units of the candles of an answer that a fault goes through. */
export const rowsWork = (rows: number): number => rows * 1.5

/** Units of each byte of an answer that is made again, and of each of these for 32 faults. */
const REPEATED_BYTE = 2 / 64

/** Units of comparing an answer of some bytes with another one. */
export const comparedWork = (bytes: number): number => bytes / 256 + 16

/** Units of an answer of some bytes that is made again under some faults. */
export const repeatedWork = (bytes: number, faults: number): number =>
  Math.ceil(bytes * REPEATED_BYTE * (1 + faults / 32)) + 64

/** Units of the path of a feed in an answer that is made again, for each fault and each price change in it. */
export const viewWork = (faults: number, changes: number): number => 24 + faults * 20 + Math.ceil(changes / 4)

/** Units of a look-up of a price, and for each layer that it goes through. */
const LOOK_UP = 8 / 64
const LOOK_UP_LAYER = 2 / 64
/** Units of a search in a path without faults, for the fourth root of its seconds, and for so many of them. */
const SEARCH = 2
const SEARCH_ROOT = 2.5
const SEARCH_SECONDS = 1 << 20
/** Units of a split, for each further layer, and of one of a part that is long: it has many nodes. */
const SPLIT = 56 / 64
const SPLIT_LAYER = 0.75
const LONG_SPLIT = 16
const LONG_SECONDS = 1 << 20
/** Units of a search for times without a price, for each layer. */
const HOLES_LAYER = 1.5
const WINDOW = 1
const VOLUME = 2
const SURGE = 0.25

/**
 * Wraps the path below the faults of a scenario, and counts what they ask.
 * @param layers the number of faults on top
 */
export function meteredPath(path: PricePath, layers: number, { spend }: Pick<WorkMeter, 'spend'>): PartedPath {
  const perSplit = SPLIT + SPLIT_LAYER * Math.max(0, layers - 1)
  const perLookUp = LOOK_UP + LOOK_UP_LAYER * layers
  const parted = partedOf(path)
  const counted =
    <T>(lookUp: (second: number) => T): ((second: number) => T) =>
    second => {
      spend(perLookUp)
      return lookUp(second)
    }
  return {
    ...parted,
    cycle: path.cycle,
    ...('hasFastSearch' in path ? { hasFastSearch: true as const } : {}),
    at: counted(path.at),
    lastTick: counted(path.lastTick),
    nextTick: counted(path.nextTick),
    holes(from, to) {
      spend(HOLES_LAYER * layers)
      return path.holes(from, to)
    },
    extremes(from, to, anyTick) {
      const seconds = Math.max(0, to - from)
      spend(SEARCH + Math.ceil(SEARCH_ROOT * Math.sqrt(Math.sqrt(seconds))) + Math.floor(seconds / SEARCH_SECONDS))
      return path.extremes(from, to, anyTick)
    },
    parts(from, to) {
      spend(Math.floor(Math.max(0, to - from) / SEARCH_SECONDS))
      return parted.parts(from, to)
    },
    onSplit({ from, to }) {
      spend(to - from > LONG_SECONDS ? perSplit + LONG_SPLIT : perSplit)
    },
  }
}

/** Wraps the windows of a fault, and counts those that a layer goes through. */
export function meteredWindows(windows: Windows, { spend }: Pick<WorkMeter, 'spend'>): Windows {
  return {
    ...windows,
    *between(from, to) {
      for (const window of windows.between(from, to)) {
        spend(WINDOW)
        yield window
      }
    },
  }
}

/** Wraps the volume below the faults of a scenario, and counts what they ask. */
export function meteredVolume(volume: Volume, { spend }: Pick<WorkMeter, 'spend'>): Volume {
  return {
    between(from, to) {
      spend(VOLUME)
      return volume.between(from, to)
    },
  }
}

/** Counts the look-ups of a surge of volume. */
export function meteredSurge(tradedBy: Surge['tradedBy'], { spend }: Pick<WorkMeter, 'spend'>): Surge['tradedBy'] {
  return (passed, from) => {
    spend(SURGE)
    return tradedBy(passed, from)
  }
}
