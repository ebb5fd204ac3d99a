// The four prices of a candle of a series, as ticks inside it.

/** The number of prices of a candle: open, then low and high in the order of its direction, then close. */
export const CANDLE_PRICES = 4

/** Seconds from the start of a candle of `width` seconds to each of its four prices. */
export function candleOffsets(width: number): readonly [number, number, number, number] {
  return [0, Math.floor(width / 3), Math.floor((2 * width) / 3), width - 1]
}

/** The shortest candle whose four prices have a second each. */
export const MIN_CANDLE_SECONDS = 4
