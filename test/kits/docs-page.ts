// The files of the project that docs/testing.md shows.
import { readFileSync } from 'node:fs'

/** The text of docs/testing.md. */
export const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')

/** The code blocks of the page, by the file name in their first line. */
export const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, file, code]) => [file!, code!]),
)
