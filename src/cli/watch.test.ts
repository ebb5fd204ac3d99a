// --watch on the real file system with an in-process mock. Tests wait only for messages.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { missingProgram, needs } from '../../test/support/needs.js'
import { createFetch } from '../hosts/fetch.js'
import { createMock, type Mock } from '../index.js'
import type { ScenarioFiles } from './input-files.js'
import { type WatchTargets, watchScenarios } from './watch.js'

const folder = createFolder()
const scenario = (status: number) => ({
  title: 'A status',
  why: 'A consumer that only knows 200.',
  faults: [{ fault: 'reply/status', options: { status } }],
})

/** A mock whose scenario files are watched, and its messages, each awaited. */
function watch({ scenarios = {}, files = {}, folder: root }: Partial<ScenarioFiles & WatchTargets>) {
  const mock = createMock({ scenarios, scenarioFiles: files, scenario: Object.keys(scenarios)[0] as never })
  const messages: string[] = []
  let wake: () => void = () => {}
  onTestFinished(
    watchScenarios(mock, { files, folder: root }, message => {
      messages.push(message)
      wake()
    }),
  )
  const next = async (): Promise<string> => {
    while (messages.length === 0) await new Promise<void>(resolve => (wake = resolve))
    return messages.shift()!
  }
  return { mock, messages, next }
}

/** A watched file. */
function watchFile(text: string) {
  const path = join(mkdtempSync(join(folder, 'test-')), 'mine.json')
  writeFileSync(path, text)
  return { path, ...watch({ scenarios: { mine: JSON.parse(text) }, files: { mine: path } }) }
}

/** A watched folder that contains `mine.json`. */
function watchFolder(root = join(mkdtempSync(join(folder, 'test-')), 'own')) {
  const at = (name: string): string => join(root, name)
  const write = (name: string, data: unknown): void => {
    mkdirSync(root, { recursive: true })
    // In one step, so that each change is one event.
    writeFileSync(`${root}.tmp`, JSON.stringify(data))
    renameSync(`${root}.tmp`, at(name))
  }
  write('mine.json', scenario(500))
  const watched = watch({ scenarios: { mine: scenario(500) }, files: { mine: at('mine.json') }, folder: root })
  return { root, at, write, ...watched }
}

type Change = 'is new' | 'has changed' | 'is valid now'
/** The message of a valid version, with the session `default`, and without any. */
const applied = (change: Change, path: string): string => `${path} ${change}: applied again to default.`
const notRun = (change: Change, path: string): string => `${path} ${change}: no session runs it.`
/** The beginning of the message of an invalid version, or of none. */
const kept = (change: string, path: string): string => `${path} ${change}: the last valid version stays.\n`

const statusOf = async (mock: Mock) => (await createFetch(mock)('http://mock/prices/BTCUSD/latest')).status

it('default: a changed file is applied again to the sessions that run it', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toEqual(applied('has changed', path))
  expect(await statusOf(mock)).toBe(503)
})

it('behavior: an editor that replaces the file is supported', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  writeFileSync(`${path}.tmp`, JSON.stringify(scenario(502)))
  renameSync(`${path}.tmp`, path)
  expect(await next()).toEqual(applied('has changed', path))
  expect(await statusOf(mock)).toBe(502)
})

it('behavior: of several files, only the changed one is parsed again', async () => {
  const { mock, at, write, next } = watchFolder()
  write('other.json', scenario(501))
  expect(await next()).toBe(notRun('is new', at('other.json')))
  const set = vi.spyOn(mock.scenarios, 'set')
  write('other.json', scenario(502))
  expect(await next()).toBe(notRun('has changed', at('other.json')))
  expect(new Set(set.mock.calls.map(([name]) => name))).toEqual(new Set(['other']))
})

it('error: an invalid edit keeps the last valid version until the next valid one', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  writeFileSync(path, JSON.stringify({ ...scenario(500), faults: [{ fault: 'reply/stauts' }] }))
  const message = await next()
  expect(message).toContain(`${kept('has changed and is not valid', path)}ScenarioInvalidError: `)
  expect(message).toMatch(/at +faults\[0\]\.fault$[\s\S]*want .*reply\/status/m)
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, '{ "title": ')
  expect(await next()).toContain(`${kept('has changed and is not valid', path)}FileUnreadableError: `)
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(504)))
  expect(await next()).toEqual(applied('has changed', path))
  expect(await statusOf(mock)).toBe(504)
})

it('behavior: a link to a file in another folder is followed', async () => {
  const [root, other] = ['own', 'other'].map(name => join(mkdtempSync(join(folder, 'test-')), name)) as [string, string]
  for (const path of [root, other]) mkdirSync(path)
  const [path, target] = [join(root, 'mine.json'), join(other, 'real.json')]
  writeFileSync(target, JSON.stringify(scenario(500)))
  symlinkSync(target, path)
  const { next } = watch({ scenarios: { mine: scenario(500) }, files: { mine: path }, folder: root })
  writeFileSync(`${target}.tmp`, JSON.stringify(scenario(501)))
  renameSync(`${target}.tmp`, target)
  expect(await next()).toBe(applied('has changed', path))
})

