// The state of the axis, as it stands in the address: a time, a cursor, and all that is chosen.
import { GOT, type Got } from '../../../src/service/received.js'
import { LATEST } from '../../../src/settings/time.js'
import { toSeconds } from '../faults/entry.js'
import { toInstant } from '../format.js'

/** The endpoints in the order of their lanes. */
export const LANES = ['latest', 'batch', 'evm', 'history', 'candles'] as const
export type LaneName = (typeof LANES)[number]

/** The parts of the address of the axis. Times are virtual seconds since the epoch. */
export interface Shown {
  readonly session?: string | undefined
  readonly feed?: string | undefined
  /** Seconds in sight. */
  readonly span: number
  /** The first second in sight; without one the axis follows now. */
  readonly from?: number | undefined
  readonly cursor?: number | undefined
  /** Number of the request, or index of the fault, that is open. */
  readonly request?: number | undefined
  readonly fault?: number | undefined
  /** Kinds of replies that are shown; none for all. */
  readonly got: readonly Got[]
  /** Endpoints whose requests are shown; none for all. */
  readonly lanes: readonly LaneName[]
}

/** A time in sight. */
export interface View {
  readonly from: number
  readonly to: number
}

const DEFAULT_SPAN = 480
const [LEAST_SPAN, MOST_SPAN] = [20, 30 * 86_400]
/** The part of the axis right of now. */
const AHEAD = 0.25

/** A span within its limits, in whole seconds. */
export const limitedSpan = (span: number): number => Math.round(Math.min(MOST_SPAN, Math.max(LEAST_SPAN, span)))

/** The time in sight at a second. */
export function viewOf({ span, from }: Pick<Shown, 'span' | 'from'>, now: number): View {
  const start = from ?? now - span * (1 - AHEAD)
  return { from: start, to: start + span }
}

/** The nearest second that the service knows. */
export const toKnown = (second: number): number => Math.min(LATEST, Math.max(0, Math.floor(second)))
/** The whole seconds of a view, without those that the service refuses. */
export const secondsOf = ({ from, to }: View): View => ({ from: toKnown(from), to: toKnown(Math.ceil(to)) })

/** The same centre at another zoom; `at` stays where it is. While it follows now, now stays. */
export function zoomed(
  { span, from }: Pick<Shown, 'span' | 'from'>,
  by: number,
  at?: number,
): Pick<Shown, 'span' | 'from'> {
  const next = limitedSpan(span * by)
  if (from === undefined) return { span: next }
  const fixed = at ?? from + span / 2
  return { span: next, from: fixed - ((fixed - from) / span) * next }
}

/** A list without a thing that was in it, or else with it. */
export const toggled = <T>(list: readonly T[], one: T): T[] =>
  list.includes(one) ? list.filter(other => other !== one) : [...list, one]

/** Seconds from the list that make at most `count` steps of a span. */
export const stepOf = (steps: readonly number[], span: number, count: number): number =>
  steps.find(step => span / step <= count) ?? steps.at(-1)!

export const RULER_STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 86_400, 604_800]
export const CANDLE_STEPS = [5, 10, 15, 30, 60, 120, 300, 900, 3600, 14_400, 86_400]

/** Seconds as `8m` or `90s`. */
export function toSpan(seconds: number): string {
  const [size, unit] = (
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'm'],
    ] as const
  ).find(([one]) => seconds % one === 0) ?? [1, 's']
  return `${seconds / size}${unit}`
}

const ofText = (text: string | null): number | undefined => {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : toKnown(ms / 1000)
}
const toNumber = (text: string | null): number | undefined => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined)
const spanOf = (text: string | null): number | undefined =>
  /^\d{1,8}[smhdw]$/.test(text ?? '') ? limitedSpan(toSeconds(text!)) : undefined

const listOf = <T extends string>(text: string | null, known: readonly T[]): T[] => {
  const wanted = (text ?? '').split('.')
  return known.filter(name => wanted.includes(name))
}

/** Reads an address such as `#/axis?f=BTCUSD&w=8m`. Unknown parts are dropped. */
export function readAddress(hash: string): Shown {
  const query = new URLSearchParams(hash.split('?')[1] ?? '')
  const [start, width] = (query.get('v') ?? '').split('~')
  const from = ofText(start ?? null)
  return {
    session: query.get('s') || undefined,
    feed: query.get('f') ?? undefined,
    span: spanOf(width ?? null) ?? spanOf(query.get('w')) ?? DEFAULT_SPAN,
    from,
    cursor: ofText(query.get('t')),
    request: toNumber(query.get('r')),
    fault: toNumber(query.get('x')),
    got: listOf(query.get('got'), GOT),
    lanes: listOf(query.get('e'), LANES),
  }
}

/** The address of what is shown. */
export function toAddress({ session, feed, span, from, cursor, request, fault, got, lanes }: Shown): string {
  const parts = [
    ['s', session],
    ['f', feed],
    from === undefined ? ['w', toSpan(span)] : ['v', `${toInstant(from)}~${toSpan(span)}`],
    ['t', cursor === undefined ? undefined : toInstant(cursor)],
    ['r', request],
    ['x', fault],
    ['got', got.join('.')],
    ['e', lanes.join('.')],
  ] as const
  const query = parts.filter(([, value]) => value !== undefined && value !== '').map(pair => pair.join('='))
  return `#/axis?${query.join('&')}`
}
