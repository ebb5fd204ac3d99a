// Pages follow the clock of a session: how far their timers run, and when they cannot follow.
import type { Clock } from '@playwright/test'
import { expect, it } from 'vitest'
import { withPages } from './page-clock.js'
import { openSession } from './price-feed.js'
import { inProcessTarget } from './test-target.js'

const NOW = 1_753_354_105

/** A feed with pages that record the calls of their clock. */
async function open(frozen: boolean) {
  const calls: (readonly [name: string, time: unknown])[] = []
  const note =
    (name: string) =>
    async (time: unknown): Promise<void> =>
      void calls.push([name, time])
  const pages = {
    install: note('install'),
    setFixedTime: note('setFixedTime'),
    setSystemTime: note('setSystemTime'),
    fastForward: note('fastForward'),
  }
  const opened = await openSession(inProcessTarget(), { clock: { at: NOW, frozen } }, 0)
  const feed = await withPages(opened, pages as unknown as Clock)
  return { feed, newest: () => calls.splice(0), readClock: opened.readClock }
}

it('default: pages start at the time of the session', async () => {
  const { newest } = await open(true)
  expect(newest()).toEqual([
    ['install', { time: NOW * 1000 }],
    ['setFixedTime', NOW * 1000],
  ])
})

it('behavior: timers run as far as the clock is advanced, and not when it is set back', async () => {
  const { feed, newest } = await open(true)
  newest()
  await feed.clock.advance('2m')
  expect(newest()).toEqual([
    ['setFixedTime', (NOW + 120) * 1000],
    ['fastForward', 120_000],
  ])
  await feed.clock.set(NOW)
  expect(newest()).toEqual([['setFixedTime', NOW * 1000]])
})

it('behavior: the pages of a running clock are moved on from where they were', async () => {
  const { feed, newest } = await open(false)
  newest()
  await feed.clock.advance('2h')
  const [[name, before] = [], [forward, passed] = []] = newest()
  expect([name, forward]).toEqual(['setSystemTime', 'fastForward'])
  expect(Math.abs(Number(before) - NOW * 1000)).toBeLessThan(60_000)
  expect(Math.abs(Number(passed) - 7_200_000)).toBeLessThan(60_000)
})

it('behavior: changes at once move the pages one after the other', async () => {
  const { feed, newest } = await open(true)
  newest()
  await Promise.all([feed.clock.advance('2m'), feed.setScenario('calm'), feed.clock.advance('1m')])
  expect(newest().filter(([name]) => name === 'fastForward')).toEqual([
    ['fastForward', 120_000],
    ['fastForward', 60_000],
  ])
  await expect(Promise.all([feed.clock.run(60), feed.clock.advance('1m')])).rejects.toThrow('Pages cannot run')
})

it('behavior: a running clock that is set back sets pages back', async () => {
  const { feed, newest } = await open(false)
  newest()
  await feed.clock.set(NOW - 3600)
  const [[name, time] = [], ...others] = newest()
  expect([name, others]).toEqual(['setSystemTime', []])
  expect(Math.abs(Number(time) - (NOW - 3600) * 1000)).toBeLessThan(60_000)
})

it('behavior: pages run with the session at the speed of real time', async () => {
  const { feed, newest, readClock } = await open(true)
  for (const run of [() => feed.clock.run(1), () => feed.clock.run()]) {
    newest()
    await run()
    expect(await readClock()).toMatchObject({ frozen: false, speed: 1 })
    expect(newest()[0]![0]).toBe('setSystemTime')
    await feed.clock.freeze()
    expect((await readClock()).frozen).toBe(true)
  }
})

it('error: a page cannot run as fast as the session would', async () => {
  const { feed } = await open(true)
  const want = '1, or a frozen clock that the test advances'
  await expect(feed.clock.run(60)).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    shortMessage: 'Pages cannot run at the speed of this session.',
    problems: [{ at: 'clock.speed', got: 60, want }],
  })
  const fast = { faults: [], clock: { speed: 60, frozen: false } }
  await expect(feed.setScenario(fast)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
})
