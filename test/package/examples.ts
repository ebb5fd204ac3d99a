// The TypeScript examples of README and docs, as files of a project. The imports of an example decide how it runs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How an example runs. `test/kits` runs the parts of a project together. */
export type Runner = 'node' | 'page' | 'vitest' | 'playwright' | 'project'

/** An example as written. */
export interface Example {
  /** Its page and line. */
  readonly title: string
  /** Its file in the project. */
  readonly file: string
  readonly runner: Runner
  readonly code: string
}

const RUNNERS: readonly (readonly [entryPoint: string, runner: Runner, extension: string])[] = [
  ['price-feed-mock/vitest', 'vitest', 'test.ts'],
  ['price-feed-mock/playwright', 'playwright', 'spec.ts'],
  ['price-feed-mock/browser', 'page', 'ts'],
]

/** Every `ts` block of README.md and docs/*.md. */
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
      const [, runner, extension] = RUNNERS.find(([entryPoint]) => code!.includes(`'${entryPoint}'`)) ?? [
        '',
        'node',
        'ts',
      ]
      const file = `examples/${runner}/${name}-${line}.${extension}`
      return { title: `${page}:${line}`, file, runner, code: code! } as const
    })
  })
}

/** Requests for examples that only set up a server, by the entry point that they import. */
const REQUESTS: Readonly<Record<string, string>> = {
  'price-feed-mock/express': `const listener = app.listen(0, '127.0.0.1', async () => {
  const url = \`http://127.0.0.1:\${listener.address().port}/feed/prices/BTCUSD/latest\`
  const { status, headers } = await fetch(url, { headers: { authorization: 'test-api-key' } })
  console.log(status, headers.get('x-price-feed-mock'))
  listener.close()
  listener.closeAllConnections()
})
`,
}

/** JavaScript that follows an example which only sets up a server: asks it, prints the reply and ends it. */
export function requestOf(code: string): string {
  return REQUESTS[Object.keys(REQUESTS).find(name => code.includes(`'${name}'`)) ?? ''] ?? ''
}
