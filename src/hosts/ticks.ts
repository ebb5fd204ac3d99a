// Finds out whether a test has stopped Node itself: sockets and streams need `process.nextTick`, which some fake timers replace.
import { PriceFeedMockError } from '../errors.js'
import { load, setImmediate } from './real-time.js'

/**
 * Checks that streams of Node go on. Without this check, calls over a socket would wait for ever.
 * @throws PriceFeedMockError TIMERS_FAKED
 */
export async function assertTicks(): Promise<void> {
  let hasTicked = false
  // A stream, since some runners give a test another `process` than Node's.
  ;new (load!('node:stream').Readable)().once('close', () => (hasTicked = true)).destroy()
  // Node's own ticks come before.
  await new Promise(setImmediate)
  if (hasTicked) return
  throw new PriceFeedMockError('TIMERS_FAKED', 'The sockets of Node stand still, because process.nextTick is fake.', {
    details: [
      ['fix', `sinon.useFakeTimers({ toFake: [${FAKED}] }), or the same with vi`],
      ['note', 'a mock in process, openPriceFeed() without server and url, works with all timers fake'],
      ['docs', 'price-feed-mock/docs/runners.md'],
    ],
  })
}

/** The timers of applications. */
const FAKED = "'Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'"
