// JSON files of users: what is read, and where the first mistake of one stands that is not JSON.
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { PriceFeedMockError } from '../errors.js'
import { readJsonFile } from './json-file.js'

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
  throw new Error('it can be read')
}

describe('readJsonFile', () => {
  it('default', () => {
    expect(readJsonFile(file('{ "a": [1] }'), '--config')).toEqual({ a: [1] })
  })

  it('behavior: a byte order mark is not part of it', () => {
    expect(readJsonFile(file('\uFEFF{}'), '--config')).toEqual({})
  })

  it('error: who asked for a file that is not there', () => {
    const path = join(folder, 'nowhere.json')
    expect(errorOf(path)).toMatchObject({
      code: 'FILE_UNREADABLE',
      shortMessage: `There is no file ${path}.`,
      details: [
        ['at', path],
        ['from', '--config'],
      ],
    })
  })

  it('error: a folder', () => {
    expect(errorOf(folder).shortMessage).toBe(`${folder} is a folder, not a file.`)
  })

  for (const [text, place, got] of [
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
        ['at', place],
        ['got', got],
        ['from', '--config'],
      ])
    })

  it('error: nothing of the file is repeated', () => {
    const error = errorOf(file(`{ "signerKeyUnsafe": ${'ab'.repeat(32)} }`))
    expect(error.message).not.toContain('abab')
  })
})

it('error: a file that is far too large is not read', () => {
  const path = join(folder, 'large.json')
  writeFileSync(path, `"${'x'.repeat(5_000_000)}"`)
  expect(() => readJsonFile(path, '--scenario')).toThrow(
    /large\.json is too large\.\n {2}got {3}more than 5000000 bytes\n/,
  )
})

it('error: a device without an end is not read to it', () => {
  expect(() => readJsonFile('/dev/zero', '--scenario')).toThrow('/dev/zero is too large.')
})

it('behavior: characters that two reads share stay whole', () => {
  const text = `x${'€'.repeat(100_000)}`
  expect(readJsonFile(file(JSON.stringify(text)), '--scenario')).toBe(text)
})

it('error: a link in a circle', () => {
  const path = join(folder, 'loop.json')
  symlinkSync(path, path)
  expect(errorOf(path).shortMessage).toBe(`${path} is a symbolic link that leads in a circle.`)
})

it('error: brackets without an end are told as what they are', () => {
  expect(() => readJsonFile(`{"a":${'['.repeat(100_000)}`, '--scenario')).toThrow(/The text is not JSON\./)
})
