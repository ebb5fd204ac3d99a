// The code of docs/testing.md as a project of its own: in process and on a shared server.
import { expect, inject, it } from 'vitest'
import { createConsumer } from './consumer.js'
import { FILES, page } from './docs-page.js'

it('behavior: its tests pass in process and on a server, and its types check', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  expect(page.match(/```ts/g)).toHaveLength(Object.keys(FILES).length)
  const { run } = createConsumer('kits-docs', {
    ...FILES,
    'in-process.config.js': "export default { test: { include: ['*.test.ts'] } }",
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    }),
  })
  for (const config of ['in-process.config.js', 'vitest.config.ts']) {
    const args = ['run', '--config', config, '--testTimeout', '60000']
    const { status, output } = await run('vitest/vitest.mjs', args, { signal })
    expect(output).toMatch(/Tests {2}4 passed/)
    expect(status, output).toBe(0)
  }
  expect(await run('typescript/bin/tsc', [], { signal })).toEqual({ status: 0, output: '' })
})
