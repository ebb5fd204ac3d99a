// The hunt on the zoo: how many of its bugs it finds, in how many runs, and how well it explains them. A sample; all of them, with
// the figures of docs/hunt.md: `npm run hunt:zoo`, with HUNT_SEED, HUNT_RUNS, and HUNT_PART=0/5 for the first of five parts.
import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BUGS } from '../zoo/bugs.js'
import { nameOf } from '../zoo/page.js'
import { createZooMock, KINDS } from '../zoo/run.js'
import { huntZoo } from './zoo-hunt.js'

const { HUNT_ZOO, HUNT_SEED, HUNT_RUNS, HUNT_PART = '', HUNT_OUT } = process.env
const isWhole = HUNT_ZOO === 'whole'
const seed = Number(HUNT_SEED ?? 7)
const runs = Number(HUNT_RUNS ?? (isWhole ? 160 : 40))
const [part = 0, parts = 1] = HUNT_PART.split('/').filter(Boolean).map(Number)
const mock = createZooMock()
const isQuick = ({ consumer }: { readonly consumer: string }): boolean => consumer !== 'portfolio'
const sample = isWhole ? BUGS.filter((_, i) => i % parts === part) : BUGS.filter(isQuick).filter((_, i) => i % 20 === 4)
const print = (...all: unknown[]): void => {
  if (HUNT_OUT !== undefined) appendFileSync(HUNT_OUT, `${all.join(' ')}\n`)
  else if (isWhole) console.log(...all)
}

it('behavior: it finds the bugs of the zoo, and says which fault it is', { timeout: 7_200_000 }, async () => {
  const hunted = []
  for (const bug of sample) {
    const { find, isRight, failed } = await huntZoo(mock, bug.consumer, bug, { runs, seed })
    const scenario = JSON.stringify(find && { clock: find.scenario.clock, faults: find.scenario.faults })
    print(
      find?.runs ?? 'none',
      isRight ? 'right' : 'wrong',
      nameOf(bug),
      scenario,
      find?.output.replaceAll('\n', ', '),
      failed[0],
      '\n   ',
      find?.scenario.why,
    )
    hunted.push({ find, isRight })
  }
  const found = hunted.filter(({ find }) => find !== undefined)
  const figures = {
    bugs: hunted.length,
    found: found.length / hunted.length,
    in40: found.filter(({ find }) => find!.runs <= 40).length / hunted.length,
    single: found.filter(({ find }) => find!.faults.length <= 1).length / found.length,
    right: found.filter(({ isRight }) => isRight).length / found.length,
  }
  print(JSON.stringify(figures))
  // Of a sample, one more may be missed.
  const slack = isWhole ? 0 : 1 / hunted.length
  expect(figures.in40).toBeGreaterThanOrEqual(0.9 - slack)
  if (runs >= 160) expect(figures.found).toBeGreaterThanOrEqual(0.95)
  expect(figures.single).toBeGreaterThanOrEqual(0.9 - slack)
  expect(figures.right).toBeGreaterThanOrEqual(0.9 - slack)
})

it('behavior: hardly a run of a correct consumer fails', { timeout: 7_200_000 }, async () => {
  let alarms = 0
  let total = 0
  for (const kind of KINDS) {
    if (part !== 0 || (!isWhole && kind.name === 'portfolio')) continue
    const report = await huntZoo(mock, kind.name, undefined, { runs: isWhole ? runs : 6, seed })
    print(kind.name, report.runs, report.failed.join(' | '))
    alarms += report.finds.length
    total += report.runs
  }
  // The runs that shrink a find repeat its failure.
  expect(alarms / Math.max(1, total)).toBeLessThanOrEqual(0.01)
})
