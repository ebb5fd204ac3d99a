// The queue of a relay: the prices of each second of the mock, in order, until the chain has them.
import { countOf, firstLineOf, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { toInstant } from '../settings/time.js'
import type { EvmSignedPrice } from './calldata.js'
import type { VirtualClock } from './clock.js'

/** A price on its way. */
export interface Waiting {
  readonly price: EvmSignedPrice
  /** The second of the mock at which it was read. */
  readonly at: number
  /** The transaction that carries it, if it was sent. */
  hash?: string
  /** How often its block was looked for. */
  looks: number
  /** Whether it has waited for a chain that was gone. */
  isKept: boolean
}

/** The input of a queue. */
export interface RelayQueueOptions {
  /** Asks the mock for the prices of now, once for each of its seconds. Its errors are reported, and the next second is asked. */
  ask(): Promise<readonly EvmSignedPrice[]>
  readonly clock: VirtualClock
  /** Receives one line for each event. */
  report(line: string): void
}

/** The prices of a feed that may wait behind another one before the chain counts as slow. */
const MAX_BEHIND = 3
/** The most prices that wait: an hour of 25 feeds. */
const MAX_WAITING = 90_000

/** Creates a queue. */
export function createRelayQueue({ ask, clock, report }: RelayQueueOptions) {
  const queue: Waiting[] = []
  const lastSignatures = new Map<string, string>()
  let leftOut = 0
  let isKeeping = false
  let hasNews = false
  let lastSecond: number | undefined
  let reading: Promise<void> | undefined

  const readSecond = async (): Promise<void> => {
    const second = Math.floor((await clock.now()) / 1000)
    if (second === lastSecond) return
    lastSecond = second
    let prices: readonly EvmSignedPrice[]
    try {
      prices = pricesOf(await ask())
    } catch (error) {
      report(`no prices at ${toInstant(second * 1000)}: ${firstLine(error)}`)
      return
    }
    for (const price of prices) {
      if (lastSignatures.get(price.feedId) === price.signature) continue
      lastSignatures.set(price.feedId, price.signature)
      queue.push({ price, at: second, looks: 0, isKept: isKeeping })
      hasNews = true
    }
    if (queue.length <= MAX_WAITING) return
    const dropped = queue.splice(0, queue.length - MAX_WAITING).length
    report(`dropped the oldest ${dropped} prices: more than ${MAX_WAITING} wait`)
  }

  /** Leaves all but the newest price of each feed out. The feeds keep their order, so that none waits for ever. */
  const leaveOutOld = (): void => {
    if (!hasNews) return
    hasNews = false
    const isLoose = ({ hash, isKept }: Waiting): boolean => hash === undefined && !isKept
    const loose = queue.filter(isLoose)
    const newest = new Map(loose.map(waiting => [waiting.price.feedId, waiting]))
    const count = loose.length - newest.size
    if (count <= MAX_BEHIND * newest.size) return
    const rest = queue.filter(waiting => !isLoose(waiting))
    queue.length = 0
    for (const waiting of rest) queue.push(waiting)
    queue.push(...newest.values())
    leftOut += count
    report(
      `left out ${countOf(count, 'price')}: the chain is slower than the mock, and gets the newest price of each feed`,
    )
  }

  return {
    get length() {
      return queue.length
    },
    /** The number of prices that were left out for newer ones. */
    get leftOut() {
      return leftOut
    },
    /** Asks for the prices of a new second. One call at a time does: prices stay in order when the mock answers late. */
    read(): Promise<void> {
      reading ??= readSecond().finally(() => {
        reading = undefined
      })
      return reading
    },
    /** Lets a second count as read. */
    markRead(second: number) {
      lastSecond = second
    },
    /** The first price. A slow chain gets the newest one of each feed. */
    first(): Waiting | undefined {
      leaveOutOld()
      return queue[0]
    },
    /** Takes a price out that the chain has, or has refused. */
    done(waiting: Waiting) {
      if (queue[0] === waiting) queue.shift()
    },
    /** From now on no price is left out, until the chain answers again. */
    keep() {
      isKeeping = true
      for (const waiting of queue) waiting.isKept = true
    },
    /** The chain answers. */
    release() {
      isKeeping = false
    },
  }
}

/** The prices of a reply, which faults may have changed. Fields are checked before they are sent. */
function pricesOf(value: unknown): readonly EvmSignedPrice[] {
  if (Array.isArray(value) && value.every(price => typeof price === 'object' && price !== null)) return value
  throw new PriceFeedMockError('RESPONSE_UNRECOGNISED', 'the reply has no list of prices.')
}

/** The first line of an error; keys are never in it, because errors of transactions do not repeat them. */
export const firstLine = (error: unknown): string =>
  isPriceFeedMockError(error) ? error.shortMessage : firstLineOf(error)
