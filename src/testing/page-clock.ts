// The clock of pages, kept with that of a session: where one goes, the other goes.
import type { Clock } from '@playwright/test'
import { PriceFeedMockError } from '../errors.js'
import type { OpenPriceFeed, PriceFeed } from './price-feed.js'

/**
 * A session whose changes of time the pages behind a clock of Playwright follow.
 * @throws PriceFeedMockError OPTIONS_INVALID when the session runs at a speed that pages do not have
 */
export async function withPages({ feed, readClock }: OpenPriceFeed, pages: Clock): Promise<PriceFeed> {
  /** Brings the pages from the time of the session before a change to its present one. */
  const follow = async (beforeMs: number): Promise<void> => {
    const { nowMs, frozen, speed } = await readClock()
    if (!frozen) assertRealSpeed(speed)
    const ahead = Math.max(0, nowMs - beforeMs)
    // Under a fixed time `Date` stands still and timers go on: a page that polls has to go on polling. It is fixed before timers
    // fire, and runs up to the present while they do: either way they read the time that they were brought to.
    if (frozen) await pages.setFixedTime(nowMs)
    else await pages.setSystemTime(nowMs - ahead)
    // Timers that were due on the way fire once, as after a closed lid.
    if (ahead > 0) await pages.fastForward(ahead)
  }
  const following =
    <Args extends readonly unknown[]>(change: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      const { nowMs } = await readClock()
      await change(...args)
      await follow(nowMs)
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
    // A scenario can set the clock as well.
    setScenario: following(feed.setScenario),
  }
}

/** A page runs as fast as real time, or stands. */
function assertRealSpeed(speed: number): void {
  if (speed === 1) return
  throw new PriceFeedMockError('OPTIONS_INVALID', 'A page cannot run as fast as the session would.', {
    problems: [{ at: 'clock.speed', got: speed, want: '1, or a clock that is frozen and advanced' }],
  })
}
