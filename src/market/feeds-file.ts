// The feeds file: its schema, and the feeds that a market gets from it.
import * as z from 'zod/mini'
import type { Problem } from '../errors.js'
import { assertNoProblems, prefixed, read } from '../settings/schema.js'
import { CATALOGUE } from './catalogue.js'
import { type Feed, type FeedDefinition, feedDefinitionSchema, findFeed, toFeedKey } from './feeds.js'
import { POWERS_OF_TEN } from './pricing.js'
import { resolveFeeds, WANDER_SPAN } from './resolve-feeds.js'

/** A file of feeds: added to the catalogue, or instead of it with `"extends": "none"`. */
export interface FeedsFile {
  readonly extends?: 'default' | 'none' | undefined
  /**
   * Whether prices wander away from `base` over years. `false` keeps those of all feeds near it for all time.
   * @default true
   */
  readonly wander?: boolean | undefined
  readonly feeds: readonly FeedDefinition[]
}

/** 48 days: the longest span of feeds that do not wander. */
const NEAR_SPAN = 4_194_304

const MAX_FEEDS = 10_000
/** A file of feeds, which are parsed one by one. */
export const feedsFileSchema = z.strictObject(
  {
    $schema: z.optional(z.string()),
    extends: z.optional(z.enum(['default', 'none'])),
    wander: z.optional(z.boolean()),
    feeds: z
      .array(z.unknown(), { error: 'an array of feeds' })
      .check(z.maxLength(MAX_FEEDS, { error: `at most ${MAX_FEEDS} feeds` })),
  },
  {
    error: ({ code }) => (code === 'invalid_type' ? 'an object such as {"feeds": [{"id": "ACMEUSD", …}]}' : undefined),
  },
)

/** The feeds of the catalogue, resolved on first use: every mock in a process has the same ones. */
export function catalogueFeeds(): readonly Feed[] {
  return (catalogue ??= markParsed(resolveFeeds(CATALOGUE).feeds))
}
let catalogue: readonly Feed[] | undefined

/**
 * The feeds of a mock: the catalogue by default, a user's data or feeds that are parsed already, then the invented ones.
 * @throws PriceFeedMockError FEEDS_INVALID with every problem
 */
export function toFeeds(
  feeds: FeedsFile | readonly Feed[] = catalogueFeeds(),
  invented: readonly FeedDefinition[] = [],
): readonly Feed[] {
  if (!isParsed(feeds)) return parseFeeds(feeds, 'feeds', invented)
  const added = resolveFeeds(invented, feeds)
  assertNoProblems('FEEDS_INVALID', 'feeds', added.problems)
  return markParsed([...feeds, ...added.feeds])
}

/** Results of this file: any other array is untrusted data. */
const parsed = new WeakSet<object>()
const isParsed = (feeds: FeedsFile | readonly Feed[]): feeds is readonly Feed[] => parsed.has(feeds)
function markParsed(feeds: Feed[]): Feed[] {
  parsed.add(feeds)
  return feeds
}

/**
 * Parses a user's feeds: the result has the catalogue's feeds first, then the user's, then the invented ones.
 * @param subject subject of the error message: the name of the file
 * @throws PriceFeedMockError FEEDS_INVALID with every problem
 */
export function parseFeeds(data: unknown, subject: string, invented: readonly FeedDefinition[] = []): Feed[] {
  const envelope = read(feedsFileSchema, data)
  const problems: Problem[] = [...(envelope.problems ?? [])]
  const broken = new Set<string>()
  // A mistake elsewhere in the file does not hide those of its feeds.
  const written: unknown = (data as Partial<FeedsFile> | null)?.feeds
  const items = Array.isArray(written) && written.length <= MAX_FEEDS ? written : []
  const definitions = items.map((item: unknown, index) => {
    const definition = read(feedDefinitionSchema, item)
    for (const problem of definition.problems ?? []) problems.push(prefixed(problem, `feeds[${index}]`))
    const id = (item as { id?: unknown } | null)?.id
    if (definition.problems && typeof id === 'string') broken.add(toFeedKey(id))
    return definition.value
  })
  const maxSpan = envelope.value?.wander === false ? NEAR_SPAN : WANDER_SPAN
  const isAlone = envelope.value?.extends === 'none'
  const changes = definitions.map(definition => (isAlone ? undefined : changeOf(definition)))
  const known = isAlone
    ? []
    : changedCatalogue(changes, problems).map(feed => ({ ...feed, span: Math.min(feed.span, maxSpan) }))
  const added = definitions.map((definition, i) => (changes[i] ? undefined : definition))
  const resolved = resolveFeeds([...added, ...invented], known, broken, maxSpan)
  problems.push(...resolved.problems)
  problems.sort((a, b) => indexOf(a) - indexOf(b))
  const feeds = [...known, ...resolved.feeds]
  if (problems.length === 0 && feeds.length === 0) problems.push({ at: 'feeds', got: [], want: 'at least one feed' })
  assertNoProblems('FEEDS_INVALID', subject, problems)
  return markParsed(feeds)
}

/** A definition of a feed of the catalogue that changes its form, or its class, and no other feed; undefined if it is none. */
function changeOf(definition: FeedDefinition | undefined): FeedDefinition | undefined {
  const isKnown = definition && findFeed(catalogueFeeds(), definition.id)
  return isKnown && Object.keys(definition).every(key => CHANGEABLE.has(key)) ? definition : undefined
}
const CHANGEABLE: ReadonlySet<string> = new Set(['id', 'number', 'class', 'expo', 'step', 'heartbeat', 'lag', 'volume'])

/** The catalogue with changed feeds. A changed exponent keeps the step in quote units. */
function changedCatalogue(changes: readonly (FeedDefinition | undefined)[], problems: Problem[]): readonly Feed[] {
  if (!changes.some(Boolean)) return catalogueFeeds()
  const keys = changes.map(change => change && toFeedKey(change.id))
  for (const [i, change] of changes.entries())
    if (change && keys.indexOf(keys[i]) < i)
      problems.push({ at: `feeds[${i}].id`, got: change.id, want: 'an id that is not taken' })
  /** The index of the change of a feed of the catalogue. */
  const indexIn = (i: number): number => keys.indexOf(toFeedKey(CATALOGUE[i]!.id))
  const changed = CATALOGUE.map((definition, i) => {
    const change = changes[indexIn(i)]
    if (change === undefined) return definition
    const { expo, step, parent, group, span } = catalogueFeeds()[i]!
    const places = expo - (change.expo ?? expo)
    const scaled = places < 0 ? step / POWERS_OF_TEN[-places]! : step * POWERS_OF_TEN[places]!
    // Other feeds share its drivers, and so its group and its span: those of another class would change their prices.
    const shared = parent === undefined ? { group, span } : {}
    return { ...definition, ...shared, step: Math.max(1, scaled), ...change, id: definition.id }
  })
  const resolved = resolveFeeds(changed)
  for (const { at, ...problem } of resolved.problems) {
    const [, index, key] = /^feeds\[(\d+)\]\.(.*)$/.exec(at)!
    problems.push({ at: `feeds[${Math.max(0, indexIn(Number(index)))}].${key}`, ...problem })
  }
  return resolved.feeds
}

/** Index of the feed that a problem belongs to; −1 for a problem of the file as a whole. */
const indexOf = ({ at }: Problem): number => Number(/^feeds\[(\d+)\]/.exec(at)?.[1] ?? -1)
