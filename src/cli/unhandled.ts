// Reports rejections that no code handles, such as those of a forgotten `await` in a user's handler. The server keeps running.

/** Maximum number of different errors that are remembered. */
const MAX_REMEMBERED = 100

/** Creates a listener for `unhandledRejection` that reports each error once. */
export function createRejectionReporter(report: (text: string) => void): (reason: unknown) => void {
  const reported = new Set<string>()
  return reason => {
    const text = String((reason as Error)?.stack ?? reason)
    if (reported.has(text) || reported.size === MAX_REMEMBERED) return
    reported.add(text)
    report(
      `price-feed-mock: a rejected promise was not handled, probably in a handler of your own. The server keeps running.\n${text}\n`,
    )
  }
}