it('error: a removed file is reported, and applied again when it is back', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  rmSync(path)
  expect(await next()).toContain(`${kept('was removed', path)}FileUnreadableError: There is no file`)
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(500)))
  expect(await next()).toEqual(applied('has changed', path))
})

it('error: a file with a removed folder is watched again when both are back', async () => {
  const { path, next } = watchFile(JSON.stringify(scenario(500)))
  rmSync(dirname(path), { recursive: true })
  expect(await next()).toContain(kept('was removed', path))
  mkdirSync(dirname(path))
  writeFileSync(path, JSON.stringify(scenario(502)))
  expect(await next()).toEqual(applied('has changed', path))
})

it('error: a file that is nested too deeply is not valid', async () => {
  const { path, next } = watchFile(JSON.stringify(scenario(500)))
  writeFileSync(path, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(await next()).toContain(kept('has changed and is not valid', path))
})

it('behavior: a changed file is applied to each session that runs it', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await createFetch(mock)('http://mock/_mock/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "id": "other", "scenario": "mine" }',
  })
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: applied again to default, other.`)
})

it('behavior: a session that only requests have used can be evicted after an edit, too', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await createFetch(mock)('http://mock/session/by-path/prices/BTCUSD/latest')
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: applied again to default, by-path.`)
  const isNamed = Object.fromEntries(mock.sessions.list().map(({ id, record }) => [id, record.setup.isNamed]))
  expect(isNamed).toEqual({ default: true, 'by-path': false })
})

it('behavior: a scenario that has been ended does not start again', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  mock.endScenario()
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(notRun('has changed', path))
  expect(await statusOf(mock)).toBe(401)
})

