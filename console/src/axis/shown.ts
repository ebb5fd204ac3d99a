// The state of the axis, kept in the address: a link or a reload shows the same.
import { chosenFeed, feeds, sessionId, switchSession } from '../state'
import { createStore } from '../store'
import { readAddress, type Shown, toAddress } from './view'

export const axis = createStore<Shown>(readAddress(location.hash))

/** An address without a page is that of the axis. */
const isOpen = (): boolean => /^(#\/axis|$)/.test(location.hash)

/** Takes over the session and the feed of the address. */
function follow(): void {
  if (!isOpen()) return
  const shown = readAddress(location.hash)
  if (shown.session !== undefined && shown.session !== sessionId.get()) switchSession(shown.session)
  axis.set(shown)
  // Until the catalogue is read, any feed may be in it.
  const known = feeds.get()
  if (shown.feed && (!known.length || known.some(({ id }) => id === shown.feed))) chosenFeed.set(shown.feed)
  write(false)
}

/** @param isNew whether the axis is opened where another page is, and Back goes there */
function write(isNew: boolean): void {
  const address = toAddress({ ...axis.get(), session: sessionId.get(), feed: chosenFeed.get() })
  if (!isOpen()) {
    if (isNew) location.hash = address
  } else if (address !== location.hash) history[isNew ? 'pushState' : 'replaceState'](null, '', address)
}

/** Another session has other requests and faults, and a clock of its own. */
const leave = (): void => show({ request: undefined, fault: undefined, cursor: undefined, from: undefined })

/** Follows the address, and keeps it up to date. Returns a function that ends it. */
export function followAddress(): () => void {
  follow()
  const ends = [chosenFeed.subscribe(() => write(false)), sessionId.subscribe(leave)]
  addEventListener('popstate', follow)
  return () => {
    removeEventListener('popstate', follow)
    for (const end of ends) end()
  }
}

/** Changes what is shown. */
export function show(part: Partial<Shown>): void {
  axis.set({ ...axis.get(), ...part })
  write(false)
}

/** Opens or closes a request or a fault, which the button Back undoes. */
export function open(part: Partial<Shown>): void {
  axis.set({ ...axis.get(), ...(part.fault === undefined ? {} : { request: undefined }), ...part })
  write(true)
}

/**
 * Follows a pressed pointer until it is released, or taken away as a touch is that becomes a scroll.
 * @returns stops following it
 */
export function followPointer(
  { currentTarget, pointerId }: PointerEvent,
  onMove: (event: PointerEvent) => void,
  onEnd: (isReleased: boolean) => void,
): () => void {
  const target = currentTarget as HTMLElement
  target.setPointerCapture(pointerId)
  const stop = (): void => {
    target.onpointermove = target.onpointerup = target.onpointercancel = null
  }
  const end = ({ type }: PointerEvent): void => {
    stop()
    onEnd(type === 'pointerup')
  }
  target.onpointermove = onMove
  target.onpointerup = target.onpointercancel = end
  return stop
}
