// JSON-RPC over HTTP, as far as the relay needs it. It keeps the address to itself, because paths and passwords of RPCs are secrets.
import { isObject, PriceFeedMockError, tryTo } from '../errors.js'
import { readReplyText } from '../hosts/answer.js'
import { decodeText } from '../service/request.js'
import type { RpcProvider } from './clock.js'

/** The most characters of a message that are shown. */
const MAX_MESSAGE = 300

/** An error that the chain answered. */
export class RpcAnswerError extends PriceFeedMockError {
  /** Data of a revert, in hex. */
  readonly data: string | undefined

  /** @param problem an object with a message; gateways also send a text */
  constructor(method: string, problem: unknown) {
    const { message = problem, data } = Object(problem) as { message?: unknown; data?: unknown }
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    // Control characters would reach the terminal, and a reason may have any length.
    super(
      'RELAY_FAILED',
      `${method}: ${text
        .slice(0, MAX_MESSAGE)
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()}`,
    )
    this.data = typeof data === 'string' && /^0x[\da-f]*$/i.test(data) ? data : undefined
  }
}

const unreachable = (origin: string, reason: string, cause?: unknown): PriceFeedMockError =>
  new PriceFeedMockError('RELAY_FAILED', `The RPC at ${origin} does not answer: ${reason}.`, { cause })

type RpcFetch = (url: string, init: RequestInit & { readonly body: string }) => Promise<Response>

const TIMEOUT_MS = 10_000
/** The longest answer, in characters: far above the code of a contract, or a receipt. */
const MAX_BODY = 4_000_000

/**
 * Creates a provider for an RPC.
 * @param url its address; only its origin appears in errors. A name and a password in it are sent as `Authorization`
 * @default fetch the global fetch
 */
export function createRpc(url: string, fetch: RpcFetch = (...args) => globalThis.fetch(...args)): RpcProvider {
  const { origin, username, password } = new URL(url)
  // fetch refuses an address with a name or a password.
  const target = Object.assign(new URL(url), { username: '', password: '' }).href
  const authorization = username === '' && password === '' ? {} : { authorization: toBasic(username, password) }
  let id = 0
  return {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
      const headers = { 'content-type': 'application/json', ...authorization }
      let text: string
      let status: number
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS)
        const response = await fetch(target, { method: 'POST', headers, body, signal })
        status = response.status
        text = await readReplyText(response, MAX_BODY, signal)
      } catch (error) {
        throw unreachable(origin, reasonOf(error), error)
      }
      const answer = parse(text)
      if (answer === undefined) throw unreachable(origin, `status ${status} without an answer in JSON`)
      // A reply in the form of JSON-RPC 1.0 has a result and an error of null.
      if (answer.error !== undefined && answer.error !== null) throw new RpcAnswerError(method, answer.error)
      return answer.result
    },
  }
}

/** The credentials of an address as a header (RFC 7617, in UTF-8). */
function toBasic(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${decodeText(username)}:${decodeText(password)}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

function parse(text: string): { readonly result?: unknown; readonly error?: unknown } | undefined {
  const answer = tryTo(() => JSON.parse(text))
  return isObject(answer) && ('result' in answer || 'error' in answer) ? answer : undefined
}

/** The code of a failed connection, such as ECONNREFUSED. Messages could contain the address. */
function reasonOf(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`
  return String(cause?.code ?? code ?? 'the connection failed')
}
