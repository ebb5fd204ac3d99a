// The request log: one line per answer of the service, for people or for programs.
import pc from 'picocolors'
import type { JournalEntry } from '../service/journal.js'
import { toInstant } from '../settings/time.js'

/** `10:48:25 #17 GET latest /prices/BTCUSD/latest 200 0.4ms` */
export function toPrettyLine(entry: JournalEntry, durationMs: number): string {
  const { now, n, method, endpoint, target, status, faults } = entry
  const colour = status >= 500 ? pc.red : status >= 400 ? pc.yellow : pc.green
  const time = toInstant(now * 1000).slice(11, 19)
  const shown = target.length > 120 ? `${target.slice(0, 119)}…` : target
  return [
    pc.dim(time),
    `#${n}`,
    method,
    endpoint,
    // What a caller sent may hold anything but must not drive the terminal.
    shown.replace(/[^\x20-\x7e]/g, '?'),
    colour(String(status)),
    pc.dim(`${durationMs.toFixed(1)}ms`),
    ...faults,
  ].join(' ')
}

/** The entry of the journal as one line of JSON. */
export function toJsonLine(entry: JournalEntry, durationMs: number): string {
  return JSON.stringify({ ...entry, durationMs: Math.round(durationMs * 1000) / 1000 })
}
