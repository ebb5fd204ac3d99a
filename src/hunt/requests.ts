// The requests of a journal, as a hunt reads them.
import { ENDPOINTS } from '../endpoints/index.js'
import { toFeedKey } from '../market/feeds.js'
import type { Journal } from '../service/journal.js'
import type { JournalEntry } from '../service/journal-entry.js'
import { parseTarget } from '../service/request.js'
import { createRouter } from '../service/router.js'
import type { HuntRequest } from './types.js'

/** The part of a journal entry that is needed. */
type Entry = Pick<JournalEntry, 'endpoint' | 'target' | 'status' | 'now' | 'ordinal' | 'faults'>

const route = createRouter(ENDPOINTS)

/** Entries of a run. One that sends more has no pace to learn. */
const MAX_ENTRIES = 100_000

/** The entries of a journal from now on, which itself keeps only the newest ones. */
export function collectEntries(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  journal.subscribe({
    onEntry({ entry }) {
      if (entries.length < MAX_ENTRIES) entries.push(entry)
    },
    onClose() {},
  })
  return entries
}

/**
 * The requests of a session. Only answered ones name feeds: the others may name unknown ones.
 * @param startMs virtual milliseconds since the epoch at which the run began
 */
export function toHuntRequests(entries: readonly Entry[], startMs: number): HuntRequest[] {
  return entries.map(({ endpoint, target, status, now, ordinal, faults }) => ({
    at: Math.max(0, now * 1000 - startMs),
    endpoint: endpoint || undefined,
    feeds: status === 200 ? feedsOf(target) : [],
    status,
    ordinal,
    faults,
  }))
}

function feedsOf(target: string): string[] {
  const parsed = parseTarget(target)
  const match = route(parsed)
  if (match === undefined) return []
  const names = Object.entries(match.endpoint.parameters).flatMap(([name, { namesFeeds }]) =>
    namesFeeds ? [name] : [],
  )
  const texts = names.flatMap(name => [
    match.pathValues[name] ?? '',
    ...parsed.query.filter(([key]) => key === name).map(([, value]) => value),
  ])
  return [
    ...new Set(
      texts
        .flatMap(text => text.split(','))
        .filter(Boolean)
        .map(toFeedKey),
    ),
  ]
}