it('error: one session cannot have the new version, all others have it', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  const request = (method: string, at: string, body: unknown) =>
    createFetch(mock)(`http://mock/_mock/sessions${at}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const id of ['full', 'other']) await request('POST', '', { id, scenario: 'mine' })
  const { feeds } = (await (await createFetch(mock)('http://mock/_mock/feeds')).json()) as { feeds: { id: string }[] }
  const prices = Object.fromEntries(feeds.map(({ id }) => [id, { price: 3, alone: true }]))
  expect((await request('PATCH', '/full', { prices })).status).toBe(200)
  const points = Array.from({ length: 10_000 }, (_, i) => ({ at: `${i}s`, price: 1 + i }))
  const path3 = (count: number) => ({
    fault: 'market/path',
    feeds: ['BTCUSD'],
    options: { points: points.slice(0, count) },
  })
  writeFileSync(path, JSON.stringify({ ...scenario(503), faults: [path3(10_000), path3(10_000), path3(9950)] }))
  const [first, second] = (await next()).split('\n')
  expect(first).toBe(`${path} has changed: applied again to default, other.`)
  expect(second).toMatch(/^full keeps the version that it had\. SessionTooLargeError: /)
})

it('behavior: a scenario that no session runs is loaded for later use', async () => {
  const { mock, path, next } = watchFile(JSON.stringify(scenario(500)))
  await statusOf(mock)
  mock.setScenario('calm')
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toEqual(notRun('has changed', path))
  expect(await statusOf(mock)).toBe(401)
  mock.setScenario('mine' as never)
  expect(await statusOf(mock)).toBe(503)
})

it('behavior: reports that there is nothing to watch', () => {
  expect(watch({ scenarios: { mine: scenario(500) } }).messages).toEqual([
    '--watch has no files to watch: add --scenario FILE or --scenarios FOLDER.',
  ])
})

it('behavior: a change between reading and watching is applied', async () => {
  const { path } = watchFile(JSON.stringify(scenario(503)))
  const { mock, messages } = watch({ scenarios: { mine: scenario(500) }, files: { mine: path } })
  expect(messages).toEqual([applied('has changed', path)])
  expect(await statusOf(mock)).toBe(503)
})

describe('a folder', () => {
  it.each(['other', 'toString'])('behavior: new, changed and removed files are reported: %s.json', async name => {
    const file = `${name}.json`
    const { mock, at, write, next } = watchFolder()
    write(file, scenario(502))
    expect(await next()).toEqual(notRun('is new', at(file)))
    mock.setScenario(name as never)
    write(file, scenario(503))
    expect(await next()).toEqual(applied('has changed', at(file)))
    rmSync(at(file))
    expect(await next()).toContain(kept('was removed', at(file)))
    expect(await statusOf(mock)).toBe(503)
  })

  it('behavior: a renamed file is removed and new', async () => {
    const { at, next } = watchFolder()
    renameSync(at('mine.json'), at('renamed.json'))
    expect(await next()).toContain(kept('was removed', at('mine.json')))
    expect(await next()).toEqual(notRun('is new', at('renamed.json')))
  })

  it('behavior: a file can replace a built-in scenario', async () => {
    const { mock, at, write, next } = watchFolder()
    mock.setScenario('stale-btc')
    write('stale-btc.json', scenario(502))
    expect(await next()).toEqual(applied('is new', at('stale-btc.json')))
    rmSync(at('stale-btc.json'))
    expect(await next()).toContain(kept('was removed', at('stale-btc.json')))
    expect(await statusOf(mock)).toBe(502)
  })

  it('error: an invalid new file is not applied, and its removal is not reported', async () => {
    const { at, write, next, messages } = watchFolder()
    write('other.json', { faults: 7 })
    const path = at('other.json')
    expect(await next()).toContain(`${path} is new and is not valid: it is not applied.\nScenarioInvalidError: `)
    write('other.json', { faults: 8 })
    expect(await next()).toContain(`${path} has changed and is not valid: it is not applied.\n`)
    rmSync(path)
    write('last.json', scenario(502))
    expect(await next()).toEqual(notRun('is new', at('last.json')))
    expect(messages).toEqual([])
  })

  it('error: a circular link is invalid, not removed', async () => {
    const { at, next } = watchFolder()
    rmSync(at('mine.json'))
    symlinkSync('mine.json', at('mine.json'))
    expect(await next()).toBe(
      `${kept('has changed and is not valid', at('mine.json'))}FileUnreadableError: ${at('mine.json')} is a circular symbolic link.
  at    ${at('mine.json')}
  from  --watch
  code  FILE_UNREADABLE`,
    )
  })

  it('error: a second file with the same scenario name is applied once the first is removed', async () => {
    const { at, write, next } = watchFolder()
    write('a b.json', scenario(502))
    expect(await next()).toEqual(notRun('is new', at('a b.json')))
    write('a-b.json', scenario(503))
    expect(await next()).toContain(
      `${at('a-b.json')} is new and is not valid: it is not applied.\nScenarioInvalidError: ${at('a b.json')} and ${at('a-b.json')}`,
    )
    rmSync(at('a b.json'))
    expect(await next()).toContain(kept('was removed', at('a b.json')))
    expect(await next()).toEqual(notRun('is valid now', at('a-b.json')))
  })

  it('behavior: the file of --scenario wins over a file of the same name in the folder', () => {
    const { root } = watchFolder()
    const { path } = watchFile(JSON.stringify(scenario(503)))
    expect(watch({ scenarios: { mine: scenario(503) }, files: { mine: path }, folder: root }).messages).toEqual([])
  })

  it('behavior: hidden files and pipes are ignored', needs(missingProgram('mkfifo')), async () => {
    const { at, write, next } = watchFolder()
    symlinkSync('nowhere', at('.#mine.json'))
    execFileSync('mkfifo', [at('pipe.json')])
    write('other.json', scenario(502))
    expect(await next()).toEqual(notRun('is new', at('other.json')))
  })

  it('error: its removal is reported once, and its files are watched again when it is back', async () => {
    const { mock, root, at, write, next } = watchFolder()
    for (const status of [502, 503]) {
      rmSync(root, { recursive: true })
      expect(await next()).toBe(`${root} was removed: the last valid scenarios stay.`)
      write('mine.json', scenario(status))
      expect(await next()).toBe(`${root} is back.`)
      expect(await next()).toEqual(applied('has changed', at('mine.json')))
      write('mine.json', scenario(504))
      expect(await next()).toEqual(applied('has changed', at('mine.json')))
      expect(await statusOf(mock)).toBe(504)
    }
  })

  it('error: a file in its place is reported', async () => {
    const { root, next } = watchFolder()
    renameSync(root, `${root}-before`)
    writeFileSync(root, '')
    expect(await next()).toBe(`${root} can no longer be read: the last valid scenarios stay.`)
  })

  it('behavior: a replaced folder is watched', async () => {
    const { mock, root, at, write, next } = watchFolder()
    renameSync(root, `${root}-before`)
    write('mine.json', scenario(502))
    expect(await next()).toEqual(applied('has changed', at('mine.json')))
    write('mine.json', scenario(503))
    expect(await next()).toEqual(applied('has changed', at('mine.json')))
    expect(await statusOf(mock)).toBe(503)
  })

  it('behavior: a folder can be removed and created again with its parents', async () => {
    const top = mkdtempSync(join(folder, 'test-'))
    const { root, at, write, next } = watchFolder(join(top, 'a', 'b', 'own'))
    rmSync(join(top, 'a'), { recursive: true })
    expect(await next()).toBe(`${root} was removed: the last valid scenarios stay.`)
    write('mine.json', scenario(502))
    expect(await next()).toBe(`${root} is back.`)
    expect(await next()).toEqual(applied('has changed', at('mine.json')))
  })
})
