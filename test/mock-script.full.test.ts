// `npm run mock` builds the program when sources are newer, and reports compiler errors. All of the real sources are built once
// before every run of tests; here a program of two files is built many times, by the same script and with the same configuration.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createScriptCopy, type ScriptCopy } from './support/script-copy.js'

const VERSION = '1.2.3'
const SOURCES = {
  'src/version.ts': `// The version.\nexport const VERSION: string = '${VERSION}'\n`,
  'src/cli/main.ts': "// The program.\nimport { VERSION } from '../version.js'\nconsole.log(VERSION)\n",
  'console/index.html': '<!doctype html><title>x</title>',
}

const success = (stdout: string) => ({ status: 0, stdout, stderr: '' })

let copy: ScriptCopy
beforeAll(() => {
  copy = createScriptCopy(SOURCES)
  copy.linkDependencies()
  // The first build.
  expect(copy.run('--version')).toMatchObject(success(`${VERSION}\n`))
})
afterAll(() => copy?.remove())

it('behavior: builds when a source is newer, and only once', () => {
  const source = join(copy.folder, 'src', 'version.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace(VERSION, '9.9.9'))
  // An old build, because the times of a file system are not precise enough.
  utimesSync(copy.program, 0, 0)
  expect(copy.run('--version')).toMatchObject(success('9.9.9\n'))
  const before = copy.builtAt()
  expect(before).toBeGreaterThan(0)
  copy.run('--version')
  expect(copy.builtAt()).toBe(before)
})

it('behavior: parallel starts after a change all succeed, and one of them builds', async () => {
  const source = join(copy.folder, 'src', 'version.ts')
  const [, version] = /'([^']+)'/.exec(readFileSync(source, 'utf8'))!
  for (let round = 0; round < 3; round++) {
    utimesSync(source, new Date(), new Date())
    expect(await copy.runParallel(4, '--version')).toEqual(Array(4).fill(`${version}\n0`))
    expect(readdirSync(join(copy.folder, '.build'))).toEqual([])
  }
})

it('behavior: a lock of a builder that was ended does not stop the next one', () => {
  const ended = spawnSync(process.execPath, ['--version']).pid
  mkdirSync(join(copy.folder, '.build', 'build.lock'), { recursive: true })
  writeFileSync(join(copy.folder, '.build', 'build.lock', String(ended)), '')
  utimesSync(copy.program, 0, 0)
  expect(copy.run('--version')).toMatchObject({ status: 0, stderr: '' })
  expect(copy.builtAt()).toBeGreaterThan(0)
})

it('error: reports compiler errors on every run', () => {
  const source = join(copy.folder, 'src', 'broken.ts')
  writeFileSync(source, "// A mistake.\nexport const broken: number = 'text'\n")
  utimesSync(copy.program, 0, 0)
  const runs = [copy.run('--version'), copy.run('--version')]
  rmSync(source)
  for (const { status, stdout, stderr } of runs) {
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^price-feed-mock: [^\n]*\.\nsrc\/broken\.ts\b.*error TS2322/)
  }
})
