// Keeps the clock of pages in step with the clock of a session.
import type { Clock } from '@playwright/test'
import { wrongValue } from '../errors.js'
import type { OpenPriceFeed, PriceFeed } from './price-feed.js'

/**
 * Makes the pages of a Playwright clock follow the clock of a session.
 * @throws PriceFeedMockError OPTIONS_INVALID if the session runs at a speed other than 1, which pages cannot follow
 */
export async function withPages({ feed, readClock }: OpenPriceFeed, pages: Clock): Promise<PriceFeed> {
  /** Moves the pages from the session's time before a change to its current time. */
  const follow = async (beforeMs: number): Promise<void> => {
    const { nowMs, frozen, speed } = await readClock()
    if (!frozen) assertRealSpeed(speed)
    const ahead = Math.max(0, nowMs - beforeMs)
    // A fixed time stops `Date` but not timers, so that pages go on polling. Set before timers fire, so that they read the new time.
    if (frozen) await pages.setFixedTime(nowMs)
    else await pages.setSystemTime(nowMs - ahead)
    // Timers due in between fire once, as after a laptop's sleep.
    if (ahead > 0) await pages.fastForward(ahead)
  }
  /** One change at a time: each moves the pages by the difference that it made. */
  let last: Promise<void> = Promise.resolve()
  const following =
    <Args extends readonly unknown[]>(change: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      const changed = last.then(async () => {
        const { nowMs } = await readClock()
        await change(...args)
        await follow(nowMs)
      })
      last = changed.catch(() => {})
      // A promise of its own: an error that nobody waits for has to be seen.
      await changed
    }

  const { nowMs } = await readClock()
  await pages.install({ time: nowMs })
  await follow(nowMs)
  const { clock } = feed
  return {
    ...feed,
    clock: {
      now: clock.now,
      set: following(clock.set),
      advance: following(clock.advance),
      freeze: following(clock.freeze),
      run: following(async speed => {
        if (speed !== undefined) assertRealSpeed(speed)
        await clock.run(speed)
      }),
    },
    // A scenario can set the clock.
    setScenario: following(feed.setScenario),
  }
}

function assertRealSpeed(speed: number): void {
  if (speed === 1) return
  const problem = { at: 'clock.speed', got: speed, want: '1, or a frozen clock that the test advances' }
  throw wrongValue('OPTIONS_INVALID', 'Pages cannot run at the speed of this session.', problem)
}
