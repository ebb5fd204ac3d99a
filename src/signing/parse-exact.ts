// Reads JSON without losing digits: an integer that a number cannot hold becomes a bigint.

/** An integer of a reply: a number where that is exact, otherwise a bigint. `Number(price)` is a number in both cases. */
export type ExactInteger = number | bigint

/** The start of a string, or a number. */
const TOKENS = /"|-?\d[\d.eE+-]*/g
/** A part of a string, up to its end or with an escape: a pattern for all of it would need a stack for its escapes. */
const PART_OF_STRING = /[^"\\]*(\\.)?/y
const AFTER_KEY = /\s*:/y
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
 * @throws SyntaxError for text that is not JSON, as `JSON.parse`, and for such integers within thousands of levels
 * @example
 * const body = parseExact(await response.text())
 */
export function parseExact(text: string, { plainDigits = false }: ParseOptions = {}): unknown {
  const rounded: unknown = JSON.parse(text)
  if (!MANY_DIGITS.test(text) && !plainDigits) return rounded
  let found = false
  // Every value gets a mark of its kind, so that no text can pass for a number. Keys stay as they are.
  const toMarked = (token: string): string => {
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    const isPlain = /^-?\d+$/.test(token)
    if (isPlain === Number.isSafeInteger(Number(token)) || (!isPlain && !plainDigits)) return token
    found = true
    return `"${isPlain ? 'i' : 's'}${token}"`
  }
  let marked = ''
  let done = 0
  TOKENS.lastIndex = 0
  for (let match = TOKENS.exec(text); match !== null; match = TOKENS.exec(text)) {
    if (match[0] === '"') {
      PART_OF_STRING.lastIndex = TOKENS.lastIndex
      while (PART_OF_STRING.exec(text)?.[1]);
      AFTER_KEY.lastIndex = TOKENS.lastIndex = PART_OF_STRING.lastIndex + 1
      if (AFTER_KEY.test(text)) continue
    }
    marked += text.slice(done, match.index) + toMarked(text.slice(match.index, TOKENS.lastIndex))
    done = TOKENS.lastIndex
  }
  if (!found) return rounded
  try {
    return JSON.parse(marked + text.slice(done), (_, value: unknown) =>
      typeof value !== 'string' ? value : value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1),
    )
  } catch (cause) {
    // Each level takes a part of the stack.
    throw new SyntaxError('The JSON is nested too deeply to be read exactly.', { cause })
  }
}
