// Builds `dist`: aside, and then file by file into place. One builder works at a time, so that no reader meets half of a build.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const dist = join(root, 'dist')
const compiler = join(modules, 'typescript', 'bin', 'tsc')
const bundler = join(modules, 'vite', 'bin', 'vite.js')
const lock = join(root, '.build', 'build.lock')

/** The built program. It is put in place last: its time is that of the whole build. */
export const program = join(dist, 'program', 'main.js')

/** A lock older than this is left over, whatever process has its number now. */
const MAX_LOCK_MS = 300_000
const POLL_MS = 50

/** The steps of a build into `folder`, with the first line of the error when one fails. */
const stepsInto = folder => [
  [
    'the sources do not compile.',
    // More checkers find the types of the same declarations again, each for itself.
    [compiler, '-p', join(root, 'src', 'tsconfig.build.json'), '--checkers', '1', '--outDir', folder],
  ],
  [
    'the program cannot be bundled.',
    [
      bundler,
      'build',
      '--configLoader',
      'native',
      '--config',
      join(root, 'scripts', 'program-bundle.config.mjs'),
      '--outDir',
      join(folder, 'program'),
    ],
  ],
  [
    'the console cannot be built.',
    [
      bundler,
      'build',
      '--configLoader',
      'native',
      '--config',
      join(root, 'console', 'vite.config.mjs'),
      '--outDir',
      join(folder, 'console'),
    ],
  ],
]

/** Builds when the sources are newer than the program. Returns the error message when that fails. */
export function buildIfNeeded() {
  if (!existsSync(modules)) return 'the dependencies are not installed: run npm ci first.'
  if (isFresh()) return undefined
  if (!existsSync(compiler) || !existsSync(bundler))
    return 'the compiler is missing, since development dependencies were left out: run npm ci without --omit=dev, or use the published package.'
  // Another builder may have finished meanwhile.
  return withLock(() => (isFresh() ? undefined : build()))
}

function isFresh() {
  return existsSync(program) && statSync(program).mtimeMs >= newestSource()
}

/** The modification time of the newest source file, in milliseconds. */
function newestSource() {
  return ['src', 'console']
    .flatMap(folder => filesIn(join(root, folder)))
    .filter(file => !file.endsWith('.test.ts'))
    .reduce((latest, file) => Math.max(latest, statSync(file).mtimeMs), 0)
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
}

function build() {
  const aside = join(root, '.build', `dist-${process.pid}`)
  // A source that changes during the build is newer than the program.
  const startedAt = Date.now() / 1000
  try {
    for (const [message, args] of stepsInto(aside)) {
      // Another NODE_ENV, such as that of a test runner, would bundle the development form of packages.
      const env = { ...process.env, NODE_ENV: 'production' }
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root, env })
      if (status !== 0) return `${message}\n${stdout}${stderr}`
    }
    utimesSync(join(aside, 'program', 'main.js'), startedAt, startedAt)
    putInPlace(aside)
    return undefined
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** Moves each file to `dist`. A rename replaces a file at once: readers get the old one or the new one. */
function putInPlace(aside) {
  const names = filesIn(aside).map(file => relative(aside, file))
  const last = relative(dist, program)
  for (const name of [...names.filter(each => each !== last), last]) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    renameSync(join(aside, name), join(dist, name))
  }
  const built = new Set(names)
  for (const file of filesIn(dist)) if (!built.has(relative(dist, file))) rmSync(file, { force: true })
}

/** Runs a function while no other process does. */
function withLock(act) {
  mkdirSync(dirname(lock), { recursive: true })
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
  try {
    return act()
  } finally {
    releaseLock([String(process.pid)])
  }
}

/** Removes owners and then the lock, unless it has a new owner by then. */
function releaseLock(owners) {
  try {
    for (const owner of owners) rmSync(join(lock, owner), { force: true })
    rmdirSync(lock)
  } catch {
    // It is gone, or has a new owner.
  }
}

function takeLock() {
  // Made aside as well: a lock is never without its owner.
  const mine = `${lock}-${process.pid}`
  rmSync(mine, { recursive: true, force: true })
  mkdirSync(mine)
  writeFileSync(join(mine, String(process.pid)), '')
  try {
    // Fails while another lock is there, because that is not empty.
    renameSync(mine, lock)
    return true
  } catch {
    rmSync(mine, { recursive: true, force: true })
    removeStaleLock()
    return false
  }
}

/** Removes the lock of a builder that was ended. */
function removeStaleLock() {
  try {
    const isOld = Date.now() - statSync(lock).mtimeMs > MAX_LOCK_MS
    const owners = readdirSync(lock)
    if (isOld || !owners.some(owner => isRunning(Number(owner)))) releaseLock(owners)
  } catch {
    // It has just been removed.
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// `npm run build`: builds in any case.
if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  const problem = withLock(build)
  if (problem !== undefined) {
    process.stderr.write(`price-feed-mock: ${problem}\n`)
    process.exitCode = 1
  }
}
