// The requests of a journal, as a hunt reads them.
import { readTarget } from '../admin/report/check.js'
import { toFeedKey } from '../market/feeds.js'
import type { Journal } from '../service/journal.js'
import type { JournalEntry } from '../service/journal-entry.js'
import type { HuntRequest } from './types.js'

type Entry = Pick<JournalEntry, 'endpoint' | 'target' | 'status' | 'now' | 'ordinal' | 'faults'>

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
    feeds: status === 200 ? feedsOf({ endpoint, target }) : [],
    status,
    ordinal,
    faults,
  }))
}

function feedsOf(entry: Pick<Entry, 'endpoint' | 'target'>): string[] {
  const ids = readTarget(entry).feedParameters.flatMap(list => list.split(','))
  return [...new Set(ids.filter(Boolean).map(toFeedKey))]
}
