// What a page is told when a worker does not start: the words of errors, and nothing else, to be loaded only then.
import type { PriceFeedMockError } from '../errors.js'

/** What an error is made of. */
export type Told = ConstructorParameters<typeof PriceFeedMockError>

/** Under msw 2 a second worker would take over in silence, under msw 3 it stumbles over what the first has replaced. */
export const ALREADY_RUNNING: Told = [
  'WORKER_RUNNING',
  'A worker of the mock runs in this page already.',
  { details: [['fix', 'keep what the first startWorker gave, or await its stop() before the next']] },
]

/** A word for requests that are not for the mock, and none that msw knows. */
export const badUnhandled = (got: unknown): Told => [
  'OPTIONS_INVALID',
  'onUnhandledRequest is none of its words.',
  { problems: [{ at: 'onUnhandledRequest', got, want: 'one of "bypass", "warn", "error"' }] },
]

/** No script where that of the worker should be; undefined when there is one. Many a server answers with its page instead. */
export async function withoutScript(url = '/mockServiceWorker.js', cause?: unknown): Promise<Told | undefined> {
  const found = await fetch(url).catch(() => undefined)
  if (found?.ok && found.headers.get('content-type')?.includes('javascript')) return undefined
  const fix = 'npx msw init public, or set its address: serviceWorker: { url }'
  return ['FILE_UNREADABLE', `There is no worker script at ${url}.`, { details: [['fix', fix]], cause }]
}
