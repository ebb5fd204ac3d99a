// The TypeScript that README and docs show, as files of a project: what each imports says how it is run.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How an example is run; a part of a project is run with the rest of it, by `test/kits`. */
export type Runner = 'node' | 'page' | 'vitest' | 'playwright' | 'project'

/** An example as it is written. */
export interface Example {
  /** The page that shows it, and where there. */
  readonly title: string
  /** The file of a project that holds it. */
  readonly file: string
  readonly runner: Runner
  readonly code: string
}

const RUNNERS: readonly (readonly [door: string, runner: Runner, extension: string])[] = [
  ['price-feed-mock/vitest', 'vitest', 'test.ts'],
  ['price-feed-mock/playwright', 'playwright', 'spec.ts'],
  ['price-feed-mock/browser', 'page', 'ts'],
]

/** Every `ts` block of README.md and of the pages in docs. */
export function readExamples(root: string): Example[] {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'))]
  return pages.flatMap(page => {
    const text = readFileSync(join(root, page === 'README.md' ? '' : 'docs', page), 'utf8')
    return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: code }) => {
      const name = page.replace('.md', '').toLowerCase()
      const [, part] = /^\/\/ (\S+\.ts)\n/.exec(code!) ?? []
      if (part !== undefined)
        return { title: `${page}: ${part}`, file: `examples/${name}/${part}`, runner: 'project', code: code! } as const
      const line = text.slice(0, index).split('\n').length
      const [, runner, extension] = RUNNERS.find(([door]) => code!.includes(`'${door}'`)) ?? ['', 'node', 'ts']
      const file = `examples/${runner}/${name}-${line}.${extension}`
      return { title: `${page}:${line}`, file, runner, code: code! } as const
    })
  })
}
