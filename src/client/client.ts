// A typed client of the service with one method for each endpoint. Its types follow from the endpoint definitions.
import type * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import type { Replies } from '../endpoints/replies.js'
import { NOT_SHOWN, PriceFeedMockError, type Problem, shorten, tryOrThrow, tryTo } from '../errors.js'
import { readBaseUrls } from '../hosts/base-urls.js'
import { MOCK_HEADER } from '../outcome.js'
import { type Endpoint, type ParameterValues, toTarget } from '../service/endpoint.js'
import { assertNoProblems, findUnknownKeys } from '../settings/schema.js'
import { type ExactInteger, parseExact } from '../signing/signed-response.js'

type Definition = (typeof ENDPOINTS)[number]

/** The documented type of a reply with exact prices, or that of its schema. */
type ReplyOf<E extends Definition> = E['name'] extends keyof Replies
  ? Replies<ExactInteger>[E['name']]
  : z.output<E['reply']>

/** The client: `client.latest({ feedId: 'BTCUSD' })`, and so on for every endpoint by its name. */
export type Client = {
  readonly [E in Definition as E['name']]: (parameters: ParameterValues<E['parameters']>) => Promise<ReplyOf<E>>
}

/** The parts of a response that the client reads. The types of undici and node-fetch have them, and differ in others. */
export interface ClientResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** Address and key of the service. */
export interface ClientOptions {
  /** Base address of the signed-price endpoints. */
  readonly baseUrl: string
  /**
   * Base address of the charting endpoint.
   * @default baseUrl
   */
  readonly historyUrl?: string | undefined
  /** The API key, sent in `Authorization` to protected endpoints. */
  readonly apiKey?: string | undefined
  /**
   * Sends the requests.
   * @default the global fetch
   */
  readonly fetch?: ((url: string, init: { headers: Record<string, string> }) => Promise<ClientResponse>) | undefined
}

const NOT_OF_MOCK = `no ${MOCK_HEADER} header: the reply is not from the mock`

/** Thrown for a reply with another status than 200. */
export class ServiceRefusedError extends PriceFeedMockError {
  readonly status: number
  /** The body of the reply. */
  readonly body: string

  constructor(url: string, response: ClientResponse, body: string) {
    const { status, statusText, headers } = response
    const { pathname, searchParams } = new URL(url)
    const given = [...searchParams].map(([name, value]) => `${name} "${value}"`).join(', ')
    super(
      'SERVICE_REFUSED',
      `[GET] "${pathname}": ${`${status} ${statusText}`.trim()}${given === '' ? '' : ` (${given})`}`,
      { got: shorten(body, 300), mock: headers.get(MOCK_HEADER) ?? NOT_OF_MOCK },
    )
    this.status = status
    this.body = body
  }
}

/**
 * Creates a client. Its replies have every digit: an integer above 2^53 is a bigint.
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid or a key unknown. From its methods ServiceRefusedError for any
 * status but 200, NO_REPLY without a whole reply, and RESPONSE_UNRECOGNISED for a reply that is not JSON
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4700', apiKey: 'test-api-key' })
 * const { price, expo } = await client.latest({ feedId: 'BTCUSD' })
 */
export function createClient(options: ClientOptions): Client {
  // JavaScript callers may omit the options.
  const given = options ?? ({} as ClientOptions)
  const { apiKey, fetch } = given
  const { baseUrl, historyUrl } = readBaseUrls('createClient(options)', given, ['apiKey', 'fetch'])
  assertNoProblems('OPTIONS_INVALID', 'createClient(options)', headerProblems('apiKey', apiKey))
  const call = async (endpoint: Endpoint<never>, values: Readonly<Record<string, unknown>>): Promise<unknown> => {
    assertNoProblems('OPTIONS_INVALID', `The input of ${endpoint.name}()`, checkValues(endpoint, values))
    const base = endpoint.base === 'history' ? historyUrl : baseUrl
    const url = base + toTarget(endpoint, name => encode(values[name]))
    const headers = endpoint.protected && apiKey !== undefined ? { authorization: apiKey } : {}
    const { pathname } = new URL(url)
    const described = { method: 'GET', path: pathname, base, fix: FIX }
    // The global one of now: msw and tests replace it after a client was made.
    const { response, body } = await send((fetch ?? globalThis.fetch)(url, { headers }), described)
    if (response.status !== 200) throw new ServiceRefusedError(url, response, body)
    return tryOrThrow(
      () => parseExact(body),
      cause => notJson(url, response, body, cause),
    )
  }
  const methods = ENDPOINTS.map(endpoint => [
    endpoint.name,
    (values?: Readonly<Record<string, unknown>>) => call(endpoint, values ?? {}),
  ])
  return Object.fromEntries(methods) as Client
}

/** Problems of the names of an input; the service checks the values. JavaScript callers have no types. */
function checkValues({ parameters }: Endpoint<never>, values: Readonly<Record<string, unknown>>): Problem[] {
  const names = Object.keys(parameters)
  const unknown = findUnknownKeys(values, names)
  const inPath = names.filter(name => parameters[name]!.in === 'path')
  return unknown.length > 0 ? unknown : missingProblems(values, inPath)
}

/** The problems of parts of a path that an input lacks, or that a URL would leave out. */
export const missingProblems = (input: Readonly<Record<string, unknown>>, inPath: readonly string[]): Problem[] =>
  inPath
    .filter(name => input[name] === undefined || /^\.\.?$/.test(String(input[name])))
    .map(at => ({ at, got: input[at], want: input[at] === undefined ? 'a text' : 'a text other than "." and ".."' }))

const FIX = 'correct the address, or start the server; a fault such as wire/reset closes the connection, too'

function notJson(url: string, { headers }: ClientResponse, body: string, cause: unknown): PriceFeedMockError {
  const mark = headers.get(MOCK_HEADER)
  return new PriceFeedMockError('RESPONSE_UNRECOGNISED', `[GET] "${new URL(url).pathname}": the reply is not JSON.`, {
    cause,
    got: shorten(body, 300),
    want: 'the JSON of the service',
    mock: mark ?? NOT_OF_MOCK,
    fix: mark === null ? `correct the address ${new URL(url).origin}: another server answers there` : undefined,
  })
}

/**
 * The problem of a secret that no header can hold, which `fetch` would report like a server that is away. Beside a `fetch` of a package
 * there may be no `Headers`, as in Jest with jsdom.
 */
export const headerProblems = (at: string, value: string | undefined): Problem[] =>
  value === undefined ||
  typeof Headers === 'undefined' ||
  tryTo(() => new Headers({ authorization: value })) !== undefined
    ? []
    : [{ at, got: NOT_SHOWN, want: 'a text that a header can hold, without line breaks' }]

/** A value of a call, encoded. Lists are joined with commas. */
const encode = (value: unknown): string | undefined =>
  value === undefined
    ? undefined
    : [value]
        .flat()
        .map(one => encodeURIComponent(String(one)))
        .join(',')

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
export async function send<R extends ClientResponse>(reply: Promise<R>, { method, path, base, fix }: Described) {
  let response: R | undefined
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
