// The candles of a body, and which of them faults choose.
import type { Row } from '../../src/faults/fault.js'

/** The candles of a body, in its order. */
export const rowsOf = (body: string): Row[] => JSON.parse(body).data.result

/** Whether a candle of a minute is one in five by its time, and which: what `every: 5` chooses. */
export const isFifth = ({ time }: Row, place: number): boolean => (time / 60_000) % 5 === place
