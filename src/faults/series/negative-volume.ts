// series/negative-volume: candles have a negative volume.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked } from '../options.js'

/**
 * Some candles have a volume below zero.
 * @catches A volume-weighted price that divides by zero, a bar that grows downwards.
 */
export const negativeVolume = defineCandleFault({
  name: 'series/negative-volume',
  options: z.strictObject({ every }),
  rows: (rows, context) =>
    rows.map(row =>
      isPicked(row, context, 'series/negative-volume') && row.volume !== null
        ? { ...row, volume: -(row.volume || 0.01) }
        : row,
    ),
})
