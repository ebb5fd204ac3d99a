// What the reducer remembers: results of pure functions for the current second of each context, bounded over all of them.
import { createEndpointContext, type EndpointContext, type SessionContext } from './endpoint-context.js'
import { createReplyHeaders, type ReplyHeaders } from './reply-headers.js'

/** The answer of an endpoint before headers and reply faults. */
export interface CachedReply {
  readonly status: number
  /** Kept where a fault of the reply may want to change it. */
  readonly value: unknown
  /** The value as JSON. */
  readonly text: string
  /** Indices of the faults applied to it. */
  readonly applied: readonly number[]
}

/** What stays the same for all requests of one second of one context. */
export interface CachedSecond {
  /** The moment without faults of tick, signature and series. */
  readonly context: EndpointContext
  readonly headers: ReplyHeaders
  /** By target, and by the faults at work on it. */
  readonly made: Map<string, CachedReply>
  /** Characters held in `made`. */
  size: number
}

/** What the reducer remembers. */
export interface Memory {
  /** A context at virtual second `now`; of a context, only the newest second is kept. */
  secondOf(session: SessionContext, now: number): CachedSecond
  remember(second: CachedSecond, key: string, made: CachedReply): void
}

/** Characters of bodies remembered over all worlds, for the current second of each. */
const REMEMBERED_CHARACTERS = 4_000_000

/** Creates a memory. */
export function createMemory(): Memory {
  let seconds = new WeakMap<SessionContext, CachedSecond>()
  /** Characters remembered: too many of them where worlds have gone, never too few. */
  let held = 0
  return {
    secondOf(session, now) {
      let second = seconds.get(session)
      if (second?.context.now !== now) {
        held -= second?.size ?? 0
        second = {
          context: createEndpointContext(session, now),
          headers: createReplyHeaders(session, now),
          made: new Map(),
          size: 0,
        }
        seconds.set(session, second)
      }
      return second
    },
    remember(second, key, made) {
      const size = key.length + made.text.length * (made.value === undefined ? 1 : 2)
      if (held + size > REMEMBERED_CHARACTERS) {
        seconds = new WeakMap()
        held = 0
      } else {
        second.made.set(key, made)
        second.size += size
        held += size
      }
    },
  }
}
