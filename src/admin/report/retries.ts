// The checks of what a consumer does after bad replies: whether it slows down, or asks on as before.
import { countOf } from '../../errors.js'
import { type AskedRequest, type Check, elapsedMs, finding, formatMs, isAfterReply, median } from './check.js'

/** A consumer that asks the same as seldom as this, in milliseconds, need not slow down. */
const SLOW_ENOUGH_MS = 10_000
/** The least factor by which a distance grows if a consumer slows down. */
const GROWTH = 1.5
/** Shorter distances are no different from each other: they are the time that a request takes. */
const LEAST_MS = 100
/** Number of successive requests that show the pace. One or two may be a retry. */
const SHOWN_BY = 3

const toReaction = (reply: AskedRequest, next: AskedRequest) => ({ reply, next, ms: elapsedMs(reply, next) })
type Reaction = Readonly<ReturnType<typeof toReaction>>

const nextOf = (reactions: readonly Reaction[]): AskedRequest[] => reactions.map(({ next }) => next)

/**
 * Finds what follows bad replies, of requests that all ask the same. Requests that were sent before the reply arrived are left out.
 * @returns runs of bad replies, each with the requests that followed, and the median distance after other replies in milliseconds
 */
function findReactions(
  groups: readonly AskedRequest[],
  isBad: (reply: AskedRequest) => boolean,
  isReaction: (reply: AskedRequest, next: AskedRequest) => boolean = () => true,
) {
  const runs: Reaction[][] = []
  const usual: number[] = []
  let run: Reaction[] | undefined
  let reply: AskedRequest | undefined
  for (const next of groups) {
    if (reply !== undefined && !isAfterReply(reply, next)) continue
    if (reply === undefined || !isBad(reply)) {
      if (reply !== undefined) usual.push(elapsedMs(reply, next))
      run = undefined
    } else if (isReaction(reply, next)) {
      if (run === undefined) runs.push((run = []))
      run.push(toReaction(reply, next))
    } else run = undefined
    reply = next
  }
  return { runs, usualMs: median(usual) }
}

/** The reactions of a run that came without slowing down; none if there are too few to show it. */
function findHammering(run: readonly Reaction[], usualMs: number | undefined): readonly Reaction[] {
  const found = new Set<Reaction>()
  for (let i = 0; i + SHOWN_BY <= run.length; i++) {
    const some = run.slice(i, i + SHOWN_BY)
    if (some.some(reaction => isSlower(reaction, usualMs)) || isSlower(some.at(-1)!, some[0]!.ms)) continue
    for (const one of some) found.add(one)
  }
  return [...found]
}

const isSlower = ({ ms }: Reaction, usualMs: number | undefined): boolean =>
  ms >= SLOW_ENOUGH_MS || (usualMs !== undefined && ms >= Math.max(usualMs, LEAST_MS) * GROWTH)

const isError = ({ status }: AskedRequest): boolean => status === 429 || status >= 500

/** A consumer that polls on at the same rate keeps a struggling service down. */
export const errorsHeeded: Check = {
  id: 'errors-heeded',
  title: 'Error replies slow the consumer down',
  find({ requests, groups }) {
    const errors = requests.filter(isError)
    if (errors.length === 0) return finding('not-seen', 'No reply was 429 or 5xx.')
    const found = groups.map(group => findReactions(group, isError))
    const reactions = found.flatMap(({ runs }) => runs.flat())
    const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b).join(', ')
    const replies = `${errors.length === 1 ? '1 error reply' : `${errors.length} error replies`} (${statuses})`
    const shownBy = nextOf(reactions)
    const hammering = found.flatMap(({ runs, usualMs }) => runs.flatMap(run => findHammering(run, usualMs)))
    if (hammering.length > 0) {
      const text = `${replies}; ${hammering.length} next requests came without slowing down, after ${formatMs(median(hammering.map(({ ms }) => ms))!)} (median).`
      return finding('failed', text, nextOf(hammering))
    }
    if (reactions.length === 0) return finding('ok', `${replies}; nothing was asked again.`, errors)
    const slowsDown = found.some(({ runs, usualMs }) =>
      runs.some(run => run.length >= SHOWN_BY || run.some(reaction => isSlower(reaction, usualMs))),
    )
    return slowsDown
      ? finding('ok', `${replies}; the next requests took their time.`, shownBy)
      : finding('info', `${replies}, never ${SHOWN_BY} in a row for the same: too few to judge the pace.`, shownBy)
  },
}

