// The commands of an example's README, as a reader runs them: in a copy beside a packed clone.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { missingProgram, needs } from '../support/needs.js'
import { blocksOf, INSTALL } from './example-readmes.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let folder: string

beforeAll(() => {
  expect(inject('buildProblem')).toBe('')
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-examples-')))
  const clone = join(folder, 'price-feed-mock')
  mkdirSync(clone)
  // Without scripts: `prepack` would build again.
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--pack-destination', clone], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(packed.status, packed.stderr).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Those without other packages, and in a language that every machine of the tests has.
it('default: ci-shell installs the tarball and passes its tests', needs(missingProgram('bash')), context => {
  const copy = join(folder, 'ci-shell')
  cpSync(join(ROOT, 'examples/ci-shell'), copy, { recursive: true })
  const commands = blocksOf(join(copy, 'README.md')).find(block => block.startsWith(INSTALL))!
  // Test runners behave differently inside another one, and npm sets options for the npm inside it.
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^(VITEST|TEST|MODE|NODE_ENV|NODE_TEST|CI$|npm_)/.test(key),
  )
  const env = { ...Object.fromEntries(inherited), NO_COLOR: '1', npm_config_audit: 'false', npm_config_fund: 'false' }
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], { cwd: copy, env, encoding: 'utf8' })
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(stderr)) return context.skip('the registry cannot be reached')
  expect(stdout + stderr).toMatch(/pass 4/)
  expect(status).toBe(0)
  const { devDependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))
  expect(devDependencies).toEqual({ 'price-feed-mock': expect.stringMatching(/^file:/) })
})
