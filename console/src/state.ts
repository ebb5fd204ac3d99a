// The state that all parts of the page share: the session, its clock, its scenario, and the chosen feed.
import { useEffect, useState } from 'preact/hooks'
import {
  admin,
  connection,
  type FeedDefinition,
  type Inspection,
  RequestError,
  type ScenarioSummary,
  type Session,
} from './api'
import { createStore } from './store'

const SESSION_KEY = 'price-feed-mock session'

/** The id of the session that the page shows. */
export const sessionId = createStore(sessionStorage.getItem(SESSION_KEY) ?? 'default')
export const session = createStore<Session | undefined>(undefined)
export const inspection = createStore<Inspection | undefined>(undefined)
export const feeds = createStore<readonly FeedDefinition[]>([])
export const scenarios = createStore<readonly ScenarioSummary[]>([])
export const version = createStore('')
/** The feed of the chart. */
export const chosenFeed = createStore('')
/** Seconds before and after the present for which the windows of faults are needed. */
export const windowRange = createStore({ before: 3600, after: 3600 })

/** A message about the last action. */
export interface Notice {
  readonly text: string
  readonly isError: boolean
}
export const notice = createStore<Notice | undefined>(undefined)

/** The number of actions of this page, each of which may have changed every price. */
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
export function startPoll(work: () => Promise<void>, everyMs: number): () => void {
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

/** Where the clock of the session was at a time of this page. */
let reading = { virtualMs: 0, pageMs: 0, speed: 0 }

/** Virtual milliseconds since the epoch. */
export const virtualNow = (): number => reading.virtualMs + (performance.now() - reading.pageMs) * reading.speed

function showSession(next: Session): void {
  const { at, speed, frozen } = next.clock
  reading = { virtualMs: Date.parse(at), pageMs: performance.now(), speed: frozen ? 0 : speed }
  session.set(next)
}

/** Virtual seconds, rendered again whenever they change. */
export function useVirtualSeconds(): number {
  const [seconds, setSeconds] = useState(() => Math.floor(virtualNow() / 1000))
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor(virtualNow() / 1000)), 100)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** Switches to another session. */
export function switchSession(id: string): void {
  sessionStorage.setItem(SESSION_KEY, id)
  session.set(undefined)
  inspection.set(undefined)
  sessionId.set(id)
  refreshAll()
}

/** Deletes a session. If the page shows it, the page changes to `default` first, so that nothing asks for a deleted session. */
export async function deleteSession(id: string): Promise<boolean> {
  if (id === sessionId.get()) {
    const isShown = new Promise<void>(resolve => {
      const unsubscribe = session.subscribe(() => {
        if (session.get()?.id === id || session.get() === undefined) return
        unsubscribe()
        resolve()
      })
    })
    switchSession('default')
    await isShown
  }
  return act(`Deleted ${id}.`, () => admin.deleteSession(id))
}

/** Follows the session and its scenario. Returns a function that ends it. */
export function followSession(): () => void {
  const poll = startPoll(async () => {
    if (connection.get() === 'token') return
    const id = sessionId.get()
    try {
      if (feeds.get().length === 0) await loadCatalogue()
      const next = await admin.session(id)
      const now = Math.floor(Date.parse(next.clock.at) / 1000)
      const { before, after } = windowRange.get()
      const found = await admin.inspect(id, Math.max(0, now - before), now + after)
      // Another session was chosen meanwhile.
      if (id !== sessionId.get()) return
      showSession(next)
      inspection.set(found)
    } catch (error) {
      const isGone = error instanceof RequestError && error.code === 'SESSION_UNKNOWN'
      if (!isGone || id === 'default') throw error
      switchSession('default')
      notice.set({ text: `The session ${id} no longer exists.`, isError: true })
    }
  }, 1000)
  const unsubscribe = [
    connection.subscribe(() => connection.get() === 'connecting' && refreshAll()),
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
  if (chosenFeed.get() === '') chosenFeed.set(all.feeds[0]?.id ?? '')
}

/** Runs an action and reports its result. Returns whether it succeeded. */
export async function act(done: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    notice.set({ text: done, isError: false })
    return true
  } catch (error) {
    notice.set({ text: (error as Error).message, isError: true })
    return false
  } finally {
    actions.set(actions.get() + 1)
    refreshAll()
  }
}

/** Changes the session. */
export const change = (done: string, patch: object): Promise<boolean> =>
  act(done, async () => showSession(await admin.change(sessionId.get(), patch)))
