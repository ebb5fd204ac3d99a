// Statistics as z-scores: how many standard deviations a sum of many draws is from what independent uniform draws would give.

/** A sample of numbers in [−1, 1). */
export type Sample = Float64Array

/** Mean and variance of a uniform number in [−1, 1), and the variances of its square and of two of them multiplied. */
const VARIANCE = 1 / 3
const VARIANCE_OF_SQUARE = 4 / 45

export function zOfMean(sample: Sample): number {
  let sum = 0
  for (let i = 0; i < sample.length; i++) sum += sample[i]!
  return sum / Math.sqrt(sample.length * VARIANCE)
}

export function zOfVariance(sample: Sample): number {
  let sum = 0
  for (let i = 0; i < sample.length; i++) sum += sample[i]! * sample[i]! - VARIANCE
  return sum / Math.sqrt(sample.length * VARIANCE_OF_SQUARE)
}

/** The correlation of two samples. */
export function zOfProduct(a: Sample, b: Sample): number {
  const n = Math.min(a.length, b.length)
  let sum = 0
  for (let i = 0; i < n; i++) sum += a[i]! * b[i]!
  return sum / Math.sqrt(n * VARIANCE * VARIANCE)
}

/** The correlation of the squares of two samples: whether one is wild where the other is. */
export function zOfSquares(a: Sample, b: Sample): number {
  const n = Math.min(a.length, b.length)
  let sum = 0
  for (let i = 0; i < n; i++) sum += (a[i]! * a[i]! - VARIANCE) * (b[i]! * b[i]! - VARIANCE)
  return sum / Math.sqrt(n * VARIANCE_OF_SQUARE * VARIANCE_OF_SQUARE)
}

/** The product of three samples: dependence that no two of them show. */
export function zOfTriple(a: Sample, b: Sample, c: Sample): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]! * c[i]!
  return sum / Math.sqrt(a.length * VARIANCE * VARIANCE * VARIANCE)
}

/** Chi-square over equal bins. */
export function zOfBins(sample: Sample, bins: number): number {
  const counts = new Int32Array(bins)
  for (let i = 0; i < sample.length; i++) counts[Math.floor((sample[i]! + 1) * 0.5 * bins)]!++
  return zOfCounts(counts, sample.length)
}

/** Chi-square over the cells of a grid: any dependence of two samples that shows at this size. */
export function zOfGrid(a: Sample, b: Sample, side = 16): number {
  const n = Math.min(a.length, b.length)
  const counts = new Int32Array(side * side)
  for (let i = 0; i < n; i++)
    counts[Math.floor((a[i]! + 1) * 0.5 * side) * side + Math.floor((b[i]! + 1) * 0.5 * side)]!++
  return zOfCounts(counts, n)
}

/** Wilson and Hilferty: the cube root of a chi-square is close to normal, far into the tail. */
function zOfCounts(counts: Int32Array, n: number): number {
  const expected = n / counts.length
  let chi = 0
  for (const count of counts) chi += ((count - expected) * (count - expected)) / expected
  const freedom = counts.length - 1
  const spread = 2 / (9 * freedom)
  return (Math.cbrt(chi / freedom) - (1 - spread)) / Math.sqrt(spread)
}

/** Many z-scores together: the largest, where it was found, and their root mean square, which is 1 for true randomness. */
export type Verdict = { readonly count: number; readonly largest: number; readonly at: string; readonly rms: number }

/** Collects z-scores by the place they were found at. */
export function createJury() {
  let [count, squares, largest, at] = [0, 0, 0, '']
  return {
    hear(z: number, place: string): void {
      count++
      squares += z * z
      // A sample that is not a number must not pass.
      if (!(Math.abs(z) <= Math.abs(largest))) [largest, at] = [z, place]
    },
    verdict: (): Verdict => ({ count, largest, at, rms: Math.sqrt(squares / count) }),
  }
}
