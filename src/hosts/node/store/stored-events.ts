// The journals of sessions in a store, as event streams follow them: new entries arrive from all servers, in order and without gaps.
import type { Outcome } from '../../../outcome.js'
import { type Journal, type JournalSubscriber, MAX_JOURNAL_ENTRIES, type Numbered } from '../../../service/journal.js'
import { after } from '../../timers.js'
import { sessionUnknown } from './session-errors.js'
import type { Store } from './store.js'
import { NO_JOURNAL } from './stored-session.js'

/** Milliseconds that an entry waits for its reply, which another server sends after the entry. */
const REPLY_MS = 200

/** The journals that streams follow. */
export interface FollowedJournals {
  /**
   * The journal of a session, for a stream.
   * @throws PriceFeedMockError SESSION_UNKNOWN
   */
  follow(id: string, withReplies: boolean): Promise<Journal>
}

/** Creates the journals that the streams of a server follow. */
export function createFollowedJournals(store: Store): FollowedJournals {
  const followed = new Map<string, Promise<Follower>>()
  return {
    async follow(id, withReplies) {
      for (;;) {
        const known = await (followed.get(id) ?? begin(id, withReplies))
        if (known.isClosed()) continue
        if (withReplies) await known.wantReplies()
        return known.journal
      }
    },
  }

  function begin(id: string, withReplies: boolean): Promise<Follower> {
    const follower = createFollower(store, id, withReplies, () => followed.delete(id))
    followed.set(id, follower)
    follower.catch(() => followed.delete(id))
    return follower
  }
}

interface Follower {
  readonly journal: Journal
  isClosed(): boolean
  wantReplies(): Promise<void>
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
  let stops: (() => void)[] = []

  const end = (): void => {
    if (isClosed) return
    isClosed = true
    for (const stop of stops) stop()
    onEnd()
    for (const { onClose } of [...subscribers]) onClose()
  }
  /** Waits until all of some entries have their replies, or for some time. */
  const untilReplied = (ids: readonly number[]): Promise<void> =>
    new Promise(resolve => {
      const done = (): void => {
        cancel()
        onReply = () => {}
        resolve()
      }
      const cancel = after(REPLY_MS, done)
      onReply = () => {
        if (ids.every(one => replies.has(one))) done()
      }
      onReply()
    })
  const loadNew = async (): Promise<void> => {
    const found = await store.entriesAfter(id, last)
    if (found === undefined) return end()
    if (found.entries.length === 0) return
    if (hasReplies) await untilReplied(found.entries.map(entry => entry.id))
    for (const { id: number, age: _, ...entry } of found.entries) {
      last = number
      const numbered = { id: number, entry }
      entries.push(numbered)
      const outcome = replies.get(number)
      for (const { onEntry } of [...subscribers]) onEntry({ ...numbered, outcome })
    }
    for (const number of replies.keys()) if (number <= last) replies.delete(number)
    if (entries.length > MAX_JOURNAL_ENTRIES) entries = entries.slice(-MAX_JOURNAL_ENTRIES)
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
  const listen = (interest: 'entries' | 'replies'): Promise<() => void> =>
    store.listen(id, interest, {
      onEntries: () => void load(),
      onReplies(text) {
        for (const [number, outcome] of JSON.parse(text) as [number, Outcome][])
          if (number > last) replies.set(number, outcome)
        onReply()
      },
      onClose: end,
    })

  const saved = await store.journal(id)
  if (saved === undefined) throw sessionUnknown(id, 'unknown')
  last = saved.added
  entries = saved.entries.map(({ id: number, age: _, ...entry }) => ({ id: number, entry })).slice(-MAX_JOURNAL_ENTRIES)
  stops = [await listen(withReplies ? 'replies' : 'entries')]
  // Entries since the journal was read.
  await load()
  return {
    isClosed: () => isClosed,
    async wantReplies() {
      if (hasReplies) return
      hasReplies = true
      const [stop] = stops
      stops = [await listen('replies')]
      stop?.()
    },
    journal: {
      ...NO_JOURNAL,
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
