// Reads JSON without losing digits: an integer that a number cannot hold becomes a bigint.

/** An integer of a reply: a number where that is exact, otherwise a bigint. `Number(price)` is a number in both cases. */
export type ExactInteger = number | bigint

/** A string with its colon if it is a key, or a number. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|-?\d[\d.eE+-]*/g
// Looked for at the start of a number alone, which takes a third of the time of a search at each of its digits.
const MANY_DIGITS = /(?:^|\D)\d{16}/

/** How strictly `parseExact` reads integers. */
export interface ParseOptions {
  /**
   * Keeps an integer in another notation, `1.1e13` or `5.0`, as its text, so that `verify` rejects it as `malformed`. Readers of
   * integers, such as those of Go, Rust and Java, reject it too.
   * @default false: it is a number
   */
  readonly plainDigits?: boolean | undefined
}

/**
 * Parses JSON like `JSON.parse`, with every integer beyond ±2^53 as a bigint. Signatures cover the exact digits.
 * @throws SyntaxError for text that is not JSON, as `JSON.parse`
 * @example
 * const body = parseExact(await response.text())
 */
export function parseExact(text: string, { plainDigits = false }: ParseOptions = {}): unknown {
  const rounded: unknown = JSON.parse(text)
  if (!MANY_DIGITS.test(text) && !plainDigits) return rounded
  let found = false
  // Every value gets a mark of its kind, so that no text can pass for a number. Keys stay as they are.
  const marked = text.replace(TOKENS, token => {
    if (token.startsWith('"')) return token.endsWith('"') ? `"s${token.slice(1)}` : token
    const isPlain = /^-?\d+$/.test(token)
    if (isPlain === Number.isSafeInteger(Number(token)) || (!isPlain && !plainDigits)) return token
    found = true
    return `"${isPlain ? 'i' : 's'}${token}"`
  })
  if (!found) return rounded
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value !== 'string' ? value : value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1),
  )
}
