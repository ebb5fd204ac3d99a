// The process of a long-running server: the settings of V8 for little live data, and rejections that no code handles.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Beyond this size of the heap, memory matters more than speed. Ordinary use stays below it. */
export const MAX_FAST_HEAP_BYTES = 100_000_000
const LOOK_EVERY_MS = 250

/**
 * Collects the old generation once it has grown by a fifth, instead of letting it grow to several times its size. A large heap is also
 * compacted and gets a smaller nursery: without that, half of its pages stay reserved and a third of their content is free. A small
 * heap keeps the default nursery, because a small one would copy the entries of the journal so often that requests take more CPU time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=20')
  setInterval(createLook(), LOOK_EVERY_MS).unref()
}

/** Creates a function that looks at the size of the heap and changes the settings of V8. */
export function createLook(
  heapBytes: () => number = () => getHeapStatistics().total_heap_size,
  setFlag: (flag: string) => void = setFlagsFromString,
): () => void {
  let isLarge = false
  return () => {
    const wasLarge = isLarge
    isLarge = heapBytes() > MAX_FAST_HEAP_BYTES
    if (isLarge !== wasLarge) setFlag(isLarge ? '--optimize-for-size' : '--no-optimize-for-size')
  }
}

const MAX_REMEMBERED = 100

/**
 * Creates a listener for `unhandledRejection` that reports each error once, such as that of a forgotten `await` in a handler of the user.
 * The server keeps running.
 */
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
