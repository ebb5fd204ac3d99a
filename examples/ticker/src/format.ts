// Formats numbers and times for people.

/** 74 as "1 min 14 s", 7200 as "2 h". */
export function formatAge(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return join(Math.floor(whole / 60), 'min', whole % 60, 's')
  if (whole < 86_400) return join(Math.floor(whole / 3600), 'h', Math.floor(whole / 60) % 60, 'min')
  return join(Math.floor(whole / 86_400), 'd', Math.floor(whole / 3600) % 24, 'h')
}

const join = (large: number, unit: string, small: number, smallUnit: string): string =>
  `${large} ${unit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`

/** Decimals that distinguish a price from its neighbours: 2 for 113,943.22, 5 for 1.17432 and for 0.16739. */
export function decimalsOf(price: number): number {
  const beforePoint = price > 0 ? Math.floor(Math.log10(price)) + 1 : 1
  return Math.min(12, Math.max(2, (price < 1 ? 5 : 6) - beforePoint))
}

/** A price with its significant decimals. */
export function formatPrice(price: number): string {
  const digits = decimalsOf(price)
  return price.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Seconds since the epoch as `2025-07-24 10:48:25`, in UTC. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
