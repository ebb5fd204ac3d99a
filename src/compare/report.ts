// A comparison as text: a line for each row, the differences, and the options that match.
import { getOrCreate } from '../caches.js'
import { countOf } from '../errors.js'
import type { ComparedRow } from './compare.js'
import type { OptionPatch, Seen } from './probe.js'

/** The words for the two sides. */
export interface Sides {
  readonly theirs: string
  readonly ours: string
}

const show = (seen: Seen | undefined): string =>
  typeof seen === 'string' ? seen || 'none' : (JSON.stringify(seen) ?? 'none')

/** The parts of a row that differ, by their two forms. `parts` is empty for the whole. */
function differencesOf({ theirs, ours, probe }: ComparedRow) {
  if (!isObject(theirs) || !isObject(ours)) return [{ parts: [], theirs: show(theirs), ours: show(ours) }]
  const isSame = (key: string): boolean => {
    const [one, other] = [{ [key]: theirs[key]! }, { [key]: ours[key]! }]
    return probe.same?.(one as never, other as never) ?? show(theirs[key]) === show(ours[key])
  }
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].filter(key => !isSame(key))
  const [flatTheirs, flatOurs] = [flatten(theirs, keys), flatten(ours, keys)]
  const parts = [...new Set([...Object.keys(flatTheirs), ...Object.keys(flatOurs)])].filter(
    part => show(flatTheirs[part]) !== show(flatOurs[part]),
  )
  const groups = new Map<string, string[]>()
  for (const key of parts) getOrCreate(groups, `${show(flatTheirs[key])}\n${show(flatOurs[key])}`, () => []).push(key)
  return [...groups.values()].map(parts => ({
    parts,
    theirs: show(flatTheirs[parts[0]!]),
    ours: show(flatOurs[parts[0]!]),
  }))
}

/** The leaves below some keys, by their paths: `1m count`. */
function flatten(seen: { readonly [key: string]: Seen }, keys: readonly string[]): Record<string, Seen> {
  return Object.fromEntries(
    keys.flatMap(key => {
      const value = seen[key]
      if (value === undefined) return []
      if (!isObject(value)) return [[key, value]]
      return Object.entries(flatten(value, Object.keys(value))).map(([inner, leaf]) => [`${key} ${inner}`, leaf])
    }),
  )
}

const isObject = (seen: Seen | undefined): seen is { readonly [key: string]: Seen } =>
  typeof seen === 'object' && seen !== null && !Array.isArray(seen)

/** Each difference of a row on one line, or a long one on two. */
export function toDifferenceLines(row: ComparedRow, sides: Sides): string[] {
  return differencesOf(row).flatMap(({ parts, theirs, ours }) => {
    const where = parts.length === 0 ? '' : `${parts.join(', ')}: `
    const texts = [`${sides.ours} ${ours}`, `${sides.theirs} ${theirs}`]
    return texts.join('').length < 100 ? [where + texts.join(', ')] : texts.map(text => where + text)
  })
}

/** Options as lines: `policy.candles: 100`. */
function toOptionLines({ feeds = {}, signing, policy = {}, signer }: OptionPatch): string[] {
  const { layouts = {}, ...forms } = signing ?? {}
  return [
    ...Object.entries(policy).map(([name, value]) => `policy.${name}: ${JSON.stringify(value)}`),
    ...Object.entries(forms).map(([form, name]) => `signing.${form}: ${JSON.stringify(layouts[name!])}`),
    ...(signer === undefined ? [] : [`signer: ${signer}`]),
    ...Object.entries(feeds).map(([id, definition]) => `feeds: ${JSON.stringify({ id, ...definition })}`),
  ]
}

/** The lines of a row that differs, or belongs to the service alone. */
export function toRowLines(row: ComparedRow, sides: Sides): string[] {
  const { probe, patch, isSolved } = row
  if (row.result === 'own') return [`seen     ${probe.name}: ${[row.theirs].flat().join(', ') || 'none'}`]
  const lines = toDifferenceLines(row, sides)
  const own = toOptionLines(patch ?? {}).map(line => `option: ${line}`)
  const others = isSolved && patch === undefined ? ['option: those of other rows'] : []
  const rest = patch === undefined ? '' : ' for the rest'
  const none = `option: none${rest}; ours is an assumption of ${probe.page ?? 'docs/assumptions.md'}`
  const options = [...own, ...others, ...(isSolved === false ? [none] : [])]
  return [`differs  ${probe.name}`, ...[...lines, ...options].map(line => `           ${line}`)]
}

/** The report: rows that differ, and the names of the others. */
export function toReport(rows: readonly ComparedRow[], sides: Sides): string[] {
  const shown = rows.filter(({ result }) => result === 'differs' || result === 'own')
  const names = (wanted: (row: ComparedRow) => boolean): string =>
    rows
      .filter(wanted)
      .map(({ probe }) => probe.name)
      .join('; ')
  const same = names(({ result }) => result === 'same')
  const reasons = new Set(rows.flatMap(({ result, reason = '' }) => (result === 'not asked' ? [reason] : [])))
  return [
    ...shown.flatMap(row => toRowLines(row, sides)),
    ...(same === '' ? [] : [`same     ${same}`]),
    ...[...reasons].map(reason => `not asked, because ${reason}: ${names(row => row.reason === reason)}`),
  ]
}

/** The last line. */
export function toSummary(rows: readonly ComparedRow[], requests: number): string {
  const count = (wanted: (row: ComparedRow) => boolean): number => rows.filter(wanted).length
  const differ = count(({ result }) => result === 'differs')
  const unsolved = count(({ result, isSolved }) => result === 'differs' && isSolved === false)
  const notAsked = count(({ result }) => result === 'not asked')
  return [
    `${countOf(requests, 'request')}: ${count(({ result }) => result === 'same')} of ${countOf(rows.length, 'row')} are the same`,
    ...(differ > 0 ? [`${differ} ${differ === 1 ? 'differs' : 'differ'}`] : []),
    ...(unsolved > 0 ? [`${unsolved} of them without an option`] : []),
    ...(notAsked > 0 ? [`${notAsked} not asked`] : []),
  ].join(', ')
}
