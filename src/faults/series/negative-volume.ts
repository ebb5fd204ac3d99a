// series/negative-volume: less than nothing was traded.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/** The volume with the wrong sign. */
export const negativeVolume = defineSeriesFault({
  name: 'series/negative-volume',
  summary: 'Some candles have a volume below zero.',
  catches: 'A volume-weighted price that divides by nothing, a bar that grows downwards.',
  options: z.strictObject({ every }),
  rows: (rows, context) =>
    rows.map(row => (isChosen(row, context) && row.volume !== null ? { ...row, volume: -(row.volume || 0.01) } : row)),
})
