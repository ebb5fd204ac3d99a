// The cache of the reducer: results of pure functions for the current second of each session, bounded over all sessions.
import { createEndpointContext, type EndpointContext } from './endpoint-context.js'
import type { Received } from './received.js'
import { createReplyHeaders, type ReplyHeaders } from './reply-headers.js'
import type { Runtime } from './runtime.js'

/** The answer of an endpoint before headers and reply faults. */
export interface CachedReply {
  readonly status: number
  /** Kept only if a reply fault may change it. */
  readonly value: unknown
  /** The value as JSON. */
  readonly text: string
  /** Indices of the faults applied to it. */
  readonly applied: readonly number[]
  /** Units of its work, which count each time: the same request then gives up at the same place. */
  readonly units?: number | undefined
  /** The judgement on it, once it has arrived unchanged. */
  received?: Received
}

/** Everything that all requests of a session in one second have in common. */
export interface CachedSecond {
  /** The context without faults of tick, signature and series. */
  readonly context: EndpointContext
  readonly headers: ReplyHeaders
  /** By target and active faults. */
  readonly replies: Map<string, CachedReply>
  /** Characters held in `replies`. */
  size: number
}

/** The cache of the reducer. */
export type Memory = ReturnType<typeof createMemory>

/** Maximum number of cached characters over all sessions. */
const MAX_CHARACTERS = 4_000_000

/** Creates an empty cache. */
export function createMemory() {
  let seconds = new WeakMap<Runtime, CachedSecond>()
  /** Cached characters. Those of deleted sessions still count. */
  let held = 0
  return {
    /** The cache of a session at virtual second `now`. Only the newest second of a session is kept. */
    secondOf(session: Runtime, now: number): CachedSecond {
      let second = seconds.get(session)
      if (second?.context.now !== now) {
        held -= second?.size ?? 0
        second = {
          context: createEndpointContext(session, now),
          headers: createReplyHeaders(session, now),
          replies: new Map(),
          size: 0,
        }
        seconds.set(session, second)
      }
      return second
    },
    remember(second: CachedSecond, key: string, reply: CachedReply): void {
      const size = key.length + reply.text.length * (reply.value === undefined ? 1 : 2)
      if (held + size > MAX_CHARACTERS) {
        seconds = new WeakMap()
        held = 0
      } else {
        second.replies.set(key, reply)
        second.size += size
        held += size
      }
    },
  }
}
