// Changes of the session by this page, each with what takes it back: Ctrl+Z and Ctrl+Shift+Z, for this tab and session.
import { LATEST } from '../../src/settings/time.js'
import { admin, type Inspection, type RequestError, type Session, type Snapshot } from './api'
import { formatPrice } from './format'
import { act, actions, feeds, frames, inspection, isRead, notice, session, sessionId } from './state'

/** A change and what takes it back. */
interface Edit {
  readonly done: string
  readonly forth: () => Promise<unknown>
  readonly back: () => Promise<unknown>
}

/** A body of PATCH as the page sends them. */
interface Patch {
  readonly clock?: Readonly<Record<string, unknown>>
  readonly prices?: Readonly<Record<string, unknown>>
  readonly scenario?: unknown
  readonly scenarioAt?: number
}

const MAX_EDITS = 50
let done: readonly Edit[] = []
let undone: readonly Edit[] = []
/** The session as the page knows it after its last change; undefined until it has read it. */
let known: string | undefined
let lastAction = 0

let queue: Promise<unknown> = Promise.resolve()

/**
 * Changes the session, after all changes before it.
 * @param next is asked when they are made and read, so that it neither undoes them nor builds on what was
 * @param check may return a text that is more exact than `done`, once the change is made
 */
export function change(
  next: () => readonly [done: string, patch: Patch],
  check?: (changed: Session) => Promise<string | undefined>,
): Promise<boolean> {
  return inTurn(id => {
    const [text, patch] = next()
    return run(toEdit(id, text, () => admin.change(id, patch).then(check), patch, inverseOf(patch)))
  })
}

/** Sets the price of a feed from now on. While a fault holds another price, the message says so. */
export function setPrice(feed: string, price: number): Promise<boolean> {
  const text = formatPrice(price)
  return change(
    () => [`${feed} is ${text} from now on.`, { prices: { [feed]: price } }],
    async ({ id, clock }) => {
      const read = await admin.prices(id, [feed], clock.now).catch(() => undefined)
      if (read === undefined) return undefined
      const served = read.feeds[0]!.price
      const { expo, step } = feeds.get().find(one => one.id === feed)!
      // Served prices are rounded to steps.
      return served !== null && Math.abs(served - price) <= step * 10 ** expo
        ? undefined
        : `${feed} is set to ${text}, but a fault serves ${served === null ? 'no price' : formatPrice(served)} until it ends.`
    },
  )
}

/** Gives feeds back the prices that they have by themselves. */
export const clearPrices = (ids: readonly string[]): Promise<boolean> =>
  change(() => [`${ids.join(', ')}: own path again.`, { prices: Object.fromEntries(ids.map(feed => [feed, null])) }])

/** Freezes the clock, or lets it go on. */
export function toggleClock(): Promise<boolean> {
  return change(() => {
    const isFrozen = session.get()?.clock.frozen === true
    return [isFrozen ? 'The clock runs.' : 'The clock is frozen.', { clock: { frozen: !isFrozen } }]
  })
}

/** Resets the session. It can be taken back, but for the requests of the journal. */
export function resetSession(): Promise<boolean> {
  return inTurn(id => run(toEdit(id, 'Reset to the start.', () => admin.reset(id))))
}

/**
 * A change that is taken back with a PATCH if there is one, or else with a snapshot of the state before it.
 * @param patch if it changes no more than this: requests then stay
 */
function toEdit(
  id: string,
  done: string,
  make: () => Promise<unknown>,
  patch?: Patch,
  inverse?: (isClockSet: boolean) => Patch,
): Edit {
  const isNamed = typeof patch?.scenario === 'string'
  let isClockSet = patch === undefined || isJump(patch)
  let before: Snapshot
  let since: number
  return {
    done,
    async forth() {
      if (isClockSet || isNamed || inverse === undefined) {
        since = Date.now()
        before = await admin.snapshot(id)
      }
      const text = await make()
      // Only the server knows whether the scenario of a name has a clock.
      if (isNamed)
        isClockSet = await admin.inspect(id, 0, 0).then(
          ({ scenario }) => scenario.source.clock !== undefined,
          () => true,
        )
      return text
    },
    async back() {
      if (inverse !== undefined && !isClockSet) return admin.change(id, inverse(false))
      const clock = clockSince(before, since)
      const { virtualMs, ...pace } = clock
      if (inverse !== undefined) return admin.change(id, { ...inverse(true), clock: { at: virtualMs / 1000, ...pace } })
      if (patch === undefined) return admin.restore(id, { ...before, clock })
      const { overrides, scenario, state } = before
      const now = await admin.snapshot(id)
      return admin.restore(id, {
        ...now,
        overrides,
        ...(isClockSet ? { clock } : {}),
        ...(patch.scenario === undefined ? {} : { scenario, state: { ...now.state, faults: state.faults } }),
      })
    },
  }
}

/** The clock of a snapshot. One that ran has gone on since then: on a server in real time it shows the present again. */
function clockSince({ clock: { virtualMs, speed, frozen } }: Snapshot, since: number): Snapshot['clock'] {
  const passed = frozen ? 0 : (Date.now() - since) * speed
  return { virtualMs: Math.min(virtualMs + passed, LATEST * 1000), speed, frozen }
}

