// Text that somebody else wrote, for a terminal: it is read there and must not drive it.

/** Control characters, those that turn the direction of text, and the line ends that JSON leaves as they are. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** A text on one line, with what would drive a terminal as JSON escapes it. */
export function toPrintable(text: string): string {
  return text.replace(STEERING, character => {
    const escaped = JSON.stringify(character).slice(1, -1)
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped
  })
}
