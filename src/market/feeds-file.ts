// A user's own feeds: what the file may hold, and from its data to the feeds of a market.
import * as z from 'zod/mini'
import type { Problem } from '../errors.js'
import { assertNoProblems, read } from '../settings/schema.js'
import { CATALOGUE } from './catalogue.js'
import { type Feed, type FeedDefinition, feedDefinitionSchema, toFeedKey } from './feeds.js'
import { resolveFeeds } from './resolve-feeds.js'

/** A file of feeds: added to the catalogue, or instead of it with `"extends": "none"`. */
export interface FeedsFile {
  readonly extends?: 'default' | 'none' | undefined
  readonly feeds: readonly FeedDefinition[]
}

const MAX_FEEDS = 10_000
const envelopeSchema = z.strictObject({
  $schema: z.optional(z.string()),
  extends: z.optional(z.enum(['default', 'none'])),
  feeds: z
    .array(z.unknown(), { error: 'an array of feeds' })
    .check(z.maxLength(MAX_FEEDS, { error: `at most ${MAX_FEEDS} feeds` })),
})

/** The feeds of the catalogue. */
export function catalogueFeeds(): Feed[] {
  return resolveFeeds(CATALOGUE).feeds
}

/**
 * The feeds that a user's data makes: the catalogue's first, then the user's, then the invented ones.
 * @param source what the data was read from, for the error
 * @throws PriceFeedMockError FEEDS_INVALID with every problem
 */
export function parseFeeds(data: unknown, source: string, invented: readonly FeedDefinition[] = []): Feed[] {
  const envelope = read(envelopeSchema, data)
  const problems: Problem[] = [...(envelope.problems ?? [])]
  const broken = new Set<string>()
  // A mistake elsewhere in the file does not hide those of its feeds.
  const written: unknown = (data as Partial<FeedsFile> | null)?.feeds
  const items = Array.isArray(written) && written.length <= MAX_FEEDS ? written : []
  const definitions = items.map((item: unknown, index) => {
    const definition = read(feedDefinitionSchema, item)
    for (const problem of definition.problems ?? [])
      problems.push({
        ...problem,
        at: problem.at === '(the whole)' ? `feeds[${index}]` : `feeds[${index}].${problem.at}`,
      })
    const id = (item as { id?: unknown } | null)?.id
    if (definition.problems && typeof id === 'string') broken.add(toFeedKey(id))
    return definition.value
  })
  const known = envelope.value?.extends === 'none' ? [] : catalogueFeeds()
  const resolved = resolveFeeds([...definitions, ...invented], known, broken)
  problems.push(...resolved.problems)
  problems.sort((a, b) => placeOf(a) - placeOf(b))
  const feeds = [...known, ...resolved.feeds]
  if (problems.length === 0 && feeds.length === 0) problems.push({ at: 'feeds', got: [], want: 'at least one feed' })
  assertNoProblems('FEEDS_INVALID', source, problems)
  return feeds
}

/** The index of the feed that a problem is about; −1 where it is about the file. */
function placeOf({ at }: Problem): number {
  return Number(/^feeds\[(\d+)\]/.exec(at)?.[1] ?? -1)
}
