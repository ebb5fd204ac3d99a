// Scenario files that change while a server runs: the real file system, a mock in process, and no waiting but for what is told.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { createMock, type Mock } from '../index.js'
import type { ScenarioFiles } from './scenario-files.js'
import { type Tracked, watchScenarios } from './watch.js'

const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-watch-'))
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})
afterAll(() => rmSync(folder, { recursive: true }))

const scenario = (status: number) => ({
  title: 'A status',
  why: 'A consumer that only knows 200.',
  faults: [{ fault: 'reply/status', options: { status } }],
})

/** A mock that follows the given, and the lines that it tells, each awaited. */
function follow({ scenarios = {}, files = {}, folder: root }: Partial<ScenarioFiles & Tracked>) {
  const mock = createMock({ scenarios, scenarioFiles: files, scenario: Object.keys(scenarios)[0] })
  const told: string[] = []
  let wake: () => void = () => {}
  ends.push(
    watchScenarios(mock, { files, folder: root }, line => {
      told.push(line)
      wake()
    }),
  )
  const next = async (): Promise<string> => {
    while (told.length === 0) await new Promise<void>(resolve => (wake = resolve))
    return told.shift()!
  }
  return { mock, told, next }
}

/** A file that is followed. */
function followFile(text: string) {
  const path = join(mkdtempSync(join(folder, 'test-')), 'mine.json')
  writeFileSync(path, text)
  return { path, ...follow({ scenarios: { mine: JSON.parse(text) }, files: { mine: path } }) }
}

/** A folder that is followed, with `mine.json` in it. */
function followFolder(root = join(mkdtempSync(join(folder, 'test-')), 'own')) {
  const at = (name: string): string => join(root, name)
  const write = (name: string, data: unknown): void => {
    mkdirSync(root, { recursive: true })
    // At once, so that each is told once.
    writeFileSync(`${root}.tmp`, JSON.stringify(data))
    renameSync(`${root}.tmp`, at(name))
  }
  write('mine.json', scenario(500))
  const followed = follow({ scenarios: { mine: scenario(500) }, files: { mine: at('mine.json') }, folder: root })
  return { root, at, write, ...followed }
}
const statusOf = async (mock: Mock) => (await createFetch(mock)('http://mock/prices/BTCUSD/latest')).status

it('default: a changed file is applied anew to the sessions that run it', async () => {
  const { mock, path, next } = followFile(JSON.stringify(scenario(500)))
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: applied anew to default.`)
  expect(await statusOf(mock)).toBe(503)
})

it('behavior: an editor that puts a new file in the place of the old one is followed', async () => {
  const { mock, path, next } = followFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  writeFileSync(`${path}.tmp`, JSON.stringify(scenario(502)))
  renameSync(`${path}.tmp`, path)
  expect(await next()).toContain('applied anew to default')
  expect(await statusOf(mock)).toBe(502)
})

it('error: a broken edit keeps the last good one and says so; a sound one is applied again', async () => {
  const { mock, path, next } = followFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  writeFileSync(path, JSON.stringify({ ...scenario(500), faults: [{ fault: 'reply/stauts' }] }))
  const line = await next()
  expect(line).toContain(`${path} has changed and is not valid: the last good one stays.`)
  expect(line).toContain('(closest: reply/status)')
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, '{ "title": ')
  expect(await next()).toContain('is not JSON')
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(504)))
  expect(await next()).toContain('applied anew')
  expect(await statusOf(mock)).toBe(504)
})

it('error: a file that has gone is told as such; when it comes back it is applied again', async () => {
  const { mock, path, next } = followFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  rmSync(path)
  expect(await next()).toMatch(/mine\.json has gone: the last good one stays\.\n.*There is no file/)
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(500)))
  expect(await next()).toContain('applied anew')
})

it('error: a file whose folder has gone is followed again when both are back', async () => {
  const { path, next } = followFile(JSON.stringify(scenario(500)))
  rmSync(dirname(path), { recursive: true })
  expect(await next()).toContain(`${path} has gone: the last good one stays.`)
  mkdirSync(dirname(path))
  writeFileSync(path, JSON.stringify(scenario(502)))
  expect(await next()).toContain('applied anew')
})

it('error: a file that is nested too deeply is told as any other that is not valid', async () => {
  const { path, next } = followFile(JSON.stringify(scenario(500)))
  writeFileSync(path, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(await next()).toContain(`${path} has changed and is not valid: the last good one stays.`)
})

it('behavior: what no session runs is only kept for later', async () => {
  const { mock, path, next } = followFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  mock.setScenario('calm')
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: no session runs it.`)
  expect(await statusOf(mock)).toBe(401)
  mock.setScenario('mine')
  expect(await statusOf(mock)).toBe(503)
})

it('behavior: with nothing to follow it says so', () => {
  expect(follow({ scenarios: { mine: scenario(500) } }).told).toEqual([
    '--watch has nothing to follow: give --scenario FILE or --scenarios FOLDER.',
  ])
})

it('behavior: what has changed between reading and watching is applied', async () => {
  const { path } = followFile(JSON.stringify(scenario(503)))
  const { mock, told } = follow({ scenarios: { mine: scenario(500) }, files: { mine: path } })
  expect(told).toEqual([`${path} has changed: applied anew to default.`])
  expect(await statusOf(mock)).toBe(503)
})