const isRefused = ({ status }: AskedRequest): boolean => status === 401

const isSameKey = (refused: AskedRequest, next: AskedRequest): boolean =>
  refused.refusedKey === next.refusedKey && (next.refusedKey !== undefined || !next.apiKey)

/** A refused key stays refused: a consumer that sends it on and on never recovers, and may be locked out. */
export const retriesAfter401: Check = {
  id: 'retries-after-401',
  title: 'A refused key is not sent again and again',
  find({ requests, groups }) {
    const refused = requests.filter(isRefused)
    if (refused.length === 0) return finding('not-seen', 'No request was refused with 401.')
    const found = groups.map(group => findReactions(group, isRefused, isSameKey))
    const retries = found.flatMap(({ runs }) => runs.flat())
    const replies = `${countOf(refused.length, 'request')} got 401`
    if (retries.length === 0) return finding('ok', `${replies}. None was sent again with the same key.`, refused)
    const hammering = found.flatMap(({ runs, usualMs }) => runs.flatMap(run => findHammering(run, usualMs)))
    const soonest = formatMs(Math.min(...retries.map(({ ms }) => ms)))
    const again = `${replies}, ${retries.length === 1 ? '1 was' : `${retries.length} were`} sent again with the same key, the soonest after ${soonest}`
    if (hammering.length === 0) return finding('ok', `${again}. They were few, or slowed down.`, nextOf(retries))
    const text = `${again}. They did not slow down: stop after a 401, or wait longer each time.`
    return finding('failed', text, nextOf(hammering))
  },
}

/** Timers of consumers may be early by as much. */
const TOLERANCE_MS = 50

/** A request that asks the same again before the wait is over makes an overload worse. */
export const retryAfter: Check = {
  id: 'retry-after',
  title: 'Retry-After is respected',
  find({ requests, groups }) {
    const asking = requests.filter(request => request.retryAfter !== undefined)
    if (asking.length === 0) return finding('not-seen', 'No reply had a Retry-After.')
    const reactions = groups.flatMap(reactionsToRetryAfter)
    const early = reactions.filter(({ reply, ms }) => ms + TOLERANCE_MS < reply.retryAfter! * 1000)
    const replies = `${asking.length === 1 ? '1 reply' : `${asking.length} replies`} had a Retry-After`
    const [first] = early
    if (first === undefined) {
      const after =
        reactions.length === 0
          ? 'nothing was asked again'
          : `${countOf(reactions.length, 'next request')} waited for it`
      return finding('ok', `${replies}; ${after}.`, asking)
    }
    const soonest = early.reduce((least, one) => (one.ms < least.ms ? one : least), first)
    const example = `the soonest after ${formatMs(soonest.ms)} instead of ${formatMs(soonest.reply.retryAfter! * 1000)}`
    const text = `${replies}; ${early.length} of ${countOf(reactions.length, 'next request')} came before the time was over, ${example}.`
    return finding('failed', text, nextOf(early))
  },
}

function reactionsToRetryAfter(group: readonly AskedRequest[]): Reaction[] {
  const reactions: Reaction[] = []
  let reply: AskedRequest | undefined
  for (const next of group) {
    // Requests that were sent before the reply arrived are not judged.
    if (reply !== undefined && !isAfterReply(reply, next)) continue
    if (reply !== undefined) reactions.push(toReaction(reply, next))
    reply = next.retryAfter === undefined ? undefined : next
  }
  return reactions
}
