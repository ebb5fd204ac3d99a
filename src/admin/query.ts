// Parts of queries that several admin routes have.
import * as z from 'zod/mini'
import { PriceFeedMockError, type Problem } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { LATEST } from '../settings/time.js'

const WANT_SECOND = `whole seconds since the epoch, such as 1753354105, up to ${LATEST}`

/** An optional second of the virtual time. */
export const second = () =>
  z.optional(
    z.pipe(
      z.string().check(
        z.regex(/^\d{1,10}$/, { error: WANT_SECOND }),
        // Other texts are the problem of the line above.
        z.refine(text => text.length > 10 || !(Number(text) > LATEST), { error: WANT_SECOND }),
      ),
      z.transform(Number),
    ),
  )

const WANT_SECONDS = 'a number of seconds from 1 to 99999999'

/** An optional text that matches a pattern. */
export const matching = (pattern: RegExp, want: string) =>
  z.optional(z.string().check(z.regex(pattern, { error: want })))

/** An optional length of time in seconds, as text. */
export const seconds = (want = WANT_SECONDS) => matching(/^[1-9]\d{0,7}$/, want)

/** The error of a query with one problem. */
export const invalidQuery = (problem: Problem): PriceFeedMockError =>
  new PriceFeedMockError('REQUEST_INVALID', 'The query has 1 problem.', { problems: [problem] })

/** A feed by its id. */
export function findFeed(at: string, id: string, market: Market): Feed {
  const feed = market.feed(id)
  if (feed === undefined) throw invalidQuery({ at, got: id.slice(0, 100), want: 'the id of a feed' })
  return feed
}
