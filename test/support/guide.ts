// Pages whose code blocks are files and changes of files: `js consumer.js` is a file, `diff consumer.js` a change of one.

/** A block of a page that names a file. */
export interface Step {
  /** The language of a new file, or `diff`. */
  readonly kind: string
  readonly file: string
  readonly text: string
}

/** The blocks of a text that name a file, in order. */
export const stepsOf = (text: string): Step[] =>
  [...text.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(([, kind, file, body]) => ({
    kind: kind!,
    file: file!,
    text: body!,
  }))

/** A text with a change: hunks that `@@` separates, each of whose lines must occur once, in this order. */
export const applyDiff = (source: string, diff: string): string => diff.split(/^@@\n/m).reduce(applyHunk, source)

function applyHunk(source: string, hunk: string): string {
  const lines = hunk.split('\n').filter(line => line !== '')
  const side = (dropped: string): string =>
    lines.flatMap(line => (line.startsWith(dropped) ? [] : [`${line.slice(1)}\n`])).join('')
  const [before, after] = [side('+'), side('-')]
  const parts = `\n${source}`.split(`\n${before}`)
  if (before === '' || parts.length !== 2) throw new Error(`Lines found ${parts.length - 1} times:\n${before}`)
  return parts.join(`\n${after}`).slice(1)
}
