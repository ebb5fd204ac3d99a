// The files of a user: JSON and the place of its mistakes, kinds of files, and pipes whose other side never comes.
import { execFileSync, spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { missingProgram, needs } from '../../test/support/needs.js'
import { failureOf } from '../../test/support/problem-paths.js'
import { check } from '../../test/support/seed.js'
import { chunksOf, kindAt, openToWrite, readJsonFile, scanJson } from './files.js'

const folder = createFolder()

function file(text: string): string {
  const path = join(folder, 'file.json')
  writeFileSync(path, text)
  return path
}

const errorOf = (path: string) => failureOf(() => readJsonFile(path, '--config'))

describe('readJsonFile', () => {
  it('default', () => expect(readJsonFile(file('{ "a": [1] }'), '--config')).toEqual({ a: [1] }))

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
        ['want', 'JSON in UTF-8: names and texts in double quotes, no comments, no comma before an end'],
        ['from', '--config'],
      ])
    })

  it('error: the content of the file is not quoted', () => {
    const error = errorOf(file(`{ "signerKeyUnsafe": ${'ab'.repeat(32)} }`))
    expect(error.message).not.toContain('abab')
  })
})

it('behavior: inline JSON with the byte order mark of the file that it was read from', () =>
  expect(readJsonFile('\ufeff{"a": 1}', '--config')).toEqual({ a: 1 }))

it('error: a text that is no path is neither shown whole nor acts on the terminal', () => {
  const { message } = errorOf(`'{"adminToken": "${'x'.repeat(5000)}"}'`)
  expect(message).toMatch(/^'\{"adminToken": "x+… is too long for a path\.\n/)
  expect(message.length).toBeLessThan(800)
  expect(errorOf('\u001b[31mred').message).toContain('There is no file \\u001b[31mred.\n')
})

it('error: an empty path, of a variable that is not set', () => {
  const details = [
    ['want', 'the path of a file'],
    ['from', '--config'],
  ]
  expect(errorOf('')).toMatchObject({ code: 'FILE_UNREADABLE', shortMessage: 'The path is empty.', details })
})

it('behavior: a file of just the largest size is read', () => {
  const text = 'x'.repeat(5_000_000 - 2)
  expect(readJsonFile(file(JSON.stringify(text)), '--scenario')).toBe(text)
})

it('behavior: a character can be split between two reads', () => {
  const text = `x${'€'.repeat(100_000)}`
  expect(readJsonFile(file(JSON.stringify(text)), '--scenario')).toBe(text)
})

it('behavior: UTF-16, as Windows PowerShell writes it', () => {
  writeFileSync(
    join(folder, 'file.json'),
    Buffer.from(`\ufeff${JSON.stringify({ title: '€'.repeat(40_000) })}`, 'utf16le'),
  )
  expect(readJsonFile(join(folder, 'file.json'), '--scenario')).toEqual({ title: '€'.repeat(40_000) })
})

it.each([
  ['a letter of Latin-1', Buffer.from('{"seed": "Z\u00fcrich"}', 'latin1')],
  ['a character that is cut off', Buffer.from('"\u20ac').subarray(0, 3)],
])('error: another encoding than UTF-8: %s', (_, bytes) => {
  const path = join(folder, 'file.json')
  writeFileSync(path, bytes)
  expect(failureOf(() => readJsonFile(path, '--config')).shortMessage).toBe(`${path} is not in UTF-8.`)
})

it('error: endless nesting is a syntax error', () => {
  expect(errorOf(`{"a":${'['.repeat(100_000)}`)).toMatchObject({
    code: 'FILE_UNREADABLE',
    details: expect.arrayContaining([['at', expect.stringMatching(/^line 1, column \d+$/)]]),
  })
})

describe('scanJson: duplicate keys', () => {
  it.each([
    ['{"a":1,"a":2,"b":1,"a":3}', ['a', 'a']],
    [
      '{"faults":[{"x":1},{"fault":"a","options":{"s":1,"s":[2]},"fault":"b"}]}',
      ['faults[1].options.s', 'faults[1].fault'],
    ],
    ['[[1,{"a":{},"a":[]}]]', ['[0][1].a']],
    ['{"a\\"b":1,"a\\u0022b":2}', ['a"b']],
    ['{"a":"a","b":"a","c":{"a":1},"d":["a","a"]}', []],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['"a"', []],
  ])('default: %s', (json, paths) => expect(scanJson(json).duplicates.map(({ at }) => at)).toEqual(paths))

  it('behavior: no text of JSON.stringify has any', () => {
    check([fc.jsonValue()], value => {
      expect(scanJson(JSON.stringify(value, undefined, 1)).duplicates).toEqual([])
    })
  })
})

describe('kindAt', () => {
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
})

const pipe = join(folder, 'silent-pipe')
describe('named pipes', needs(missingProgram('mkfifo')), () => {
  beforeAll(() => execFileSync('mkfifo', [pipe]))
  describe('chunksOf', () => {
    it('error: a pipe to which nobody writes', () => {
      expect(() => [...chunksOf(pipe, 200)]).toThrow('it is a pipe, and nothing was written to it for 0.2 s')
    })

    it('behavior: a pipe is read to its end, also beyond what it holds', () => {
      const writer = spawn('sh', ['-c', `head -c 300000 /dev/zero > ${pipe}`])
      expect([...chunksOf(pipe, 20_000)].reduce((sum, { length }) => sum + length, 0)).toBe(300_000)
      writer.kill()
    })

    it('error: a pipe whose writer falls silent', () => {
      const writer = spawn('sh', ['-c', `exec 3>${pipe}; echo first >&3; exec sleep 60`])
      expect(() => {
        for (const part of chunksOf(pipe, 1_000)) {
          expect(part.toString()).toBe('first\n')
          writer.kill('SIGSTOP')
        }
      }).toThrow('nothing was written to it for 1 s')
      writer.kill('SIGKILL')
    })
  })

  it('error: openToWrite: a pipe that nobody reads', () => {
    expect(() => openToWrite(pipe, 200)).toThrow('it is a pipe, and nobody read it for 0.2 s')
  })
})