/** Takes the last change back. */
export function undo(): Promise<boolean> {
  return inTurn(async () => {
    const edit = done.at(-1)
    if (edit === undefined) return said('Nothing to undo.')
    let isRefused = false
    const back = (): Promise<unknown> =>
      edit.back().catch(error => {
        isRefused = /^4(?!01|08|29)/.test(String((error as RequestError).status))
        throw error
      })
    const isUndone = await act(`Undone: ${edit.done}`, back)
    // A change that the server refuses to take back must not keep those before it.
    if (!isUndone && !isRefused) return false
    done = done.slice(0, -1)
    if (isUndone) undone = [...undone, edit]
    return isUndone
  })
}

/** Makes the change that was taken back last once more. */
function redo(): Promise<boolean> {
  return inTurn(async () => {
    const edit = undone.at(-1)
    if (edit === undefined) return said('Nothing to redo.')
    if (!(await act(edit.done, edit.forth, undo))) return false
    undone = undone.slice(0, -1)
    done = [...done, edit]
    return true
  })
}

async function run(edit: Edit): Promise<boolean> {
  if (!(await act(edit.done, edit.forth, undo))) return false
  done = [...done, edit].slice(-MAX_EDITS)
  undone = []
  return true
}

function said(text: string): boolean {
  notice.set({ text, isError: false })
  return false
}

/** Works when all before it is done and read. What waits for another session than the one in sight is left out. */
function inTurn(work: (id: string) => Promise<boolean>): Promise<boolean> {
  const id = sessionId.get()
  const turn = queue.then(() => id === sessionId.get() && work(id))
  queue = turn.then(hasChanged => (hasChanged ? isRead() : undefined)).catch(() => {})
  return turn
}

/** Whether a change moves the clock, which is then set back. */
const isJump = ({ clock = {} }: Patch): boolean => 'at' in clock || 'advance' in clock

/**
 * Makes the change that gives back what another one is about to change, but for a clock that it sets. Undefined where no PATCH can: for
 * a price that was set before and has moved on, for a scenario that has ended, and for set prices, which a scenario with a seed drops.
 */
function inverseOf(patch: Patch): ((isClockSet: boolean) => Patch) | undefined {
  const { clock, prices, scenario, scenarioAt } = patch
  const [current, found] = [session.get(), inspection.get()]
  if (current === undefined || found === undefined) return () => ({})
  const { overrides } = found
  if (prices !== undefined && overrides.some(({ feed }) => feed in prices)) return undefined
  const isReplaced = found.scenario.endedAt !== undefined || (overrides.length > 0 && scenarioAt === undefined)
  if (scenario !== undefined && isReplaced) return undefined
  const { frozen, speed } = current.clock
  // A jump to before its start begins a scenario anew.
  const isRestarted = (): boolean => isJump(patch) && inspection.get()?.scenario.appliedAt !== found.scenario.appliedAt
  return isClockSet => ({
    ...(clock === undefined ? {} : { clock: 'speed' in clock ? { speed } : { frozen } }),
    ...(prices === undefined ? {} : { prices: Object.fromEntries(Object.keys(prices).map(feed => [feed, null])) }),
    ...(scenario === undefined && !isRestarted() ? {} : scenarioOf(found.scenario, isClockSet)),
  })
}

/**
 * Gives back a scenario as it runs.
 * @param isClockSet whether the same change sets the clock; that of the scenario would move it
 */
function scenarioOf({ name, source, appliedAt }: Inspection['scenario'], isClockSet: boolean): Patch {
  const { clock, ...rest } = source
  const scenario = clock !== undefined && !isClockSet ? rest : name === 'inline' ? source : name
  return { scenario, scenarioAt: appliedAt }
}

/** Forgets all changes when something else has changed the session, or another session is shown. Returns a function that ends it. */
export function followChanges(): () => void {
  const forget = (): void => {
    done = undone = []
    known = undefined
  }
  const look = (): void => {
    const [current, found] = [session.get(), inspection.get()]
    if (current === undefined || found === undefined) return
    const { scenario, overrides } = found
    const { frozen, speed } = current.clock
    const next = JSON.stringify([scenario, overrides.map(({ feed, since }) => [feed, since]), frozen, speed])
    // After a change of the page itself, the next look tells how the session is.
    if (lastAction !== actions.get()) {
      lastAction = actions.get()
      known = undefined
    }
    if (known !== undefined && known !== next && done.length + undone.length > 0) {
      forget()
      notice.set({
        text: 'The session was changed from elsewhere: earlier changes can no longer be undone here.',
        isError: true,
      })
    }
    known = next
  }
  const ends = [sessionId.subscribe(forget), frames.subscribe(look)]
  const press = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || (event.target as HTMLElement).closest('input, textarea') !== null) return
    const key = event.key.toLowerCase()
    if (key !== 'z' && key !== 'y') return
    event.preventDefault()
    void (key === 'y' || event.shiftKey ? redo() : undo())
  }
  addEventListener('keydown', press)
  return () => {
    removeEventListener('keydown', press)
    for (const end of ends) end()
  }
}
