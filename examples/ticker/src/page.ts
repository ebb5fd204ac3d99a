// Shared by all parts of the page: look-up of elements, and polling.

/** The element of `index.html` for a selector. */
export function one<T extends HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!
}

/** Repeats an action, never twice at a time. A failure does not end it. */
export function repeat(everyMs: number, work: () => Promise<void>): void {
  const turn = async (): Promise<void> => {
    const begun = performance.now()
    await work().catch(console.error)
    setTimeout(turn, Math.max(100, everyMs - (performance.now() - begun)))
  }
  void turn()
}
