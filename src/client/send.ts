// Sends a request of a client: a failure without a whole reply names the address and a remedy.
import { PriceFeedMockError } from '../errors.js'

interface Described {
  readonly method: string
  /** The path, which begins the message of an error. */
  readonly path: string
  /** The base address, without a slash at the end. */
  readonly base: string
  readonly fix: string
}

/**
 * Waits for a reply and its body.
 * @throws PriceFeedMockError NO_REPLY where `fetch` fails as it does without a network, also within the body; any other error, such
 * as that of a signal of the caller, stays as it is
 */
export async function send(reply: Promise<Response>, { method, path, base, fix }: Described) {
  let response: Response | undefined
  try {
    response = await reply
    return { response, body: await response.text() }
  } catch (error) {
    if (!isNetworkError(error)) throw error
    const failure = response === undefined ? `no reply from ${base}` : `the reply from ${base} broke off`
    throw new PriceFeedMockError('NO_REPLY', `[${method}] "${path}": ${failure}.`, {
      cause: error,
      got: reasonOf(error),
      want: 'a server that answers at this address',
      fix,
    })
  }
}

/** Whether `fetch` failed without a reply. By its name: test runners give each test file a TypeError of its own. */
export const isNetworkError = (error: unknown): error is Error => (error as Error | null)?.name === 'TypeError'

/** `fetch failed: connect ECONNREFUSED 127.0.0.1:4700`: the reason is known in Node only. */
function reasonOf({ message, cause }: Error): string {
  const { message: reason, code } = Object(cause) as { readonly message?: string; readonly code?: string }
  const why = reason || code
  return why === undefined ? message : `${message}: ${why}`
}
