// The journals of sessions in a store, as event streams follow them: new entries arrive from all servers, in order and without gaps.
import { getOrCreate } from '../../../caches.js'
import type { Outcome } from '../../../outcome.js'
import { type JournalSubscriber, MAX_JOURNAL_ENTRIES, type Numbered } from '../../../service/journal.js'
import { after, setImmediate } from '../../real-time.js'
import type { StreamedJournal } from '../events.js'
import { type Store, sessionUnknown } from './store.js'
import { type JournalTotals, readTotals, toNumbered } from './stored-sessions.js'

/** Milliseconds that an entry waits for its reply, which another server sends after the entry. */
const REPLY_MS = 200
/** Entries that are read at a time; all of them if more are new. */
const CHUNK = 128

/** Creates the journals that the streams of a server follow: one for all streams of a session. */
export function createFollow(store: Store) {
  const followers = new Map<string, ReturnType<typeof createFollower>>()
  /** @throws PriceFeedMockError SESSION_UNKNOWN */
  return async (id: string): Promise<StreamedJournal> => {
    const forget = () => followers.delete(id)
    const follower = getOrCreate(followers, id, () => createFollower(store, id, forget))
    const { endUnlessUsed, journal } = await follower.catch(error => {
      forget()
      throw error
    })
    // A HEAD request, or one too many, subscribes nobody.
    setImmediate(endUnlessUsed)
    return journal
  }
}

async function createFollower(store: Store, id: string, onEnd: () => void) {
  const subscribers = new Set<JournalSubscriber>()
  /** The newest entries, oldest first. */
  let entries: Numbered[] = []
  /** Replies of entries that are not loaded yet, or that were loaded first. */
  const replies = new Map<number, Outcome>()
  /** The totals of the journal with the last entry. */
  let totals: JournalTotals
  let isClosed = false
  let isLoading = false
  let isStale = false
  let onReply = (): void => {}
  let stop = (): void => {}

  const end = (): void => {
    if (isClosed) return
    isClosed = true
    stop()
    onEnd()
    for (const { onClose } of [...subscribers]) onClose()
  }
  const endUnlessUsed = (): void => {
    if (subscribers.size === 0) end()
  }
  /** The totals, and the newest entries from a place on, oldest first. */
  const read = async (first: number) => {
    const found = await store.load(id, first, -1)
    if (typeof found === 'string') {
      end()
      throw sessionUnknown(id, found)
    }
    return { next: readTotals(found.texts), lines: found.lines.map(toNumbered).slice(-MAX_JOURNAL_ENTRIES) }
  }
  /** Waits until all of some entries have their replies, or for some time. */
  const untilReplied = (fresh: readonly Numbered[]): Promise<void> =>
    new Promise(resolve => {
      const cancel = after(REPLY_MS, resolve)
      onReply = () => {
        if (!fresh.every(one => replies.has(one.id))) return
        cancel()
        resolve()
      }
      onReply()
    })
  const loadNew = async (): Promise<void> => {
    let { next, lines } = await read(-CHUNK)
    const isCut = wasCut(totals, next)
    if (isCut || next.added - totals.added > CHUNK) ({ next, lines } = await read(0))
    const fresh = lines.filter(one => one.id > totals.added)
    if (!isCut) await untilReplied(fresh)
    totals = next
    if (isCut) {
      entries = lines
      for (const subscriber of [...subscribers]) subscriber.onCut?.()
    } else {
      for (const numbered of fresh)
        for (const { onEntry } of [...subscribers]) onEntry({ ...numbered, outcome: replies.get(numbered.id) })
      entries = [...entries, ...fresh].slice(-MAX_JOURNAL_ENTRIES)
    }
    for (const number of replies.keys()) if (number <= totals.added) replies.delete(number)
  }
  /** Loads until nothing is new; messages that arrive meanwhile are not missed. */
  const load = async (): Promise<void> => {
    isStale = true
    if (isLoading) return
    isLoading = true
    try {
      while (isStale && !isClosed) {
        isStale = false
        await loadNew()
      }
    } catch {
      // The session has ended, or the store is away: a later message, or the next look, loads the rest.
    } finally {
      isLoading = false
    }
  }
  ;({ next: totals, lines: entries } = await read(0))
  stop = await store.listen(id, message => {
    if (message === 'entries') return void load()
    if (message === 'closed') return end()
    for (const [number, outcome] of JSON.parse(message) as [number, Outcome][])
      if (number > totals.added) replies.set(number, outcome)
    onReply()
  })
  // The session may have ended before there was something to stop.
  if (isClosed) stop()
  // Entries since the journal was read.
  await load()
  if (isClosed) throw sessionUnknown(id, 'unknown')
  return {
    endUnlessUsed,
    journal: {
      since: (number: number) => entries.filter(one => one.id > number),
      subscribe(subscriber: JournalSubscriber) {
        subscribers.add(subscriber)
        // Ended between the request and the stream.
        if (isClosed) subscriber.onClose()
        return () => {
          subscribers.delete(subscriber)
          endUnlessUsed()
        }
      },
    },
  }
}

/** Whether entries were cleared or rewound between two totals: the oldest ones, which limits drop, are counted. */
const wasCut = (before: JournalTotals, { added, length, goneUntil }: JournalTotals): boolean =>
  goneUntil < before.goneUntil || (goneUntil === before.goneUntil && length < before.length + added - before.added)
