// The request log: one line per reply, for people or for programs. It distinguishes simulated replies from the mock's own.
import type { Exchange } from '../hosts/node/exchange.js'
import { toInstant } from '../settings/time.js'
import { colours } from './colours.js'

/** `10:48:25 default #17 GET latest /prices/BTCUSD/latest 200 0.4ms`, in virtual time. The mock's own replies show `own` instead of an endpoint. */
export function toPrettyLine(exchange: Exchange): string {
  const own = exchange.by === 'mock'
  const { method, target, status } = own ? exchange : exchange.entry
  const colour = status >= 500 ? colours.red : status >= 400 ? colours.yellow : colours.green
  const shown = target.length > 120 ? `${target.slice(0, 119)}…` : target
  return [
    ...(own
      ? [colours.dim('        own')]
      : [colours.dim(toInstant(exchange.entry.now * 1000).slice(11, 19)), exchange.session, `#${exchange.entry.n}`]),
    method,
    ...(own ? [] : [exchange.entry.endpoint]),
    // The target is untrusted and must not send control sequences to the terminal.
    shown.replace(/[^\x20-\x7e…]/g, '?'),
    colour(String(status)),
    colours.dim(`${exchange.durationMs.toFixed(1)}ms`),
    ...(own ? [] : exchange.entry.faults),
    ...(!own && exchange.entry.evicted ? ['evicted'] : []),
  ].join(' ')
}

/** One JSON object per line: the journal entry with `by: "service"`, or the mock's own reply with `by: "mock"`. */
export function toJsonLine(exchange: Exchange): string {
  const durationMs = Math.round(exchange.durationMs * 1000) / 1000
  if (exchange.by === 'mock') return JSON.stringify({ ...exchange, durationMs })
  return JSON.stringify({ by: exchange.by, session: exchange.session, ...exchange.entry, durationMs })
}