describe('a folder', () => {
  it('behavior: a file is told when it is new, when it has changed and when it has gone', async () => {
    const { mock, at, write, next } = followFolder()
    write('other.json', scenario(502))
    expect(await next()).toBe(`${at('other.json')} is new: no session runs it.`)
    mock.setScenario('other')
    write('other.json', scenario(503))
    expect(await next()).toBe(`${at('other.json')} has changed: applied anew to default.`)
    rmSync(at('other.json'))
    expect(await next()).toContain(`${at('other.json')} has gone: the last good one stays.\n`)
    expect(await statusOf(mock)).toBe(503)
  })

  it('behavior: a file that is renamed has gone and is new', async () => {
    const { at, next } = followFolder()
    renameSync(at('mine.json'), at('renamed.json'))
    expect(await next()).toContain(`${at('mine.json')} has gone: the last good one stays.\n`)
    expect(await next()).toBe(`${at('renamed.json')} is new: no session runs it.`)
  })

  it('behavior: a file with the name of a scenario that comes with the mock goes as any other', async () => {
    const { mock, at, write, next } = followFolder()
    mock.setScenario('stale-btc')
    write('stale-btc.json', scenario(502))
    expect(await next()).toBe(`${at('stale-btc.json')} is new: applied anew to default.`)
    rmSync(at('stale-btc.json'))
    expect(await next()).toContain(`${at('stale-btc.json')} has gone: the last good one stays.\n`)
    expect(await statusOf(mock)).toBe(502)
  })

  it('error: a new file that is not valid is not applied, and is not missed', async () => {
    const { at, write, next, told } = followFolder()
    write('other.json', { faults: 7 })
    expect(await next()).toContain(
      `${at('other.json')} is new and is not valid: it is not applied.\nScenarioInvalidError`,
    )
    write('other.json', { faults: 8 })
    expect(await next()).toContain(`${at('other.json')} has changed and is not valid: it is not applied.\n`)
    rmSync(at('other.json'))
    write('last.json', scenario(502))
    expect(await next()).toContain('last.json is new')
    expect(told).toEqual([])
  })

  it('error: a link in a circle has not gone', async () => {
    const { at, next } = followFolder()
    rmSync(at('mine.json'))
    symlinkSync('mine.json', at('mine.json'))
    expect(await next()).toMatch(/mine\.json has changed and is not valid: the last good one stays\.\n.*in a circle\./)
  })

  it('error: two files of one name are told; the second is applied when the first goes', async () => {
    const { at, write, next } = followFolder()
    write('a b.json', scenario(502))
    expect(await next()).toContain('a b.json is new')
    write('a-b.json', scenario(503))
    const line = await next()
    expect(line).toContain(`${at('a-b.json')} is new and is not valid: it is not applied.\nScenarioInvalidError: `)
    expect(line).toContain(`${at('a b.json')} and ${at('a-b.json')} have one scenario name.`)
    rmSync(at('a b.json'))
    expect(await next()).toContain('a b.json has gone')
    expect(await next()).toBe(`${at('a-b.json')} is valid now: no session runs it.`)
  })

  it('behavior: a file that was named wins over one of its name in the folder', () => {
    const { root } = followFolder()
    const { path } = followFile(JSON.stringify(scenario(503)))
    expect(follow({ scenarios: { mine: scenario(503) }, files: { mine: path }, folder: root }).told).toEqual([])
  })

  it('behavior: dotfiles and pipes are not looked at', async () => {
    const { at, write, next } = followFolder()
    symlinkSync('nowhere', at('.#mine.json'))
    execFileSync('mkfifo', [at('pipe.json')])
    write('other.json', scenario(502))
    expect(await next()).toContain('other.json is new')
  })

  it('error: one that has gone is told once; when it is back its files are followed again', async () => {
    const { mock, root, at, write, next } = followFolder()
    for (const status of [502, 503]) {
      rmSync(root, { recursive: true })
      expect(await next()).toBe(`${root} has gone: the last good scenarios stay.`)
      write('mine.json', scenario(status))
      expect(await next()).toBe(`${root} is there again.`)
      expect(await next()).toBe(`${at('mine.json')} has changed: applied anew to default.`)
      write('mine.json', scenario(504))
      expect(await next()).toBe(`${at('mine.json')} has changed: applied anew to default.`)
      expect(await statusOf(mock)).toBe(504)
    }
  })

  it('behavior: one that is replaced is followed', async () => {
    const { mock, root, at, write, next } = followFolder()
    renameSync(root, `${root}-before`)
    write('mine.json', scenario(502))
    expect(await next()).toBe(`${at('mine.json')} has changed: applied anew to default.`)
    write('mine.json', scenario(503))
    expect(await next()).toBe(`${at('mine.json')} has changed: applied anew to default.`)
    expect(await statusOf(mock)).toBe(503)
  })

  it('behavior: one that goes with the folders above it comes back with them', async () => {
    const top = mkdtempSync(join(folder, 'test-'))
    const { root, at, write, next } = followFolder(join(top, 'a', 'b', 'own'))
    rmSync(join(top, 'a'), { recursive: true })
    expect(await next()).toBe(`${root} has gone: the last good scenarios stay.`)
    write('mine.json', scenario(502))
    expect(await next()).toBe(`${root} is there again.`)
    expect(await next()).toBe(`${at('mine.json')} has changed: applied anew to default.`)
  })
})
