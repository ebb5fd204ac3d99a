// The surroundings of a run: the signals that end it, the reports of its errors, and the memory of a long one. The pages that errors name
// are paths from the folder of the user.
import { realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { isPriceFeedMockError, nearest, PriceFeedMockError, tryTo } from '../errors.js'
import type { Market } from '../market/market.js'

/** The surroundings of a run, so that a test can run the program without a process. */
export interface RunContext {
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Writes text to standard output. */
  readonly print: (text: string) => void
  /** Writes text to standard error. */
  readonly report: (text: string) => void
  /** Receives the function that ends the work when a signal ends the program, and returns the exit code. */
  readonly onServing: (stop: (signal: NodeJS.Signals) => Promise<number>) => void
}

/** Creates a function that reports a line of the program. */
export const createTell =
  (report: RunContext['report']) =>
  (line: string): void =>
    report(`price-feed-mock: ${line}\n`)

/** Reports an error of this package and returns the exit code. Any other error is a bug and keeps its stack. */
export function reportError(error: unknown, report: RunContext['report']): number {
  if (error instanceof AggregateError) return Math.max(...error.errors.map(each => reportError(each, report)))
  if (!isPriceFeedMockError(error)) throw error
  report(`${withDocsPath(`${error.name}: ${error.message}`)}\n`)
  const { code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException
  return FAILURES.has(error.code) || (error.code === 'FILE_UNWRITABLE' && FULL.test(code)) ? 1 : 2
}

/** Errors of the surroundings, not of the invocation. */
const FAILURES: ReadonlySet<string> = new Set([
  'PORT_UNAVAILABLE',
  'COMMAND_NOT_STARTED',
  'STATE_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'SERVICE_REFUSED',
])

/** A disk that takes no more, as opposed to a path that cannot be written. */
const FULL = /^(ENOSPC|EDQUOT|EFBIG|EIO)$/

/** Runs steps, and keeps their errors: a user meets all of them at once. */
export function createErrors() {
  const errors: PriceFeedMockError[] = []
  const add = (...added: readonly unknown[]): void => {
    for (const error of added)
      if (error instanceof AggregateError) add(...error.errors)
      else if (isPriceFeedMockError(error)) errors.push(error)
      else throw error
  }
  return {
    list: errors as readonly PriceFeedMockError[],
    add,
    /** The result of a step, or undefined if it throws. */
    attempt<T>(step: () => T): T | undefined {
      try {
        return step()
      } catch (error) {
        add(error)
        return undefined
      }
    },
    /** Throws the error, or an AggregateError of several different ones. */
    throwAll(): void {
      const distinct = [...new Map(errors.map(error => [error.message, error])).values()]
      if (distinct.length > 0) throw distinct.length > 1 ? new AggregateError(distinct) : distinct[0]
    },
  }
}

/**
 * Runs work that a signal aborts. Its result is then the exit code of the signal.
 * @param work still reports what it has
 */
export async function runUntilSignal(
  { onServing }: RunContext,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const ended = new AbortController()
  let endedBy: number | undefined
  const done = work(ended.signal).then(exitCode => endedBy ?? exitCode)
  onServing(signal => {
    endedBy ??= 128 + constants.signals[signal]
    ended.abort()
    return done
  })
  return done
}

/** @throws PriceFeedMockError OPTIONS_INVALID for ids of feeds that a market does not have */
export function assertKnownFeeds(subject: string, market: Market, ids: readonly string[]): void {
  const known = market.feeds.map(({ id }) => id)
  const problems = ids
    .filter(id => market.feed(id) === undefined)
    .map(got => ({ at: '--feeds', got, want: 'the id of a feed, such as BTCUSD', closest: nearest(got, known) }))
  if (problems.length > 0)
    throw new PriceFeedMockError('OPTIONS_INVALID', `${subject} has unknown feeds.`, { problems })
}

/** The folder of the package: of the checkout for the sources, of the installed package for the bundled program. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Replaces `price-feed-mock/docs/` in the text of an error by the folder of the pages.
 * @param root the folder of the package
 */
export function withDocsPath(text: string, from = process.cwd(), root = PACKAGE): string {
  return text.replace(/(?<=^ {2}docs +)price-feed-mock\/docs(?=\/)/gm, () => docsFolder(from, root))
}

function docsFolder(from: string, root: string): string {
  const installed = join('node_modules', 'price-feed-mock')
  // Package managers that link packages run the program from elsewhere.
  const linked = tryTo(() => realpathSync(join(from, installed)))
  if (linked !== undefined && linked === tryTo(() => realpathSync(root))) return join(installed, 'docs')
  const path = relative(from, join(root, 'docs'))
  return path.startsWith('..') || isAbsolute(path) ? join(root, 'docs') : path
}

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
