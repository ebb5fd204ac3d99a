// Formats numbers, prices and times for people.
import { LATEST } from '../../src/settings/time.js'

/** Decimals that distinguish a price from its neighbours: 2 for 111,383.75, 5 for 1.17432. */
export function decimalsOf(price: number): number {
  const beforePoint = price > 0 ? Math.floor(Math.log10(price)) + 1 : 1
  return Math.min(18, Math.max(2, (price < 1 ? 5 : 6) - beforePoint))
}

/** A price with its significant decimals. */
export function formatPrice(price: number): string {
  if (price === 0) return '0'
  const digits = decimalsOf(Math.abs(price))
  return price.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** 0.0123 as `+1.23 %`. */
export function formatChange(ratio: number): string {
  const percent = Math.round(10_000 * ratio) / 100
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(2)} %`
}

/** Seconds as `3 s`, `1 min 14 s`, `2 h 5 min`, `3 d`. */
export function formatAge(seconds: number): string {
  const whole = Math.round(Math.abs(seconds))
  const sign = seconds < 0 ? '−' : ''
  if (whole < 60) return `${sign}${whole} s`
  if (whole < 3600) return sign + join(Math.floor(whole / 60), 'min', whole % 60, 's')
  if (whole < 86_400) return sign + join(Math.floor(whole / 3600), 'h', Math.floor(whole / 60) % 60, 'min')
  return sign + join(Math.floor(whole / 86_400), 'd', Math.floor(whole / 3600) % 24, 'h')
}

/** Seconds in their largest unit: `5 min`. */
export function formatShortAge(seconds: number): string {
  if (Math.abs(seconds) < 60) return formatAge(seconds)
  const [size, unit] = Math.abs(seconds) < 3600 ? [60, 'min'] : Math.abs(seconds) < 86_400 ? [3600, 'h'] : [86_400, 'd']
  return `${seconds < 0 ? '−' : ''}${Math.floor(Math.abs(seconds) / Number(size))} ${unit}`
}

const join = (large: number, unit: string, small: number, smallUnit: string): string =>
  `${large} ${unit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`

/** Seconds since the epoch as `2025-07-24 10:48:25`, in UTC. */
export const formatInstant = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** Seconds since the epoch as `10:48:25`, in UTC. */
export const formatTime = (seconds: number): string => formatInstant(seconds).slice(11)

/** 0.412 as `0.4 ms`, 5321 as `5.3 s`. */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

/** 74 as `74 requests`. */
export const plural = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** Seconds since the epoch as `2025-07-24T10:48:25Z`. */
export const toInstant = (seconds: number): string =>
  new Date(Math.round(seconds) * 1000).toISOString().replace('.000', '')

/** Whether a text has what is searched. Hyphens count as spaces: `wrong-signer` is found by "wrong signer". */
export function matches(search: string, ...texts: readonly string[]): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll('-', ' ')
  return texts.some(text => plain(text).includes(plain(search.trim())))
}

/** A price as people write it, such as `50000`; undefined if it is none. With more digits it could be infinite. */
export const readPrice = (text: string): number | undefined =>
  /^\d{1,300}(\.\d+)?$/.test(text) ? Number(text) : undefined

/** The seconds of a time in UTC as people write it, such as `2025-07-24 10:48`; undefined if it is none. */
export function readInstant(text: string): number | undefined {
  const found = /^(\d{4}-\d{2}-\d{2})[t ](\d{1,2})(:\d{2})(:\d{2})?z?$/i.exec(text.trim())
  if (found === null) return undefined
  const [, day, hour, minute, second = ':00'] = found
  const ms = Date.parse(`${day}T${hour!.padStart(2, '0')}${minute}${second}Z`)
  // Browsers read 30 February as 2 March.
  return ms >= 0 && ms <= LATEST * 1000 && toInstant(ms / 1000).startsWith(day!) ? ms / 1000 : undefined
}
