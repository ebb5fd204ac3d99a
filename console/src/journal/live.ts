// The newest requests of the session, kept while the page is open.
import { useEffect } from 'preact/hooks'
import { MAX_JOURNAL_ENTRIES } from '../../../src/service/journal.js'
import { admin, connection } from '../api'
import { sessionId } from '../state'
import { createStore, useStore } from '../store'
import { followJournal, type LiveEntry } from './events'

/** Maximum number of characters of bodies that the page keeps. */
const MAX_BODIES = 20_000_000

/** Oldest first. */
export const entries = createStore<readonly LiveEntry[]>([])
export const isLive = createStore(false)
/** Counts the times that the journal became another one: that of another session, or one without requests that it had. */
export const journalVersion = createStore(0)

/** Follows the journal of the session. Mounted once. */
export function useJournal(): void {
  const id = useStore(sessionId)
  const isReady = useStore(connection) === 'ready'
  useEffect(() => {
    entries.set([])
    journalVersion.set(journalVersion.get() + 1)
  }, [id])
  useEffect(() => {
    if (!isReady) return undefined
    // Only entries that came while the page was open have their replies.
    let before: ReadonlyMap<number, LiveEntry> = new Map()
    const known = (entry: LiveEntry): LiveEntry => {
      const same = before.get(entry.id)
      return same?.receivedAt === entry.receivedAt ? same : entry
    }
    return followJournal(id, {
      onState: isLive.set,
      onCut(isCleared) {
        if (isCleared) journalVersion.set(journalVersion.get() + 1)
        before = new Map(entries.get().map(entry => [entry.id, entry]))
        entries.set([])
      },
      onEntries: next => entries.set(limited([...entries.get(), ...next.map(known)])),
    })
  }, [id, isReady])
}

/** Empties the journal of the session. */
export const clearJournal = (): Promise<void> => admin.clearRequests(sessionId.get())

function limited(all: readonly LiveEntry[]): readonly LiveEntry[] {
  const kept = all.slice(-MAX_JOURNAL_ENTRIES)
  let characters = 0
  // The newest bodies are kept.
  for (let i = kept.length - 1; i >= 0; i--) {
    characters += kept[i]!.reply?.body?.length ?? 0
    if (characters > MAX_BODIES) return kept.map((entry, at) => (at > i ? entry : withoutReply(entry)))
  }
  return kept
}

const withoutReply = ({ reply: _, ...entry }: LiveEntry): LiveEntry => entry
