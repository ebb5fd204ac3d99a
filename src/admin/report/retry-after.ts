// retry-after: whether the consumer waits as long as a reply asks it to.
import { countOf } from '../../errors.js'
import { type AskedRequest, elapsedMs, formatMs, isAfterReply } from './asked.js'
import { type Check, notSeen } from './check.js'

/** Timers of consumers may be early by as much. */
const TOLERANCE_MS = 50

/** A request that asks the same again before the wait is over makes an overload worse. */
export const retryAfter: Check = {
  id: 'retry-after',
  title: 'Retry-After is respected',
  find({ requests, series }) {
    const asking = requests.filter(request => request.retryAfter !== undefined)
    if (asking.length === 0) return notSeen('No reply had a Retry-After.')
    const pairs = series.flatMap(pairsOf)
    const early = pairs.filter(({ reply, next }) => elapsedMs(reply, next) + TOLERANCE_MS < reply.retryAfter! * 1000)
    const replies = `${asking.length === 1 ? '1 reply' : `${asking.length} replies`} had a Retry-After`
    const [first] = early
    if (first === undefined) {
      const after =
        pairs.length === 0 ? 'nothing was asked again' : `${countOf(pairs.length, 'next request')} waited for it`
      return { status: 'ok', text: `${replies}; ${after}.`, shownBy: asking.map(({ n }) => n) }
    }
    const soonest = early.reduce((least, one) => (waitOf(one) < waitOf(least) ? one : least), first)
    const example = `the soonest after ${formatMs(waitOf(soonest))} instead of ${formatMs(soonest.reply.retryAfter! * 1000)}`
    return {
      status: 'failed',
      text: `${replies}; ${early.length} of ${countOf(pairs.length, 'next request')} came before the time was over, ${example}.`,
      shownBy: early.map(({ next }) => next.n),
    }
  },
}

/** A reply with a `Retry-After`, and the next request that asks the same. */
interface Pair {
  readonly reply: AskedRequest
  readonly next: AskedRequest
}

const waitOf = ({ reply, next }: Pair): number => elapsedMs(reply, next)

function pairsOf(group: readonly AskedRequest[]): Pair[] {
  const pairs: Pair[] = []
  let reply: AskedRequest | undefined
  for (const next of group) {
    // Requests that were sent before the reply arrived are not judged.
    if (reply !== undefined && !isAfterReply(reply, next)) continue
    if (reply !== undefined) pairs.push({ reply, next })
    reply = next.retryAfter === undefined ? undefined : next
  }
  return pairs
}
