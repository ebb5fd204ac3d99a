// The version has one place, package.json: its copies agree with it, and the changelog is in the form that a release needs.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder, ROOT } from './support/folder.js'
import { missingProgram, needs } from './support/needs.js'

const FILES = ['package.json', 'CHANGELOG.md', 'src/version.ts', 'clients/python/pyproject.toml']

/** A copy of the files that carry the version, with another version in package.json. */
function createCopy(version: string): string {
  const folder = createFolder(onTestFinished)
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  return folder
}

function release(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

describe('version', () => {
  it('behavior: every copy agrees with package.json', () => {
    expect(release('--check')).toEqual({ status: 0, stderr: '' })
  })

  it('error: a copy that differs is named', () => {
    const { status, stderr } = release('--check', createCopy('7.8.9'))
    expect(status).toBe(1)
    const named = stderr.split('\n').flatMap(line => /^\S+(?= does not have the version 7\.8\.9 )/.exec(line) ?? [])
    expect(named).toEqual(FILES.slice(2))
  })

  it('behavior: a release writes every copy, and dates the changes', () => {
    const folder = createCopy('7.8.9')
    const before = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      before.replace(/^## Unreleased\n/m, heading => `${heading}\n### Added\n\n- A $& sign.\n`),
    )
    expect(release(folder)).toEqual({ status: 0, stderr: '' })
    expect(release('--check', folder)).toEqual({ status: 0, stderr: '' })
    const after = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    expect(after).toMatch(/^## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n### Added\n\n- A \$& sign\.\n/m)
    expect(after.replace(/^## 7\.8\.9 - .*\n\n### Added\n\n- A \$& sign\.\n/m, '').replace(/\n\n+/g, '\n')).toBe(
      before.replace(/\n\n+/g, '\n'),
    )
  })

  it('behavior: the notes of a release are its changes', () => {
    const notes = (version: string) =>
      spawnSync(process.execPath, [join(ROOT, 'scripts/release.mjs'), '--notes', createCopy(version)], {
        encoding: 'utf8',
      })
    expect(notes('0.1.0').stdout).toMatch(/^### Added\n\n- The five endpoints[^#]*\n$/)
    expect(notes('7.8.9')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('no changes of 7.8.9'),
    })
  })

  it('behavior: `npm version` makes the commit and the tag of a release', needs(missingProgram('git')), () => {
    const folder = createCopy('0.1.0')
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'scripts/release.mjs'])
      cpSync(join(ROOT, file), join(folder, file))
    const call = (command: string, ...args: string[]) => {
      const user = ['author', 'committer'].flatMap(who => [
        [`GIT_${who.toUpperCase()}_NAME`, 'test'],
        [`GIT_${who.toUpperCase()}_EMAIL`, 'test@example.test'],
      ])
      const env = { ...process.env, ...Object.fromEntries(user) }
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
      expect(status, stderr).toBe(0)
      return stdout.trim()
    }
    call('git', 'init', '--quiet')
    call('git', 'add', '--all')
    call('git', '-c', 'commit.gpgsign=false', 'commit', '--quiet', '-m', 'first')
    for (const name of ['commit.gpgsign', 'tag.gpgsign']) call('git', 'config', name, 'false')
    expect(call('npm', 'version', '7.8.9')).toMatch(/^v7\.8\.9$/m)
    expect(call('git', 'log', '--format=%s', '--max-count=1', 'v7.8.9')).toBe('chore: release 7.8.9')
    expect(call('git', 'status', '--porcelain')).toBe('')
    expect(call('git', 'show', '--stat', '--format=', 'HEAD')).toMatch(/5 files changed/)
    expect(release('--check', folder)).toEqual({ status: 0, stderr: '' })
  })

  it('error: a release without a described change is refused', () => {
    const folder = createCopy('7.8.9')
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-11-20\n')
    expect(release(folder).status).toBe(1)
    expect(release('--check', folder).status).toBe(1)
  })
})

describe('changelog', () => {
  const lines = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split('\n')

  it('behavior: first the unreleased changes, then versions with dates, the newest first', () => {
    const [first, ...releases] = lines.filter(line => line.startsWith('## '))
    expect(first).toBe('## Unreleased')
    expect(releases.filter(line => !/^## \d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/.test(line))).toEqual([])
    const dates = releases.map(line => line.slice(-10))
    expect(dates).toEqual(dates.toSorted().reverse())
  })

  it('behavior: the newest version is the one of package.json', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(lines.find(line => /^## \d/.test(line))).toMatch(`## ${version} - `)
  })

  it('behavior: changes are grouped by the kinds of Keep a Changelog', () => {
    const kinds = ['### Added', '### Changed', '### Deprecated', '### Removed', '### Fixed', '### Security']
    expect(lines.filter(line => line.startsWith('### ') && !kinds.includes(line))).toEqual([])
  })
})
