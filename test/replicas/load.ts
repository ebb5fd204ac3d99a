// Requests in several lanes while something fails, and what must hold for their replies afterwards.
import { expect } from 'vitest'
import { type Entry, numberOf, type Seen } from './programs.js'

/** A scenario whose replies show their numbers: every third is a 429. */
export const EVERY_THIRD = { faults: [{ fault: 'reply/status', options: { status: 429 }, requests: { every: 3 } }] }

/** Sends requests in eight lanes until `end` is called. */
export function startLoad(latest: () => Promise<Seen>) {
  const replies: Seen[] = []
  let isEnding = false
  let onReply = (): void => {}
  const lanes = Array.from({ length: 8 }, async () => {
    while (!isEnding) {
      replies.push(await latest())
      onReply()
    }
  })
  const ended = Promise.all(lanes)
  // A test that fails leaves its load without an end.
  ended.catch(() => {})
  return {
    replies,
    /** Waits for replies that come from now on and fulfil a condition. */
    async until(condition: (reply: Seen) => boolean, count = 1): Promise<Seen> {
      const from = replies.length
      for (;;) {
        const found = replies.slice(from).filter(condition)
        if (found.length >= count) return found[0]!
        await new Promise<void>(resolve => (onReply = resolve))
      }
    },
    async end(): Promise<void> {
      isEnding = true
      await ended
    },
  }
}

export const isServed = ({ status }: Seen): boolean => status === 200 || status === 429
export const isUnavailable = ({ status, body }: Seen): boolean => status === 503 && body.includes('"STORE_UNAVAILABLE"')

/** Every served reply is in the journal as it was, once, and the journal has no gaps. */
export function expectNothingLost(replies: readonly Seen[], journal: readonly Entry[]): void {
  const oldest = journal[0]!.n
  expect(journal.map(({ n }) => n)).toEqual(journal.map((_, index) => oldest + index))
  const served = replies.filter(isServed)
  const numbers = served.map(numberOf)
  expect(new Set(numbers).size).toBe(numbers.length)
  const byNumber = new Map(journal.map(entry => [entry.n, entry.status]))
  for (const reply of served)
    if (numberOf(reply) >= oldest)
      expect(byNumber.get(numberOf(reply)), `request ${numberOf(reply)}`).toBe(reply.status)
  for (const { ordinal, status } of journal) expect(status, `ordinal ${ordinal}`).toBe(ordinal % 3 === 0 ? 429 : 200)
}
