// The code of docs/testing.md as a project of its own: in process and on a shared server.
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { readExamples } from '../package/examples.js'
import { createConsumer } from './consumer.js'
import { FILES } from './docs-page.js'

it('behavior: its tests pass in process and on a server, and its types check', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  // Blocks without a file name stand alone: test/package runs each of them.
  const parts = readExamples(fileURLToPath(new URL('../..', import.meta.url))).filter(
    ({ title, runner }) => title.startsWith('testing.md') && runner === 'project',
  )
  expect(parts.map(({ code }) => code.split('\n', 1)[0])).toEqual(Object.keys(FILES).map(file => `// ${file}`))
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
