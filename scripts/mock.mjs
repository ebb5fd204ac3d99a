// `npm run mock`: builds when the sources are newer than the program, then runs the program.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const program = join(root, 'dist', 'program', 'main.js')
const compiler = join(modules, 'typescript', 'bin', 'tsc')
const bundler = join(modules, 'vite', 'bin', 'vite.js')

/** The steps of `npm run build`, with the first line of the error when one fails. */
const STEPS = [
  ['the sources do not compile.', [compiler, '-p', join(root, 'src', 'tsconfig.build.json')]],
  [
    'the program cannot be bundled.',
    [bundler, 'build', '--configLoader', 'native', '--config', join(root, 'scripts', 'program-bundle.config.mjs')],
  ],
]

/** The modification time of the newest source file, in milliseconds. */
function newestSource() {
  return readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs), 0)
}

/** Builds if needed. Returns the error message when that fails. */
function buildIfNeeded() {
  if (!existsSync(modules)) return 'the dependencies are not installed: run npm ci first.'
  if (existsSync(program) && statSync(program).mtimeMs >= newestSource()) return undefined
  if (!existsSync(compiler) || !existsSync(bundler))
    return 'the compiler is missing, since development dependencies were left out: run npm ci without --omit=dev, or use the published package.'
  for (const [message, args] of STEPS) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root })
    if (status !== 0) return `${message}\n${stdout}${stderr}`
  }
  return undefined
}

const problem = buildIfNeeded()
if (problem === undefined) {
  await import(pathToFileURL(program))
} else {
  process.stderr.write(`price-feed-mock: ${problem}\n`)
  process.exitCode = 1
}
