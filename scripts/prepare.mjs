// The `prepare` script: builds what the package contains after `npm install` in a clone, and when the package is installed from git.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// `npm ci --omit=dev` installs no compiler. `npm run mock` reports that if there is no build either.
if (existsSync(join(root, 'node_modules', 'typescript'))) {
  // Builds only when the sources are newer than the program.
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'mock.mjs'), '--version'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.exitCode = status ?? 1
}
