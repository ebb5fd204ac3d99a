// A mock with replaced outcomes, to test how a host carries them out.
import type { Mock } from '../../../src/index.js'
import type { Outcome, Reply } from '../../../src/outcome.js'
import { replyOf } from '../ask.js'

/** Turns a reply into another outcome. */
export type Change = (reply: Reply) => Outcome

/** One outcome of each kind other than a plain reply. */
export const CHANGES = {
  reset: () => ({ kind: 'reset', delayMs: 0 }),
  truncate: reply => ({ ...reply, kind: 'truncate', sentLength: 20 }),
  timeout: () => ({ kind: 'timeout', delayMs: 0, closeAfterMs: undefined }),
  hangUp: () => ({ kind: 'timeout', delayMs: 0, closeAfterMs: 1 }),
  dribble: reply => ({ ...reply, kind: 'dribble', pieces: 5, everyMs: 1 }),
  delay: reply => ({ ...reply, delayMs: 1 }),
} satisfies Record<string, Change>

/** A mock with changed outcomes. */
export function withOutcome(mock: Mock, change: Change): Mock {
  return {
    ...mock,
    serve(request, base) {
      const served = mock.serve(request, base)
      return served && { ...served, outcome: change(replyOf(served)) }
    },
  }
}
