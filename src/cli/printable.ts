// Makes untrusted text safe to print on a terminal.

/** Control characters, characters that change the text direction, and line separators that JSON does not escape. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The text on one line, with unsafe characters escaped as in JSON. */
export function toPrintable(text: string): string {
  return text.replace(UNSAFE, character => {
    const escaped = JSON.stringify(character).slice(1, -1)
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped
  })
}
