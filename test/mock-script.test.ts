// `npm run mock`: compiled when the sources are newer, and only then; what is missing is said in one sentence.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/version.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A copy of what `npm run mock` needs. */
interface Copy {
  readonly folder: string
  readonly program: string
  run(...args: string[]): { stdout: string; stderr: string; status: number | null }
  remove(): void
}

function createCopy(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-'))
  for (const name of ['package.json', 'tsconfig.json', 'scripts', 'src'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  return {
    folder,
    program: join(folder, 'dist', 'program', 'main.js'),
    run: (...args) =>
      spawnSync(process.execPath, [join(folder, 'scripts', 'mock.mjs'), ...args], {
        encoding: 'utf8',
        cwd: folder,
        timeout: 60_000,
        env: { NO_COLOR: '1' },
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const fine = (stdout: string) => ({ status: 0, stdout, stderr: '' })

describe('with all that it needs', () => {
  let copy: Copy
  beforeAll(() => {
    copy = createCopy()
    symlinkSync(join(ROOT, 'node_modules'), join(copy.folder, 'node_modules'), 'dir')
    expect(copy.run('--version')).toMatchObject(fine(`${VERSION}\n`))
  })
  afterAll(() => copy.remove())

  const compiledAt = () => statSync(copy.program).mtimeMs

  it('default: what is compiled already is not compiled again', () => {
    const before = compiledAt()
    expect(copy.run('--version')).toMatchObject(fine(`${VERSION}\n`))
    expect(compiledAt()).toBe(before)
  })

  it('behavior: a newer source is compiled, wherever it lies', () => {
    const source = join(copy.folder, 'src', 'version.ts')
    writeFileSync(source, readFileSync(source, 'utf8').replace(VERSION, '9.9.9'))
    // As if it had been compiled long ago: file systems tell times apart only so far.
    utimesSync(copy.program, 0, 0)
    expect(copy.run('--version')).toMatchObject(fine('9.9.9\n'))
    expect(compiledAt()).toBeGreaterThan(0)
    const before = compiledAt()
    copy.run('--version')
    expect(compiledAt()).toBe(before)
  })

  it('behavior: a newer test is not compiled', () => {
    writeFileSync(join(copy.folder, 'src', 'some.test.ts'), '// A test.\n')
    const before = compiledAt()
    expect(copy.run('--version').status).toBe(0)
    expect(compiledAt()).toBe(before)
  })

  it('behavior: arguments, streams and exit codes are the program’s', () => {
    const { status, stdout, stderr } = copy.run('keys', '--format', 'json')
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ testKey: 0 })
    const wrong = copy.run('--port', 'x')
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('--port')
  })

  it('error: sources that do not compile are told with the compiler’s words', () => {
    const source = join(copy.folder, 'src', 'broken.ts')
    writeFileSync(source, "// A mistake.\nexport const broken: number = 'text'\n")
    utimesSync(copy.program, 0, 0)
    // The first time and the next: what does not compile leaves nothing that could be run.
    const runs = [copy.run('--version'), copy.run('--version')]
    rmSync(source)
    for (const { status, stdout, stderr } of runs) {
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^price-feed-mock: the sources do not compile\.\nsrc\/broken\.ts\b.*error TS2322/)
    }
  })
})

describe('with something missing', () => {
  let copy: Copy
  beforeAll(() => {
    copy = createCopy()
  })
  afterAll(() => copy.remove())

  const isOneSentence = /^price-feed-mock: [^\n]*\.\n$/

  it('error: the dependencies, also beside what was compiled with them', () => {
    mkdirSync(join(copy.folder, 'dist', 'program'), { recursive: true })
    writeFileSync(copy.program, '')
    const { stderr } = copy.run('--version')
    rmSync(join(copy.folder, 'dist'), { recursive: true })
    expect(stderr).toContain('run npm ci')
  })

  it('error: the dependencies', () => {
    const { status, stdout, stderr } = copy.run('--version')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(isOneSentence)
    expect(stderr).toContain('run npm ci')
    expect(existsSync(copy.program)).toBe(false)
  })

  it('error: the compiler', () => {
    mkdirSync(join(copy.folder, 'node_modules'))
    const { status, stdout, stderr } = copy.run('--version')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(isOneSentence)
    expect(stderr).toContain('--omit=dev')
  })
})
