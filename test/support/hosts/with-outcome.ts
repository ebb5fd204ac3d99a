// A mock whose answers of the service are changed before a host carries them out: each host shows what it makes of them.
import type { Mock } from '../../../src/index.js'
import type { Outcome, Reply } from '../../../src/outcome.js'
import { replyOf } from '../ask.js'

/** What a wire fault makes of the reply that was due. */
export type Change = (reply: Reply) => Outcome

/** The outcomes that are no plain reply, one of each. */
export const CHANGES = {
  reset: () => ({ kind: 'reset', delayMs: 0 }),
  truncate: reply => ({ ...reply, kind: 'truncate', sentLength: 20 }),
  timeout: () => ({ kind: 'timeout', delayMs: 0, closeAfterMs: undefined }),
  hangUp: () => ({ kind: 'timeout', delayMs: 0, closeAfterMs: 1 }),
  dribble: reply => ({ ...reply, kind: 'dribble', pieces: 5, everyMs: 1 }),
  delay: reply => ({ ...reply, delayMs: 1 }),
} satisfies Record<string, Change>

/** A mock that answers like another but for what a change makes of it. */
export function withOutcome(mock: Mock, change: Change): Mock {
  return {
    ...mock,
    serve(request, base) {
      const served = mock.serve(request, base)
      return served && { ...served, outcome: change(replyOf(served)) }
    },
  }
}
