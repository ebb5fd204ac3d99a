// The zoo: consumers that keep their promises under every scenario, and copies with one bug each, which calm does not show.
// docs/zoo.md says which scenario finds which bug. `npm run docs:zoo` tries every pair and writes it, a matter of minutes;
// otherwise one pair for each bug, and one for each scenario, has to be as the page says.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BUILT_IN } from '../../src/scenario/built-in.js'
import { missingProgram, needs } from '../support/needs.js'
import { IS_FULL_RUN } from '../support/seed.js'
import { BUGS } from './bugs.js'
import { type Found, nameOf, readPage, writePage } from './page.js'
import { type Bug, createZooMock, KINDS, play } from './run.js'

const NO_PYTHON = missingProgram('python3')
const needsOf = (consumer: string) => needs(consumer === 'portfolio' ? NO_PYTHON : undefined)

const mock = createZooMock()
const NAMES = Object.keys(BUILT_IN)
const SCENARIOS = NAMES.filter(name => name !== 'calm')
const isWhole = process.env.ZOO === 'whole'
const PAGE = new URL('../../docs/zoo.md', import.meta.url)
const known: Found = isWhole ? new Map() : readPage(readFileSync(PAGE, 'utf8'))

const finds = async (scenario: string, bug: Bug): Promise<boolean> =>
  (await play(mock, bug.consumer, scenario, bug, broken => broken.has(bug.breaks))).broken.has(bug.breaks)

/** A push tries each scenario on some of the consumers, fewer of them in Python. */
const isTried = (name: string, i: number): boolean => i % (name === 'portfolio' ? 3 : 2) === 0

describe.each(KINDS.map(({ name }, k) => ({ name, k })))('a correct $name', ({ name, k }) => {
  it.each(NAMES.filter((_, i) => IS_FULL_RUN || isTried(name, i + k)))(
    'default: keeps its promises under %s',
    needsOf(name),
    async scenario => expect([...(await play(mock, name, scenario)).broken]).toEqual([]),
  )
})

describe.each(BUGS)('$consumer: $name', bug => {
  it('behavior: calm does not show it', needsOf(bug.consumer), async () => {
    expect([...(await play(mock, bug.consumer, 'calm', bug)).broken]).toEqual([])
  })

  const [first] = known.get(nameOf(bug)) ?? []
  if (first !== undefined)
    it('behavior: the first scenario that the page names finds it', needsOf(bug.consumer), async () => {
      expect(await finds(first, bug)).toBe(true)
    })
})

it.skipIf(isWhole)('behavior: the scenarios find all bugs', () => {
  expect(BUGS.map(nameOf).filter(name => (known.get(name) ?? []).length === 0)).toEqual([])
})

/** Those that no bug has tried above. */
const UNTRIED = SCENARIOS.filter(
  scenario => !BUGS.some(bug => bug.consumer !== 'portfolio' && known.get(nameOf(bug))?.[0] === scenario),
)

it.skipIf(isWhole).each(UNTRIED)('behavior: %s finds a bug', async scenario => {
  const bug = BUGS.find(one => one.consumer !== 'portfolio' && known.get(nameOf(one))?.includes(scenario))
  expect(bug, 'a bug').toBeDefined()
  expect(await finds(scenario, bug!)).toBe(true)
})

it('behavior: each of the bugs changes at most five lines', () => {
  for (const { name, line, instead } of BUGS)
    expect(Math.max(line.split('\n').length, instead.split('\n').length), name).toBeLessThanOrEqual(5)
})

it('behavior: docs/zoo.md shows these results', { timeout: 3_600_000 }, async () => {
  const found = new Map(known)
  if (isWhole)
    for (const bug of BUGS) {
      const names: string[] = []
      for (const scenario of SCENARIOS) if (await finds(scenario, bug)) names.push(scenario)
      found.set(nameOf(bug), names)
    }
  await expect(writePage(BUGS, SCENARIOS, found)).toMatchFileSnapshot(PAGE.pathname)
})
