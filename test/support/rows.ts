// The candles of a body, and the selection of candles by faults.
import type { Row } from '../../src/faults/fault.js'
import { EVERY_NTH_FAULTS } from '../../src/faults/options.js'

/** The candles of a body, in its order. */
export const rowsOf = (body: string): Row[] => JSON.parse(body).data.result

/** Whether the default of `every` selects a candle of a minute for the fault at this place. */
export const isNth = ({ time }: Row, place: number): boolean => (time / 60_000) % EVERY_NTH_FAULTS.length === place
