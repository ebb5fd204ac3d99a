// `npm run mock`: runs what is built, and reports missing dependencies. mock-script.full.test.ts builds.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../src/version.js'
import { createScriptCopy, type ScriptCopy } from './support/script-copy.js'

describe('with a build', () => {
  let copy: ScriptCopy
  beforeAll(() => {
    expect(inject('buildProblem')).toBe('')
    copy = createScriptCopy()
    copy.linkDependencies()
    copy.copyBuild()
  })
  afterAll(() => copy?.remove())

  it('default: does not build again', () => {
    const before = copy.builtAt()
    expect(copy.run('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' })
    expect(copy.builtAt()).toBe(before)
  })

  it('behavior: `npm ci` does not build again', () => {
    const before = copy.builtAt()
    expect(copy.prepare()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(copy.builtAt()).toBe(before)
  })

  it('behavior: does not build for a newer test', () => {
    writeFileSync(join(copy.folder, 'src', 'some.test.ts'), '// A test.\n')
    const before = copy.builtAt()
    expect(copy.run('--version').status).toBe(0)
    expect(copy.builtAt()).toBe(before)
  })

  it('behavior: passes on arguments, streams and exit codes', () => {
    const { status, stdout, stderr } = copy.run('keys', '--format', 'json')
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ testKey: 0 })
    const wrong = copy.run('--port', 'x')
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('--port')
  })
})

describe('without dependencies', () => {
  let copy: ScriptCopy
  beforeAll(() => (copy = createScriptCopy()))
  afterAll(() => copy.remove())

  const isOneSentence = /^price-feed-mock: [^\n]*\.\n$/

  it('behavior: `npm ci --omit=dev` builds nothing and does not fail', () => {
    expect(copy.prepare()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(existsSync(copy.program)).toBe(false)
  })

  it('error: no dependencies', () => {
    const { status, stdout, stderr } = copy.run('--version')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(isOneSentence)
    expect(stderr).toContain('npm ci')
    expect(existsSync(copy.program)).toBe(false)
  })

  it('error: no dependencies, although the program is built', () => {
    mkdirSync(join(copy.folder, 'dist', 'program'), { recursive: true })
    writeFileSync(copy.program, '')
    const { status, stderr } = copy.run('--version')
    rmSync(join(copy.folder, 'dist'), { recursive: true })
    expect(status).toBe(1)
    expect(stderr).toContain('npm ci')
  })

  it('error: no compiler', () => {
    mkdirSync(join(copy.folder, 'node_modules'))
    const { status, stdout, stderr } = copy.run('--version')
    rmSync(join(copy.folder, 'node_modules'), { recursive: true })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(isOneSentence)
    expect(stderr).toContain('--omit=dev')
  })
})
