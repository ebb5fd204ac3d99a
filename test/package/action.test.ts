// The steps of action.yml, run by bash as a runner does: they use the checkout of the action, and nothing from a registry.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createFolder, ROOT } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'

const NEEDS_BASH = needs(missingProgram('bash'))
const text = readFileSync(join(ROOT, 'action.yml'), 'utf8')
/** The scripts of the steps, without their indentation. */
const [build, command] = [...text.matchAll(/^ {6}run: \|\n((?: {8}.*\n|\n)+)/gm)].map(([, script]) =>
  script!.replace(/^ {8}/gm, ''),
) as [string, string]

let folder: string
beforeEach(() => {
  expect(inject('buildProblem')).toBe('')
  folder = createFolder(onTestFinished)
  mkdirSync(join(folder, 'bin'))
  // Record their calls. Nothing is installed or downloaded.
  for (const name of ['npm', 'npx'])
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*" >> "${folder}/calls"\n`, { mode: 0o755 })
  writeFileSync(join(folder, 'calls'), '')
})

/** Runs a script as the runner runs `shell: bash`. */
function run(script: string, cwd: string, inputs: Readonly<Record<string, string>> = {}) {
  const env = {
    ...process.env,
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    GITHUB_ACTION_PATH: ROOT,
    ...inputs,
  }
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env,
    encoding: 'utf8',
    // On a socket, such as the default here, bash may read the start-up files of a remote shell.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { status, output: stdout + stderr, calls: readFileSync(join(folder, 'calls'), 'utf8') }
}

it('behavior: no step takes the package from a registry', () => {
  expect(build + command).not.toMatch(/npx|price-feed-mock@/)
  expect(text.match(/ run: \|/g)).toHaveLength(2)
})

describe('the build', NEEDS_BASH, () => {
  it('default: a checkout without a build is installed with its compiler, and built', () => {
    expect(run(build, folder)).toMatchObject({
      status: 0,
      calls: 'npm ci --include=dev --ignore-scripts --no-audit --no-fund\nnpm run build\n',
    })
  })

  it('behavior: a second use in a job does not build again', () => {
    expect(run(build, ROOT)).toMatchObject({ status: 0, calls: '' })
  })
})

describe('the command', NEEDS_BASH, () => {
  it('default: runs with the addresses in its environment, in the working folder', () => {
    const script = 'node -e "fetch(process.env.PRICE_FEED_BASE_URL).then(({ ok }) => console.log(ok, process.cwd()))"'
    const inputs = { INPUT_OPTIONS: '--seed 7 --frozen', INPUT_RUN: script }
    expect(run(command, folder, inputs)).toMatchObject({ status: 0, output: `true ${folder}\n`, calls: '' })
  })

  it('error: passes on the exit code of the command', () => {
    expect(run(command, folder, { INPUT_OPTIONS: '', INPUT_RUN: 'false | true' }).status).toBe(1)
    expect(run(command, folder, { INPUT_OPTIONS: '', INPUT_RUN: 'exit 7' }).status).toBe(7)
  })

  it('behavior: options are not expanded as file names', needs(missingProgram('curl')), () => {
    const inputs = { INPUT_OPTIONS: '--seed *', INPUT_RUN: 'curl --silent "$PRICE_FEED_BASE_URL/_mock/info"' }
    const { status, output } = run(command, folder, inputs)
    expect(status, output).toBe(0)
    expect(JSON.parse(output).seed).toBe('*')
  })
})
