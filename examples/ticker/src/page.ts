// What every part of the page needs: its elements, and a way to keep asking.

/** The element of `index.html` that a selector names. */
export function one<T extends HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!
}

/** Does something again and again, never twice at a time; that it fails once does not end it. */
export function repeat(everyMs: number, work: () => Promise<void>): void {
  const turn = async (): Promise<void> => {
    const begun = performance.now()
    await work().catch(console.error)
    setTimeout(turn, Math.max(100, everyMs - (performance.now() - begun)))
  }
  void turn()
}
