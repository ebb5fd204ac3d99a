// The progress of a hunt: a line that changes at a terminal, and a line now and then elsewhere.
import { expect, it } from 'vitest'
import type { HuntProgress } from '../hunt/types.js'
import { createProgress } from './hunt-progress.js'

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
