// The table of rows in docs/compare.md: what the mock answers to each probe, as it was observed.
import { posix } from 'node:path'
import { askService } from '../../src/compare/compare.js'
import type { Seen } from '../../src/compare/probe.js'
import { PROBES } from '../../src/compare/probes.js'
import { createService, optionsOf } from './run.js'

/** The rows of the table: name, answers of the mock, page of the assumption, option. */
export async function probeRows(): Promise<string[][]> {
  const { observed } = await askService(createService({}).service, optionsOf())
  return PROBES.map(({ name, page = 'docs/assumptions.md', option }) => [
    name,
    /^(reply of|signers|signed bytes, )/.test(name) ? ABOUT[name.split(/[ ,]/, 1)[0]!]! : inWords(observed.seen[name]!),
    `[${posix.basename(page, '.md')}](${posix.relative('docs', page)})`,
    option === undefined ? '' : `\`${option}\``,
  ])
}

const ABOUT: Readonly<Record<string, string>> = {
  reply: 'names, types and order of the fields',
  signed: 'order, widths, byte orders, padding, hash, prefix, form of the signature, scaling',
  signers: 'the addresses of the keys',
}

/** Answers with the same value together: `401: batch, latest`. */
function inWords(seen: Seen): string {
  const show = (value: Seen): string => (typeof value === 'string' ? value || 'none' : JSON.stringify(value))
  if (typeof seen !== 'object' || seen === null || Array.isArray(seen))
    return Array.isArray(seen) && seen.length === 0 ? 'none' : show(seen)
  const byValue = new Map<string, string[]>()
  for (const [key, value] of Object.entries(seen)) byValue.set(show(value), [...(byValue.get(show(value)) ?? []), key])
  return [...byValue].map(([value, keys]) => `${keys.join(', ')}: ${value}`).join('; ')
}
