// The replies of a mock without a scenario, kept by the steps that lead to them.

/** A request or a move of the clock, as plain data. */
export type Step = readonly unknown[]
type Send<Reply> = (step: Step) => Promise<Reply>

type Node<Reply> = { reply?: Promise<Reply>; readonly next: Map<string, Node<Reply>> }

/**
 * Returns a function like `create`, whose mocks are real ones only for steps that none of them has taken yet. Mocks with equal
 * options reply equally to equal steps, and the tests of all faults take the same ones.
 */
export function keepReplies<Reply>(create: () => Send<Reply>): typeof create {
  const root: Node<Reply> = { next: new Map() }
  return () => {
    let node = root
    let send: Send<Reply> | undefined
    let unsent: Step[] = []
    let last: Promise<Reply | undefined> = Promise.resolve(undefined)
    const sendAll = (): Promise<Reply> => {
      send ??= create()
      const sendOne = send
      for (const step of unsent) last = last.then(() => sendOne(step))
      unsent = []
      return last as Promise<Reply>
    }
    return step => {
      const key = JSON.stringify(step)
      const next: Node<Reply> = node.next.get(key) ?? { next: new Map() }
      node.next.set(key, next)
      node = next
      unsent.push(step)
      next.reply ??= sendAll()
      return next.reply
    }
  }
}
