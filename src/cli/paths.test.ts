// The kind of file at a path: all kinds, and paths that could throw.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { missingProgram, needs } from '../../test/support/needs.js'
import { kindAt } from './files.js'

const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

it('default: a file, a folder, nothing', () => {
  writeFileSync(at('file'), '')
  expect(kindAt(at('file'))).toBe('file')
  expect(kindAt(folder)).toBe('folder')
  expect(kindAt(at('nothing'))).toBeUndefined()
  expect(kindAt(at('file/below'))).toBeUndefined()
})

it('behavior: a link has the kind of its target; a broken link is a link', () => {
  symlinkSync(folder, at('good'))
  symlinkSync(at('nothing'), at('dangling'))
  symlinkSync(at('loop'), at('loop'))
  expect(['good', 'dangling', 'loop'].map(name => kindAt(at(name)))).toEqual(['folder', 'link', 'link'])
})

it('behavior: a pipe, and a device', needs(missingProgram('mkfifo')), () => {
  execFileSync('mkfifo', [at('pipe')])
  expect(kindAt(at('pipe'))).toBe('pipe')
  expect(kindAt('/dev/null')).toBe('pipe')
})

it('behavior: an impossible name is undefined', () => {
  expect(kindAt('x'.repeat(10_000))).toBeUndefined()
  expect(kindAt('a\0b')).toBeUndefined()
})
