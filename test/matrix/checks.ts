// The checks of an installed project: its version of Node, the command line, every documented example, and the types.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readExamples, requestOf } from '../package/examples.js'
import type { Ran } from '../support/run-program.js'
import type { Project } from './project.js'
import type { Row } from './rows.js'

/** A check of a project. Throws when it fails. */
export type Check = { readonly name: string; run(project: Project, row: Row): Promise<void> }

/** Where npm runs scripts. */
const ROOT = process.cwd()
const examples = readExamples(ROOT)
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const NODENEXT = { target: 'es2023', module: 'nodenext', lib: ['ES2023', 'DOM'], types: ['node', 'vite/client'] }

/** The code of an example for the vitest of a row: vitest 3 has `scoped` instead of `override`. */
const codeFor = (code: string, { vitest }: Row): string =>
  vitest === '3.2' ? code.replace(/\btest\.override\('(\w+)', (\{.*\})\)/g, 'test.scoped({ $1: $2 })') : code

/** Fails with the output if a program failed. */
function assertPassed({ status, output }: Ran, subject: string, pattern = /(?:)/): string {
  if (status === 0 && pattern.test(output)) return output
  throw new Error(`${subject}: exit ${status}\n${output}`)
}

/** The command line: `exec` with the settings of the README's first steps gives the bytes that it shows. */
const command: Check = {
  name: 'exec',
  async run(project, { node }) {
    assertPassed(await project.run('node', '--version'), 'node', new RegExp(`^v${node}\\.`))
    const [, flags] = /\nnpx price-feed-mock (--seed .*)\n/.exec(readme)!
    const [, reply] = /```json\n(\{"feedId".*\})\n```/.exec(readme)!
    project.write('reply.json', reply!)
    project.write(
      'first.mjs',
      `import { readFileSync } from 'node:fs'
const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
const text = await (await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization } })).text()
if (text !== readFileSync('reply.json', 'utf8')) throw new Error(text)
`,
    )
    const args = ['exec', ...flags!.split(' '), '--', 'node', 'first.mjs']
    assertPassed(await project.runBin('price-feed-mock', ...args), 'exec')
    assertPassed(await project.runBin('msw', 'init', 'public', '--save'), 'msw init')
    project.read('public/mockServiceWorker.js')
  },
}

/** The examples for Node: server, fetch, msw and Express. */
const node: Check = {
  name: 'Node',
  async run(project) {
    const own = examples.filter(({ runner }) => runner === 'node')
    for (const { file, code } of own) project.write(file, code)
    // Type errors have a check of their own.
    const compilerOptions = { ...NODENEXT, rootDir: 'examples/node', outDir: 'out', noCheck: true }
    project.write('emit.json', JSON.stringify({ compilerOptions, include: ['examples/node'] }))
    await project.runBin('tsc', '-p', 'emit.json')
    for (const { file, code, title } of own) {
      const script = file.replace('examples/node', 'out').replace(/ts$/, 'js')
      const request = requestOf(code)
      project.write(script, project.read(script) + request)
      assertPassed(await project.run('node', script), title, request === '' ? /^$/ : /^200 session="default"/)
    }
  },
}

/** The examples for vitest, and the project of docs/testing.md in process and on a shared server. */
const vitest: Check = {
  name: 'vitest',
  async run(project, row) {
    for (const { file, code } of examples.filter(({ runner }) => runner === 'vitest' || runner === 'project'))
      project.write(file, codeFor(code, row))
    project.write('in-process.config.js', "export default { test: { include: ['**/*.test.ts'] } }\n")
    const run = (...args: readonly string[]) => project.runBin('vitest', 'run', '--testTimeout=60000', ...args)
    const config = join(project.folder, 'in-process.config.js')
    assertPassed(await run('--config', config, '--root', 'examples/vitest'), 'vitest', /Tests {2}\d+ passed/)
    const [inProcess, shared] = [
      await run('--config', config, '--root', 'examples/testing'),
      await run('--root', 'examples/testing'),
    ].map(ran => /Tests {2}(\d+ passed)/.exec(assertPassed(ran, 'docs/testing.md'))?.[1])
    if (inProcess === undefined || inProcess !== shared) throw new Error(`docs/testing.md: ${inProcess}, ${shared}`)
  },
}

/** The types of every example and entry point, without skipping declarations. */
const types: Check = {
  name: 'types',
  async run(project, row) {
    for (const { file, code } of examples) project.write(file, codeFor(code, row))
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>
    }
    const imports = Object.entries(manifest.exports)
      .filter(([, target]) => typeof target !== 'string')
      .map(([name], i) => `import * as entry${i} from '${name.replace('.', 'price-feed-mock')}'\nvoid entry${i}\n`)
    project.write('all.ts', imports.join(''))
    // An error that must be found, so that an empty output means something.
    project.write('wrong.ts', "import { createMock } from 'price-feed-mock'\ncreateMock({ sede: '42' })\n")
    const compilerOptions = { ...NODENEXT, strict: true, noEmit: true, skipLibCheck: false }
    const include = ['all.ts', 'wrong.ts', 'examples']
    project.write('types.json', JSON.stringify({ compilerOptions, include }))
    const { output } = await project.runBin('tsc', '-p', 'types.json')
    const lines = output.split('\n').filter(line => /error TS/.test(line))
    // Declarations of other packages may need more of the platform.
    const found = lines.filter(line => !line.includes('node_modules/') || line.includes('/price-feed-mock/'))
    if (found.length !== 1 || !/^wrong\.ts\(2,14\).*'sede'/.test(found[0]!)) throw new Error(`types:\n${output}`)
  },
}

/** In the order of the table. */
export const CHECKS: readonly Check[] = [command, node, vitest, types]
