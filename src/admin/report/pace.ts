// The pace of a consumer after bad replies: whether it slows down, or asks on as before.
import { type AskedRequest, elapsedMs, isAfterReply, median } from './asked.js'

/** A consumer that asks the same as seldom as this, in milliseconds, need not slow down. */
const SLOW_ENOUGH_MS = 10_000
/** The least factor by which a distance grows if a consumer slows down. */
const GROWTH = 1.5
/** Shorter distances are no different from each other: they are the time that a request takes. */
const LEAST_MS = 100
/** Number of successive requests that show the pace. One or two may be a retry. */
export const SHOWN_BY = 3

/** A bad reply and the next request for the same. */
export interface Reaction {
  readonly reply: AskedRequest
  readonly next: AskedRequest
  readonly ms: number
}

/** The requests that follow bad replies, all asking the same. */
export interface Reactions {
  /** Runs of bad replies, each with the requests that followed. */
  readonly runs: readonly (readonly Reaction[])[]
  /** The median distance after other replies, in milliseconds; undefined without one. */
  readonly usualMs: number | undefined
}

/** Finds what follows bad replies. Requests that were sent before the reply arrived are left out. */
export function findReactions(
  series: readonly AskedRequest[],
  isBad: (reply: AskedRequest) => boolean,
  isReaction: (reply: AskedRequest, next: AskedRequest) => boolean = () => true,
): Reactions {
  const runs: Reaction[][] = []
  const usual: number[] = []
  let run: Reaction[] | undefined
  let reply: AskedRequest | undefined
  for (const next of series) {
    if (reply !== undefined && !isAfterReply(reply, next)) continue
    if (reply === undefined || !isBad(reply)) {
      if (reply !== undefined) usual.push(elapsedMs(reply, next))
      run = undefined
    } else if (isReaction(reply, next)) {
      if (run === undefined) runs.push((run = []))
      run.push({ reply, next, ms: elapsedMs(reply, next) })
    } else run = undefined
    reply = next
  }
  return { runs, usualMs: median(usual) }
}

/** The reactions of a run that came without slowing down; none if there are too few to show it. */
export function findHammering(run: readonly Reaction[], usualMs: number | undefined): readonly Reaction[] {
  const found = new Set<Reaction>()
  for (let i = 0; i + SHOWN_BY <= run.length; i++) {
    const some = run.slice(i, i + SHOWN_BY)
    if (some.some(reaction => isSlower(reaction, usualMs)) || isSlower(some.at(-1)!, some[0]!.ms)) continue
    for (const one of some) found.add(one)
  }
  return [...found]
}

/** Whether a reaction took more time than usual, or enough. */
export const isSlower = ({ ms }: Reaction, usualMs: number | undefined): boolean =>
  ms >= SLOW_ENOUGH_MS || (usualMs !== undefined && ms >= Math.max(usualMs, LEAST_MS) * GROWTH)
