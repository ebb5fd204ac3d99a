// From log price to price with arithmetic that is the same in every engine: Math.exp and Math.pow differ in the last bit.

/** Powers of ten by exponent, 0 … 18, each an exact double. */
export const POWERS_OF_TEN: readonly number[] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
]

/** (1 + x/1024)^1024, close to e^x for |x| < 1 and monotone, so that the highest x is the highest price. */
export function exponential(x: number): number {
  let y = 1 + x / 1024
  for (let i = 0; i < 10; i++) y *= y
  return y
}
