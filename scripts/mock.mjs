// `npm run mock`: compiles when the sources are newer than what was compiled, then runs the program.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const program = join(root, 'dist', 'cli', 'main.js')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** The time of the newest file below a folder that is compiled, in milliseconds. */
function newest(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs), 0)
}

/** Compiles if needed; returns a shortMessage when that cannot be done. */
function compile() {
  if (!existsSync(join(root, 'node_modules'))) return 'the dependencies are not installed: run npm ci first.'
  if (existsSync(program) && statSync(program).mtimeMs >= newest(join(root, 'src'))) return undefined
  if (!existsSync(compiler))
    return 'the TypeScript compiler is missing, since development dependencies were left out: run npm ci without --omit=dev, or use the published package.'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiler, '-p', join(root, 'src', 'tsconfig.build.json')],
    {
      encoding: 'utf8',
    },
  )
  return status === 0 ? undefined : `the sources do not compile.\n${stdout}${stderr}`
}

const problem = compile()
if (problem === undefined) {
  await import(pathToFileURL(program))
} else {
  process.stderr.write(`price-feed-mock: ${problem}\n`)
  process.exitCode = 1
}
