// The limits of journals in a store: their oldest entries are counted and dropped, by changes of their sessions.
import type { Change } from './queues.js'
import type { Store } from './store.js'
import { type Excess, isTooLong, type JournalTotals, trim } from './stored-journal.js'
import type { Known, StoredSessions } from './stored-sessions.js'

/** Keeps the journals of a store within their limits. */
export interface JournalLimits {
  /** Shortens the journal of a session that is too long; nothing while that is being done. */
  look(id: string, journal: JournalTotals): void
  /** Drops the oldest entries of all journals, since these exceed their limit. */
  drain(): void
}

/** @param change queues a change of a session */
export function createJournalLimits(
  store: Store,
  { toKnown }: StoredSessions,
  change: (id: string, make: Change['change']) => Promise<Known>,
): JournalLimits {
  /** Sessions whose journal is about to be shortened. */
  const shortened = new Set<string>()
  let isDraining = false

  /** Drops the oldest entries of a journal: those beyond its limits, or for an excess of all journals. */
  const shorten = (id: string, excess?: Excess): Promise<Known> =>
    change(id, async known => {
      const { journal, texts, record } = known
      // Others may have shortened it meanwhile.
      if (excess === undefined && !isTooLong(journal)) return undefined
      const cut = await trim(journal, texts.gone, (first, last) => store.lines(id, first, last), excess)
      return { next: toKnown(record, cut.journal, cut.gone, known), keeps: cut.keeps }
    })
  const drainAll = async (): Promise<void> => {
    for (;;) {
      const { id, ...excess } = await store.oldestJournal()
      if (excess.bytes <= 0 || id === undefined) return
      await shorten(id, excess)
    }
  }

  return {
    look(id, journal) {
      if (!isTooLong(journal) || shortened.has(id)) return
      shortened.add(id)
      const end = (): void => void shortened.delete(id)
      // After a failure the next request tries again.
      shorten(id).then(end, end)
    },
    drain() {
      if (isDraining) return
      isDraining = true
      const end = (): void => {
        isDraining = false
      }
      drainAll().then(end, end)
    },
  }
}
