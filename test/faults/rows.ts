// The candles of a body, and which of them faults choose.
import type { Row } from '../../src/faults/fault.js'

/** The candles of a body, in its order. */
export const rowsOf = (body: string): Row[] => JSON.parse(body).data.result

/** Whether a candle of a minute is one in five by its time: what `every: 5` chooses. */
export const FIFTH = ({ time }: Row): boolean => (time / 60_000) % 5 === 0
