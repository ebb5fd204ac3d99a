// Reading JSON files: the content, and the position of the first syntax error.
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { PriceFeedMockError } from '../errors.js'
import { readJsonFile } from './files.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
afterAll(() => rmSync(folder, { recursive: true }))

function file(text: string): string {
  const path = join(folder, 'file.json')
  writeFileSync(path, text)
  return path
}

function errorOf(path: string): PriceFeedMockError {
  try {
    readJsonFile(path, '--config')
  } catch (error) {
    return error as PriceFeedMockError
  }
  throw new Error('expected an error')
}

describe('readJsonFile', () => {
  it('default', () => {
    expect(readJsonFile(file('{ "a": [1] }'), '--config')).toEqual({ a: [1] })
  })

  it('behavior: a byte order mark is ignored', () => {
    expect(readJsonFile(file('\uFEFF{}'), '--config')).toEqual({})
  })

  it('error: a missing file, with the flag that names it', () => {
    const path = join(folder, 'nowhere.json')
    expect(errorOf(path)).toMatchObject({
      code: 'FILE_UNREADABLE',
      cause: { code: 'ENOENT' },
      shortMessage: expect.stringContaining(path),
      details: [
        ['at', path],
        ['from', '--config'],
      ],
    })
  })

  it('error: a folder', () => {
    expect(errorOf(folder)).toMatchObject({ code: 'FILE_UNREADABLE', cause: { code: 'EISDIR' } })
  })

  for (const [text, position, got] of [
    ['', 'line 1, column 1', 'the end of the file'],
    ['{ "seed": ', 'line 1, column 11', 'the end of the file'],
    ['{ "seed": "7",, }', 'line 1, column 15', '","'],
    ['{ "seed": "7", }', 'line 1, column 16', '"}"'],
    ['[1,]', 'line 1, column 4', '"]"'],
    ['[1 2]', 'line 1, column 4', '"2"'],
    ['{ "a" 1 }', 'line 1, column 7', '"1"'],
    ['{ a: 1 }', 'line 1, column 3', '"a"'],
    ["{ 'a': 1 }", 'line 1, column 3', `"'"`],
    ['{} {}', 'line 1, column 4', '"{"'],
    ['[01]', 'line 1, column 3', '"1"'],
    ['[-]', 'line 1, column 2', '"-"'],
    ['["\\x"]', 'line 1, column 2', '"\\""'],
    ['{\n  "a": [1, {\r\n    // why\n    "b": 2 }]\n}', 'line 3, column 5', '"/"'],
    ['\uFEFF{\n  "a": nul }', 'line 2, column 8', '"n"'],
  ] as const)
    it(`error: ${JSON.stringify(text)}`, () => {
      const error = errorOf(file(text))
      expect(error.details).toEqual([
        ['at', position],
        ['got', got],
        ['from', '--config'],
      ])
    })

  it('error: the content of the file is not quoted', () => {
    const error = errorOf(file(`{ "signerKeyUnsafe": ${'ab'.repeat(32)} }`))
    expect(error.message).not.toContain('abab')
  })
})

it('error: a file that is too large', () => {
  const path = join(folder, 'large.json')
  writeFileSync(path, `"${'x'.repeat(5_000_000)}"`)
  expect(errorOf(path)).toMatchObject({
    code: 'FILE_UNREADABLE',
    details: [
      ['got', 'more than 5000000 bytes'],
      ['want', 'at most 5000000'],
      ['at', path],
      ['from', '--config'],
    ],
  })
})

it('behavior: a file of just the largest size is read', () => {
  const text = 'x'.repeat(5_000_000 - 2)
  expect(readJsonFile(file(JSON.stringify(text)), '--scenario')).toBe(text)
})

it('error: an endless device', () => {
  expect(errorOf('/dev/zero')).toMatchObject({
    code: 'FILE_UNREADABLE',
    details: expect.arrayContaining([['got', 'more than 5000000 bytes']]),
  })
})

it('behavior: a character can be split between two reads', () => {
  const text = `x${'€'.repeat(100_000)}`
  expect(readJsonFile(file(JSON.stringify(text)), '--scenario')).toBe(text)
})

it('error: a circular link', () => {
  const path = join(folder, 'loop.json')
  symlinkSync(path, path)
  expect(errorOf(path)).toMatchObject({ code: 'FILE_UNREADABLE', cause: { code: 'ELOOP' } })
})

it('error: endless nesting is a syntax error', () => {
  expect(errorOf(`{"a":${'['.repeat(100_000)}`)).toMatchObject({
    code: 'FILE_UNREADABLE',
    details: expect.arrayContaining([['at', expect.stringMatching(/^line 1, column \d+$/)]]),
  })
})
