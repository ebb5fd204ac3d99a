// A config file: its paths are relative to it, a scenario is a path only where it is written as one.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { readCommandLine } from './command-line.js'
import { readConfigFile } from './sources.js'

const folder = createFolder()

const CONFIG = { feeds: 'feeds.json', scenarios: 'mine', handlers: '../handlers.mjs', seed: 'a/b' }

it('default: paths are relative to the file', () => {
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify({ ...CONFIG, scenario: 'mine.json' }))
  expect(readConfigFile(path, '--config')).toEqual({
    feeds: join(folder, 'feeds.json'),
    scenarios: join(folder, 'mine'),
    handlers: join(folder, '..', 'handlers.mjs'),
    scenario: join(folder, 'mine.json'),
    seed: 'a/b',
  })
})

it('behavior: paths of a text are relative to the present folder, names and objects stay', () => {
  const read = (scenario: unknown) => readConfigFile(JSON.stringify({ feeds: 'feeds.json', scenario }), '--config')
  expect(read('stale-btc')).toEqual({ feeds: resolve('feeds.json'), scenario: 'stale-btc' })
  expect(read({ faults: [] }).scenario).toEqual({ faults: [] })
  expect(read('{"faults": []}').scenario).toBe('{"faults": []}')
})

it('args: feeds in the place of a file of feeds', () => {
  const feeds = { feeds: [{ id: 'BTCUSD', expo: -6 }] }
  expect(readConfigFile(JSON.stringify({ feeds }), '--config')).toEqual({ feeds })
  const invocation = readCommandLine(['--config', JSON.stringify({ feeds })], {})
  expect('feeds' in invocation && invocation.feeds?.find(({ id }) => id === 'BTCUSD')?.expo).toBe(-6)
  const broken = JSON.stringify({ feeds: { feeds: [{ id: 'BTCUSD', expo: 'x' }] } })
  expect(() => readCommandLine(['--config', broken], {})).toThrow('feeds[0].expo')
})
