// The state that all parts of the page share: the session, its clock, its scenario, and the chosen feed.
import { useEffect } from 'preact/hooks'
import {
  admin,
  connection,
  type FeedDefinition,
  type Inspection,
  RequestError,
  type ScenarioSummary,
  type Session,
} from './api'
import { secondsOf } from './axis/view'
import { createStore, useStore } from './store'

const SESSION_KEY = 'price-feed-mock session'

/** The id of the session that the page shows. */
export const sessionId = createStore(sessionStorage.getItem(SESSION_KEY) || 'default')
export const session = createStore<Session | undefined>(undefined)
export const inspection = createStore<Inspection | undefined>(undefined)
export const feeds = createStore<readonly FeedDefinition[]>([])
export const scenarios = createStore<readonly ScenarioSummary[]>([])
export const version = createStore('')
/** Whether the session that the page shows was deleted. */
export const isGone = createStore(false)
/** The feed of the chart. */
export const chosenFeed = createStore('')
/** The time for which the windows of faults are needed. Windows closer together than `bin` seconds are shown as one. */
type WindowRange = (now: number) => { readonly from: number; readonly to: number; readonly bin?: number }
const HOUR = 3600
export const windowRange = createStore<WindowRange>(now => secondsOf({ from: now - HOUR, to: now + HOUR }))

/** A message about the last action. */
interface Notice {
  readonly text: string
  readonly isError: boolean
  readonly undo?: (() => Promise<unknown>) | undefined
}
export const notice = createStore<Notice | undefined>(undefined)

/** Counts the begins and the ends of actions of this page, each of which may have changed every price. */
export const actions = createStore(0)

const refreshers = new Set<() => void>()
/** Repeats all polls now, after a change. */
export function refreshAll(): void {
  for (const refresh of refreshers) refresh()
}

/** Calls `work` now, after each change, and every `everyMs` while the page is visible; never twice at a time. */
export function usePoll(work: () => Promise<void>, everyMs: number, inputs: readonly unknown[]): void {
  useEffect(() => startPoll(work, everyMs), inputs)
}

/** Starts a poll and returns a function that ends it. Errors are left to `connection`. */
function startPoll(work: () => Promise<void>, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  let isRunning = false
  let isWanted = false
  const turn = async (): Promise<void> => {
    if (isRunning) {
      isWanted = true
      return
    }
    clearTimeout(timer)
    isRunning = true
    isWanted = false
    if (!document.hidden) await work().catch(error => error instanceof RequestError || console.error(error))
    isRunning = false
    if (hasEnded) return
    if (isWanted) void turn()
    else timer = setTimeout(turn, everyMs)
  }
  const refresh = (): void => void turn()
  refreshers.add(refresh)
  document.addEventListener('visibilitychange', refresh)
  refresh()
  return () => {
    hasEnded = true
    clearTimeout(timer)
    refreshers.delete(refresh)
    document.removeEventListener('visibilitychange', refresh)
  }
}

/** Virtual second of everything that the page shows: the clock, the prices, the chart and the reply are read for one second. */
export const shownSecond = createStore<number | undefined>(undefined)

/** Reads a part of the page for one second of a session. */
type ReadPart = (id: string, at: number) => Promise<unknown>
const parts = new Map<string, ReadPart>()
const shownParts = createStore<ReadonlyMap<string, unknown>>(new Map())

/** Counts the times that the session was read, whether or not it has changed. */
export const frames = createStore(0)

/** A part that is read for the same second as all others. `key` names all that it depends on; without one nothing is read. */
export function usePart<T>(key: string | undefined, read: (id: string, at: number) => Promise<T>): T | undefined {
  const all = useStore(shownParts)
  useEffect(() => {
    if (key === undefined) return
    parts.set(key, read)
    refreshAll()
    return () => void parts.delete(key)
  }, [key])
  return key === undefined ? undefined : (all.get(key) as T | undefined)
}

