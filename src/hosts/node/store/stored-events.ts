// The journals of sessions in a store, as event streams follow them: new entries arrive from all servers, in order and without gaps.
import type { Outcome } from '../../../outcome.js'
import { type JournalSubscriber, MAX_JOURNAL_ENTRIES, type Numbered } from '../../../service/journal.js'
import { after } from '../../timers.js'
import type { StreamedJournal } from '../events.js'
import { type Store, sessionUnknown } from './store.js'
import { readTotals, toNumbered } from './stored-journal.js'

/** Milliseconds that an entry waits for its reply, which another server sends after the entry. */
const REPLY_MS = 200
/** Entries that are read at a time; all of them if more are new. */
const CHUNK = 128

/**
 * The journal of a session, for a stream.
 * @throws PriceFeedMockError SESSION_UNKNOWN
 */
export type Follow = (id: string, withReplies: boolean) => Promise<StreamedJournal>

interface Follower {
  readonly journal: StreamedJournal
  isClosed(): boolean
  wantReplies(): Promise<void>
}

/** Creates the journals that the streams of a server follow: one for all streams of a session. */
export function createFollow(store: Store): Follow {
  const followers = new Map<string, Promise<Follower>>()
  const begin = (id: string, withReplies: boolean): Promise<Follower> => {
    const follower = createFollower(store, id, withReplies, () => followers.delete(id))
    followers.set(id, follower)
    follower.catch(() => followers.delete(id))
    return follower
  }
  return async (id, withReplies) => {
    for (;;) {
      const known = await (followers.get(id) ?? begin(id, withReplies))
      if (known.isClosed()) continue
      if (withReplies) await known.wantReplies()
      return known.journal
    }
  }
}

async function createFollower(store: Store, id: string, withReplies: boolean, onEnd: () => void): Promise<Follower> {
  const subscribers = new Set<JournalSubscriber>()
  /** The newest entries, oldest first. */
  let entries: Numbered[] = []
  /** Replies of entries that are not loaded yet, or that were loaded first. */
  const replies = new Map<number, Outcome>()
  let last = 0
  let isClosed = false
  let hasReplies = withReplies
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
  /** The entries after the last one, oldest first. Undefined if there is no such session. */
  const readNew = async (first: number): Promise<readonly Numbered[] | undefined> => {
    const found = await store.load(id, first, -1)
    if (typeof found === 'string') return undefined
    if (first !== 0 && readTotals(found.texts).added - last > CHUNK) return readNew(0)
    return found.lines.map(toNumbered).filter(one => one.id > last)
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
    const fresh = await readNew(-CHUNK)
    if (fresh === undefined) return end()
    if (fresh.length === 0) return
    if (hasReplies) await untilReplied(fresh)
    for (const numbered of fresh) {
      last = numbered.id
      const outcome = replies.get(last)
      for (const { onEntry } of [...subscribers]) onEntry({ ...numbered, outcome })
    }
    for (const number of replies.keys()) if (number <= last) replies.delete(number)
    entries = [...entries, ...fresh].slice(-MAX_JOURNAL_ENTRIES)
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
      // The store is away: a later message, or the next look, loads the rest.
    } finally {
      isLoading = false
    }
  }
  const listen = async (): Promise<void> => {
    const before = stop
    stop = await store.listen(id, hasReplies, {
      onEntries: () => void load(),
      onReplies(text) {
        for (const [number, outcome] of JSON.parse(text) as [number, Outcome][])
          if (number > last) replies.set(number, outcome)
        onReply()
      },
      onClose: end,
    })
    before()
  }

  const found = await store.load(id, 0, -1)
  if (typeof found === 'string') throw sessionUnknown(id, found)
  entries = found.lines.map(toNumbered).slice(-MAX_JOURNAL_ENTRIES)
  last = readTotals(found.texts).added
  await listen()
  // Entries since the journal was read.
  await load()
  return {
    isClosed: () => isClosed,
    async wantReplies() {
      if (hasReplies) return
      hasReplies = true
      await listen()
    },
    journal: {
      since: number => entries.filter(one => one.id > number),
      subscribe(subscriber) {
        subscribers.add(subscriber)
        // Ended between the request and the stream.
        if (isClosed) subscriber.onClose()
        return () => {
          subscribers.delete(subscriber)
          if (subscribers.size === 0) end()
        }
      },
    },
  }
}
