// A typed client of the service with one method for each endpoint. Its types follow from the endpoint definitions.
import type * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import type { Replies } from '../endpoints/replies.js'
import { PriceFeedMockError } from '../errors.js'
import { MOCK_HEADER } from '../outcome.js'
import type { Endpoint, ParameterValues } from '../service/endpoint.js'
import { parseExact } from '../signing/parse-exact.js'

type Definition = (typeof ENDPOINTS)[number]

/** The documented type of a reply, or that of its schema. */
type ReplyOf<E extends Definition> = E['name'] extends keyof Replies ? Replies[E['name']] : z.output<E['reply']>

/** The client: `client.latest({ feedId: 'BTCUSD' })`, and so on for every endpoint by its name. */
export type Client = {
  readonly [E in Definition as E['name']]: (parameters: ParameterValues<E['parameters']>) => Promise<ReplyOf<E>>
}

/** Address and key of the service. */
export interface ClientOptions {
  /** Base address of the signed-price endpoints, without a slash at the end. */
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
  readonly fetch?: ((url: string, init: { headers: Record<string, string> }) => Promise<Response>) | undefined
}

/** Thrown for a reply with another status than 200. */
export class ServiceRefusedError extends PriceFeedMockError {
  readonly status: number
  /** The body of the reply. */
  readonly body: string

  constructor(url: string, response: Response, body: string) {
    const { status, statusText, headers } = response
    const { pathname, searchParams } = new URL(url)
    const given = [...searchParams].map(([name, value]) => `${name} "${value}"`).join(', ')
    super(
      'SERVICE_REFUSED',
      `[GET] "${pathname}": ${`${status} ${statusText}`.trim()}${given === '' ? '' : ` (${given})`}`,
      {
        details: [
          ['got', body.length > 300 ? `${body.slice(0, 300)}…` : body],
          ['mock', headers.get(MOCK_HEADER) ?? `no ${MOCK_HEADER} header: the reply is not from the mock`],
        ],
      },
    )
    this.status = status
    this.body = body
  }
}

/**
 * Creates a client. Its replies have every digit: an integer above 2^53 is a bigint.
 * @throws ServiceRefusedError from its methods, for any status but 200
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4700', apiKey: 'test-api-key' })
 * const { price, expo } = await client.latest({ feedId: 'BTCUSD' })
 */
export function createClient({
  baseUrl,
  historyUrl = baseUrl,
  apiKey,
  fetch = globalThis.fetch,
}: ClientOptions): Client {
  const call = async (endpoint: Endpoint<never>, values: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const url = (endpoint.base === 'history' ? historyUrl : baseUrl) + toTarget(endpoint, values)
    const response = await fetch(url, {
      headers: endpoint.protected && apiKey !== undefined ? { authorization: apiKey } : {},
    })
    const body = await response.text()
    if (response.status !== 200) throw new ServiceRefusedError(url, response, body)
    return parseExact(body)
  }
  const methods = ENDPOINTS.map(endpoint => [
    endpoint.name,
    (values: Readonly<Record<string, unknown>>) => call(endpoint, values),
  ])
  return Object.fromEntries(methods) as Client
}

/** Path and query of a call. Lists are joined with commas. */
function toTarget({ path, parameters }: Endpoint<never>, values: Readonly<Record<string, unknown>>): string {
  const write = (name: string): string =>
    [values[name]]
      .flat()
      .map(value => encodeURIComponent(String(value)))
      .join(',')
  const query = Object.keys(parameters)
    .filter(name => parameters[name]!.in === 'query' && values[name] !== undefined)
    .map(name => `${name}=${write(name)}`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => write(name))
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}
