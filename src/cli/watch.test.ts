// Scenario files that change while a server runs: the real file system, a mock in process, and no waiting but for what is told.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { createMock, type Mock } from '../mock.js'
import { watchScenarios } from './watch.js'

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

/** A mock that follows a file, and the lines that it tells, each awaited. */
function follow(text: string) {
  const path = join(mkdtempSync(join(folder, 'test-')), 'mine.json')
  writeFileSync(path, text)
  const mock = createMock({ scenarios: { mine: JSON.parse(text) }, scenario: 'mine', scenarioFiles: { mine: path } })
  const told: string[] = []
  let wake: () => void = () => {}
  ends.push(
    watchScenarios(mock, { files: { mine: path } }, line => {
      told.push(line)
      wake()
    }),
  )
  const next = async (): Promise<string> => {
    while (told.length === 0) await new Promise<void>(resolve => (wake = resolve))
    return told.shift()!
  }
  return { mock, path, next }
}
const statusOf = async (mock: Mock) => (await createFetch(mock)('http://mock/prices/BTCUSD/latest')).status

it('default: a changed file is applied anew to the sessions that run it', async () => {
  const { mock, path, next } = follow(JSON.stringify(scenario(500)))
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: applied anew to default.`)
  expect(await statusOf(mock)).toBe(503)
})

it('behavior: an editor that puts a new file in the place of the old one is followed', async () => {
  const { mock, path, next } = follow(JSON.stringify(scenario(500)))
  await statusOf(mock)
  writeFileSync(`${path}.tmp`, JSON.stringify(scenario(502)))
  renameSync(`${path}.tmp`, path)
  expect(await next()).toContain('applied anew to default')
  expect(await statusOf(mock)).toBe(502)
})

it('error: a broken edit keeps the last good one and says so; a sound one is applied again', async () => {
  const { mock, path, next } = follow(JSON.stringify(scenario(500)))
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
  const { mock, path, next } = follow(JSON.stringify(scenario(500)))
  await statusOf(mock)
  rmSync(path)
  expect(await next()).toMatch(/mine\.json has gone: the last good one stays\.\n.*There is no file/)
  expect(await statusOf(mock)).toBe(500)
  writeFileSync(path, JSON.stringify(scenario(500)))
  expect(await next()).toContain('applied anew')
})

it('behavior: what no session runs is only kept for later', async () => {
  const { mock, path, next } = follow(JSON.stringify(scenario(500)))
  await statusOf(mock)
  mock.setScenario('calm')
  writeFileSync(path, JSON.stringify(scenario(503)))
  expect(await next()).toBe(`${path} has changed: no session runs it.`)
  expect(await statusOf(mock)).toBe(401)
  mock.setScenario('mine')
  expect(await statusOf(mock)).toBe(503)
})