/** Reads the session and every part of the page, and shows them together. */
async function readFrame(id: string): Promise<void> {
  const acted = actions.get()
  const next = await admin.session(id)
  const at = next.clock.now
  const { from, to, bin } = windowRange.get()(at)
  const [found, ...read] = await Promise.all([
    admin.inspect(id, from, to, bin),
    ...[...parts].map(async ([key, part]) => [key, await part(id, at).catch(ignored)] as const),
  ])
  // Another session was chosen, or this one was changed, meanwhile.
  if (id !== sessionId.get() || acted !== actions.get()) return
  isGone.set(false)
  // Nothing is drawn while nothing changes, which it does with every second.
  const isEqual = (one: unknown, other: unknown): boolean =>
    at === shownSecond.get() && JSON.stringify(one) === JSON.stringify(other)
  if (!isEqual(next, session.get())) session.set(next)
  if (!isEqual(found, inspection.get())) inspection.set(found)
  if (!isEqual(read, [...shownParts.get()])) shownParts.set(new Map(read))
  shownSecond.set(at)
  frames.set(frames.get() + 1)
}

/** Resolves when the page has read the session again, or cannot. */
export function isRead(): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      for (const unsubscribe of ends) unsubscribe()
      resolve()
    }
    const ends = [frames.subscribe(end), connection.subscribe(end)]
  })
}

/** A part that cannot be read does not hide the others; `connection` tells why. */
function ignored(error: unknown): undefined {
  if (!(error instanceof RequestError) || error.code === '') throw error
  return undefined
}

/** Switches to another session. */
export function switchSession(id: string): void {
  sessionStorage.setItem(SESSION_KEY, id)
  isGone.set(false)
  session.set(undefined)
  inspection.set(undefined)
  shownSecond.set(undefined)
  shownParts.set(new Map())
  sessionId.set(id)
  refreshAll()
}

/** Deletes a session. If the page shows it, the page changes to `default` first, so that nothing asks for a deleted session. */
export async function deleteSession(id: string): Promise<boolean> {
  if (id === sessionId.get()) {
    switchSession('default')
    await isRead()
  }
  return act(`Deleted ${id}.`, () => admin.deleteSession(id))
}

/** Follows the session and its scenario. Returns a function that ends it. */
export function followSession(): () => void {
  // A server that comes back may have other feeds and scenarios.
  let hasCatalogue = false
  const poll = startPoll(async () => {
    if (connection.get() === 'token') return
    const id = sessionId.get()
    try {
      if (!hasCatalogue) {
        await loadCatalogue()
        hasCatalogue = true
      }
      await readFrame(id)
    } catch (error) {
      const isUnknown = error instanceof RequestError && error.code === 'SESSION_UNKNOWN'
      if (!isUnknown || id !== sessionId.get()) throw error
      isGone.set(true)
    }
  }, 1000)
  const unsubscribe = [
    connection.subscribe(() => {
      if (connection.get() === 'connecting') refreshAll()
      if (connection.get() !== 'ready') hasCatalogue = false
    }),
    windowRange.subscribe(refreshAll),
  ]
  return () => {
    poll()
    for (const end of unsubscribe) end()
  }
}

async function loadCatalogue(): Promise<void> {
  const [all, known, info] = await Promise.all([admin.feeds(), admin.scenarios(), admin.info()])
  feeds.set(all.feeds)
  scenarios.set(known.scenarios)
  version.set(info.version)
  if (all.feeds.every(({ id }) => id !== chosenFeed.get())) chosenFeed.set(all.feeds[0]?.id ?? '')
}

/**
 * Runs an action and reports its result. Returns whether it succeeded.
 * @param work may return a text that is more exact than `done`
 * @param undo takes the action back
 */
export async function act(done: string, work: () => Promise<unknown>, undo?: () => Promise<unknown>): Promise<boolean> {
  actions.set(actions.get() + 1)
  try {
    const result = await work()
    notice.set({ text: typeof result === 'string' ? result : done, isError: false, undo })
    return true
  } catch (error) {
    notice.set({ text: (error as Error).message, isError: true })
    return false
  } finally {
    actions.set(actions.get() + 1)
    refreshAll()
  }
}
