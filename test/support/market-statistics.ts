// Figures of series, as they are known of real markets.

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The fourth moment in units of the squared variance: 3 for a normal distribution. */
export function kurtosis(values: Float64Array): number {
  const squares = values.map(value => value * value)
  return mean(squares.map(square => square * square)) / mean(squares) ** 2
}

/** The correlation of two series. */
export function correlation(xs: Float64Array, ys: Float64Array): number {
  const [mx, my] = [mean(xs), mean(ys)]
  let [xx, yy, xy] = [0, 0, 0]
  for (const [i, x] of xs.entries()) {
    const y = ys[i]!
    xx += (x - mx) ** 2
    yy += (y - my) ** 2
    xy += (x - mx) * (y - my)
  }
  return xy / Math.sqrt(xx * yy)
}

/** The correlation of a series with itself, some steps later. */
export const autocorrelation = (values: Float64Array, lag: number): number =>
  correlation(values.subarray(0, values.length - lag), values.subarray(lag))

/** The root of the mean square of the steps whose number is chosen. */
export function deviation(values: Float64Array, isChosen: (index: number) => boolean = () => true): number {
  const chosen = values.filter((_, i) => isChosen(i))
  return Math.sqrt(mean(chosen.map(value => value * value)))
}
