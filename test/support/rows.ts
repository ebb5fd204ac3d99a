// The candles of a body, and the selection of candles by faults.
import type { Row } from '../../src/faults/fault.js'

/** The candles of a body, in its order. */
export const rowsOf = (body: string): Row[] => JSON.parse(body).data.result

/** Whether `every: 5` selects a candle of a minute with this offset. */
export const isFifth = ({ time }: Row, place: number): boolean => (time / 60_000) % 5 === place
