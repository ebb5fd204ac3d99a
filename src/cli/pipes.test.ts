// Named pipes whose other side never comes, comes late, or falls silent.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingProgram, needs } from '../../test/support/needs.js'
import { chunksOf, openToWrite } from './files.js'

const folder = mkdtempSync(join(tmpdir(), 'pipes-'))
const pipe = join(folder, 'pipe')
describe('named pipes', needs(missingProgram('mkfifo')), () => {
  beforeAll(() => execFileSync('mkfifo', [pipe]))
  afterAll(() => rmSync(folder, { recursive: true }))

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
