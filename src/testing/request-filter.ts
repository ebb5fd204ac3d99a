// The filter of requests, checked: in JavaScript nothing else would find a misspelt key, and a test would pass for nothing.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { integer, parseOrThrow } from '../settings/schema.js'

const filterSchema = z.partial(
  z.strictObject({
    endpoint: z.enum(ENDPOINTS.map(({ name }) => name)),
    status: integer(0, 999, 'a status as a number, such as 401, or 0 where none was sent'),
    method: z.string({ error: 'a method such as "GET"' }),
  }),
)
const waitSchema = z.extend(filterSchema, { timeoutMs: z.optional(z.any()) })

/**
 * Checks a filter.
 * @throws PriceFeedMockError OPTIONS_INVALID
 */
export function assertFilter(filter: unknown): void {
  parseOrThrow(filterSchema, filter, 'OPTIONS_INVALID', 'The filter of requests()')
}

/**
 * Checks a filter of requests that are waited for.
 * @throws PriceFeedMockError OPTIONS_INVALID
 */
export function assertWait(filter: unknown): void {
  parseOrThrow(waitSchema, filter, 'OPTIONS_INVALID', 'The filter of waitForRequests()')
}
