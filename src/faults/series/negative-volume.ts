// series/negative-volume: less than nothing was traded.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/**
 * Some candles have a volume below zero.
 *
 * The volume with the wrong sign.
 * @catches A volume-weighted price that divides by nothing, a bar that grows downwards.
 */
export const negativeVolume = defineSeriesFault({
  name: 'series/negative-volume',
  options: z.strictObject({ every }),
  rows: (rows, context) =>
    rows.map(row =>
      isChosen(row, context, 4) && row.volume !== null ? { ...row, volume: -(row.volume || 0.01) } : row,
    ),
})
