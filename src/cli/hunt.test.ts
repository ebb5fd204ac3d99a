// `hunt`: the folder of finds with valid scenarios, and the progress at a terminal and elsewhere.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import type { HuntFind, HuntProgress } from '../hunt/types.js'
import { createProgress, openFinds } from './hunt.js'
import { checkScenarios } from './input-files.js'

const root = createFolder()

const find = (name: string, age = '2m'): HuntFind => ({
  name,
  scenario: { title: 'T', why: 'W', faults: [{ fault: 'market/stale', feeds: ['BTCUSD'], options: { age } }] },
  faults: ['market/stale'],
  output: 'O',
  requests: [],
  confirmed: 3,
  repeated: 3,
  page: 'docs/faults.md',
  runs: 2,
  question: 'Q',
})
const unexpected = (line: string): never => {
  throw new Error(line)
}

it('default: finds are written, and known the next time', () => {
  const folder = join(root, 'a', 'finds')
  const first = openFinds(folder, undefined)
  expect(first.known).toEqual([])
  const files = first.write([find('stale'), find('stale-other', '3m')], unexpected)
  expect([...files]).toEqual([
    ['stale', join(folder, 'stale.json')],
    ['stale-other', join(folder, 'stale-other.json')],
  ])
  expect(checkScenarios([folder], undefined)).toMatchObject({ errors: [], lines: [{}, {}] })

  const second = openFinds(folder, undefined)
  expect(second.known).toEqual([
    { name: 'stale-other', scenario: find('', '3m').scenario },
    { name: 'stale', scenario: find('stale').scenario },
  ])
  const again = second.write([find('stale'), find('stale', '4m')], unexpected)
  expect(again.get('stale')).toBe(join(folder, 'stale-2.json'))
  expect(readdirSync(folder)).toEqual(['stale-2.json', 'stale-other.json', 'stale.json'])
  expect(JSON.parse(readFileSync(join(folder, 'stale.json'), 'utf8'))).toEqual(find('stale').scenario)
})

it('behavior: without a folder nothing is kept', () => {
  const { known, write } = openFinds(undefined, undefined)
  expect([known, write([find('stale')], unexpected).size]).toEqual([[], 0])
})

it('error: an invalid file is named', () => {
  const folder = join(root, 'invalid')
  mkdirSync(folder)
  writeFileSync(join(folder, 'mine.json'), '{ "title": "T", "why": "W", "faults": [{ "fault": "wire/rest" }] }')
  expect(() => openFinds(folder, undefined)).toThrow(`${join(folder, 'mine.json')} has 1 problem.`)
})

it('error: a file in the place of the folder', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => openFinds(join(root, 'file'), undefined)).toThrow('is a file, not a folder')
  expect(() => openFinds(join(root, 'file', 'finds'), undefined)).toThrow('cannot be written')
})

it('error: a find that cannot be written is one line, and has no file', () => {
  const folder = join(root, 'gone')
  const { write } = openFinds(folder, undefined)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  const lines: string[] = []
  expect(write([find('stale')], line => lines.push(line)).size).toBe(0)
  expect(lines).toEqual([`the find was not written to ${join(folder, 'stale.json')} (ENOTDIR).`])
})

const PROGRESS: HuntProgress = { phase: 'search', label: 'l', runs: 10, finds: 0, left: 0.75 }

function open(isTerminal: boolean, columns?: number) {
  const printed: string[] = []
  let ms = 0
  const progress = createProgress({ report: text => printed.push(text), isTerminal, columns, now: () => ms })
  return {
    printed,
    progress,
    showAt(at: number, change: Partial<HuntProgress> = {}) {
      ms = at
      progress.show({ ...PROGRESS, ...change })
    },
  }
}

it('default: a line every ten seconds, and one for each find', () => {
  const { printed, progress, showAt } = open(false)
  showAt(0, { phase: 'calm', runs: 0, left: 1 })
  showAt(1000)
  showAt(9_999)
  showAt(10_000)
  showAt(11_000, { phase: 'shrink', finds: 1, runs: 20, left: 0.5 })
  showAt(12_000, { phase: 'confirm', finds: 1 })
  progress.clear()
  expect(printed).toEqual([
    'price-feed-mock: running the command without faults (0 runs, 0 finds).\n',
    'price-feed-mock: searching (10 runs, 0 finds, about 30 s left).\n',
    'price-feed-mock: narrowing down a failure (20 runs, 1 find, about 11 s left).\n',
  ])
})

it('behavior: at a terminal one line is written again and again, and removed', () => {
  const { printed, progress, showAt } = open(true, 60)
  showAt(0, { phase: 'known', left: 1 })
  showAt(10_000)
  showAt(300)
  progress.clear()
  expect(printed).toEqual([
    '\r\x1b[Kprice-feed-mock: repeating earlier finds (10 runs, 0 finds)',
    '\r\x1b[Kprice-feed-mock: searching (10 runs, 0 finds, about 30 s le',
    '\r\x1b[Kprice-feed-mock: searching (10 runs, 0 finds)',
    '\r\x1b[K',
  ])
})
