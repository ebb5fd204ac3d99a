// The lanes of the faults: their names, and windows that are moved, resized and drawn.
import { useEffect, useRef } from 'preact/hooks'
import type { Inspection } from '../api'
import type { FaultEntry } from '../faults/entry'
import { formatTime, plural } from '../format'
import { addFault, faultsOf, replaceFault } from '../scenario'
import { chosenFeed, inspection, notice } from '../state'
import { useStore } from '../store'
import { LANE_HEIGHT, toSecond, toX } from './draw'
import { type Drag, draggedWindow, edited, type Grip, gripAt, limitedBy, type Window } from './edit'
import { axis, followPointer, open, show } from './shown'
import { Kept, useLanes } from './spoken'
import type { View } from './view'

/** Pixels of a step of a drag. Shift takes seconds. */
const STEP = 4
/** The part of what is in sight that a new fault lasts, and that a key moves. */
const [NEW_PART, KEY_PART] = [1 / 8, 1 / 100]
/** Milliseconds between two presses that are one change. */
const KEY_MS = 250

/** The lanes. `widthOf` tells the pixels of the time in sight. */
export function FaultLanes({
  found,
  view,
  now,
  widthOf,
  drag,
  setDrag,
}: {
  found: Inspection | undefined
  view: View
  now: number
  widthOf: () => number
  drag: Drag | undefined
  setDrag: (drag: Drag | undefined) => void
}) {
  const feed = useStore(chosenFeed)
  const shown = useStore(axis)
  const lanes = useRef<HTMLDivElement>(null)
  /** The change that keys are making, and what was known of the session when it was sent. */
  const held = useRef<(Drag & { timer: ReturnType<typeof setTimeout>; sent?: Inspection | undefined }) | undefined>(
    undefined,
  )
  /** Presses that wait until the page has read the session after a change: until then, its windows are those before it. */
  const waiting = useRef<Parameters<typeof move>[]>([])
  const span = view.to - view.from
  const { faults, earlier } = found ?? { faults: [], earlier: [] }
  const hasEnded = found?.scenario.endedAt !== undefined
  const pace = Number(found?.scenario.source.pace ?? 1)

  const add = async ({ from, until }: Window): Promise<void> => {
    const length = `${Math.max(1, Math.round(((until ?? from) - from) * pace))}s`
    const wait = Math.round((from - now) * pace)
    const entry: FaultEntry = {
      fault: 'market/stale',
      feeds: [feed],
      for: length,
      ...(wait <= 0 ? {} : { from: `${wait}s` }),
      options: { age: '5m' },
    }
    if (await addFault(entry)) open({ fault: hasEnded ? 0 : faults.length, request: undefined })
  }
  const finish = ({ row, grip, window, by }: Drag): Promise<boolean> | undefined => {
    const entry = faultsOf(found)[row]
    if (entry !== undefined && by === 0) {
      open({ fault: row, request: undefined })
      return undefined
    }
    if (entry === undefined) {
      void add(draggedWindow(window, { grip, by: by === 0 ? Math.max(1, Math.round(span * NEW_PART)) : by }))
      return undefined
    }
    const when = inWords(draggedWindow(window, { grip, by }))
    return replaceFault(row, current => edited(current, grip, by, pace), `${entry.fault}: ${when}.`)
  }

  /** The thing to drag at a place of the lanes. */
  const dragAt = (event: PointerEvent): Drag | undefined => {
    const box = lanes.current!.getBoundingClientRect()
    const row = Math.floor((event.clientY - box.top) / LANE_HEIGHT)
    const x = event.clientX - box.left
    if (row > faults.length || x > widthOf()) return undefined
    if (row === faults.length) {
      const from = Math.max(now + 1, Math.floor(toSecond(x, view, widthOf())))
      return { row, grip: 'until', window: { from, until: from }, by: 0 }
    }
    const found = hasEnded ? undefined : gripAt(faults[row]!.windows, x, now, at => toX(at, view, widthOf()))
    return found && { row, ...found, by: 0 }
  }
  const press = (event: PointerEvent): void => {
    const start = dragAt(event)
    if (start === undefined) {
      const row = Math.floor((event.clientY - lanes.current!.getBoundingClientRect().top) / LANE_HEIGHT)
      if (row < faults.length) open({ fault: row, request: undefined })
      return
    }
    let last = start
    const end = (): void => {
      removeEventListener('keydown', cancel)
      setDrag(undefined)
    }
    const cancel = (key: KeyboardEvent): void => {
      if (key.key !== 'Escape') return
      key.stopImmediatePropagation()
      stop()
      end()
    }
    addEventListener('keydown', cancel, { capture: true, once: true })
    const follow = (move: PointerEvent): void => {
      const step = move.shiftKey ? 1 : Math.max(1, Math.round((STEP * span) / widthOf()))
      const wanted = Math.round(((move.clientX - event.clientX) * span) / widthOf() / step) * step
      const since = start.row === faults.length ? start.window.from - 1 : now
      const by = limitedBy(start.window, start.grip, wanted, since, faultsOf(found)[start.row], pace)
      if (by !== last.by) setDrag((last = { ...start, by }))
    }
    const stop = followPointer(event, follow, isReleased => {
      end()
      if (isReleased) void finish(last)
    })
  }
  const hover = (event: PointerEvent): void => {
    if (drag !== undefined) return
    const at = dragAt(event)
    const cursor =
      at === undefined ? 'pointer' : at.row === faults.length ? 'crosshair' : at.grip === 'both' ? 'grab' : 'ew-resize'
    lanes.current!.style.cursor = cursor
  }
  const key = (event: KeyboardEvent, row: number): void => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return
    event.preventDefault()
    event.stopPropagation()
    move(row, event.shiftKey ? 'until' : 'both', event.key === 'ArrowLeft' ? -1 : 1)
  }
  /** Moves a window, or its end, by a step. Presses in a row are one change, which is taken back as one. */
  const move = (row: number, grip: Grip, steps: number): void => {
    const last = held.current
    const isSent = last !== undefined && 'sent' in last
    if (isSent ? last.sent === found : last !== undefined && (last.row !== row || last.grip !== grip)) {
      waiting.current.push([row, grip, steps])
      return
    }
    const more = isSent ? undefined : last
    const window =
      more?.window ??
      faults[row]?.windows.find(({ from, until }) => (grip === 'both' ? from > now : until !== null && until > now))
    if (window === undefined || hasEnded) {
      notice.set({ text: 'Only what lies after now can be changed: the past is never redrawn.', isError: false })
      return
    }
    const wanted = (more?.by ?? 0) + steps * Math.max(1, Math.round(span * KEY_PART))
    const by = limitedBy(window, grip, wanted, now, faultsOf(found)[row], pace)
    clearTimeout(more?.timer)
    const next = { row, grip, window, by }
    setDrag(next)
    const timer = setTimeout(async () => {
      setDrag(undefined)
      held.current = { ...next, timer, sent: inspection.get() }
      if (by !== 0 && (await finish(next))) return
      held.current = undefined
      // Those after a change that failed are for windows that are not there.
      if (by === 0) moveOn()
      else waiting.current = []
    }, KEY_MS)
    held.current = { ...next, timer }
  }
  const moveOn = (): void => {
    for (const press of waiting.current.splice(0)) move(...press)
  }
  useEffect(moveOn, [found])

  const lanesInOrder = [...faults, undefined, ...earlier]
  const {
    row,
    setRow,
    press: choose,
  } = useLanes<Window>(lanesInOrder.length, {
    list: lane => lanesInOrder[lane]?.windows ?? [],
    place: ({ from }) => from,
    at: shown.cursor ?? now,
    choose: ({ from }) => show({ cursor: from }),
  })
  const enter = (lane: number): void => {
    setRow(lane)
    if (lane < faults.length) open({ fault: lane, request: undefined })
    else if (lane === faults.length && found !== undefined)
      void add({ from: now, until: now + Math.max(1, Math.round(span * NEW_PART)) })
  }
  const current = lanesInOrder[row]
  const chosen = current?.windows.find(({ from }) => from === shown.cursor)
  // Those of one lane, because hundreds of windows take time.
  const cells = () =>
    current?.windows.map(window => (
      <span role="gridcell" id={`fault-${row}-${window.from}`} key={window.from} aria-selected={window === chosen}>
        {`${current.fault}, ${inWords(window)}`}
      </span>
    ))

  return (
    <div class="axis-fault-scroll">
      <div
        role="grid"
        class="axis-names axis-fault-names"
        tabIndex={0}
        aria-label="Faults: up and down choose one, left and right a window, Enter opens it"
        aria-activedescendant={`fault-${row}${chosen === undefined ? '' : `-${chosen.from}`}`}
        aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+Shift+ArrowLeft Alt+Shift+ArrowRight"
        title="Alt with ← or → moves it, with Shift its end"
        onKeyDown={event => {
          if (event.target !== event.currentTarget) return
          if (event.key === 'Enter') enter(row)
          else if (row < faults.length) key(event, row)
          choose(event)
        }}
      >
        {lanesInOrder.map((lane, i) => {
          const isOver = i > faults.length
          const words = lane && describe(lane, now, isOver)
          return (
            <div
              role="row"
              id={`fault-${i}`}
              class="axis-name"
              key={lane === undefined ? 'add' : i}
              aria-label={words}
              aria-selected={shown.fault === i}
              title={words}
              data-current={i === row}
              data-active={i < faults.length && faults[i]!.active}
              onClick={() => enter(i)}
            >
              {lane === undefined ? (
                <span role="gridcell">
                  <button type="button" class="link" disabled={found === undefined}>
                    + fault
                  </button>
                </span>
              ) : (
                <span role="rowheader" class={isOver ? 'muted' : ''}>
                  {isOver ? <s>{shortOf(lane)}</s> : shortOf(lane)} <small class="muted">{lane.planned}</small>
                </span>
              )}
              <span class="hidden">{i === row && <Kept by={[current, row, chosen]}>{cells}</Kept>}</span>
            </div>
          )
        })}
      </div>
      <div class="axis-faults" ref={lanes} onPointerDown={press} onPointerMove={hover}>
        <canvas aria-hidden="true" />
        {found !== undefined && faults.length === 0 && drag === undefined && (
          <p class="axis-hint muted">No faults. Drag here to plan one.</p>
        )}
        {drag !== undefined && <DragNote drag={drag} view={view} width={widthOf()} />}
        <ol class="axis-counts">
          {[
            ...faults.map(({ hits, hitsBefore }) => hits + hitsBefore),
            undefined,
            ...earlier.map(({ hits }) => hits),
          ].map((hits, i) => (
            <li key={i}>{hits === undefined ? '\u00a0' : plural(hits, 'hit')}</li>
          ))}
        </ol>
      </div>
    </div>
  )
}

/** The name of a fault without its stage. */
const shortOf = ({ fault }: Pick<Inspection['faults'][number], 'fault'>): string => fault.slice(fault.indexOf('/') + 1)

/** A lane in words, with the window that is open or comes next, or else the last one in sight. */
function describe(lane: Inspection['earlier'][number] & { hitsBefore?: number }, now: number, isOver: boolean): string {
  const { fault, planned, windows, hits, hitsBefore = 0 } = lane
  const one = windows.find(({ until }) => until === null || until > now) ?? windows.at(-1)
  return [
    `${fault} ${planned}`,
    ...(one ? [inWords(one)] : []),
    plural(hits + hitsBefore, 'hit'),
    ...(isOver ? ['until it was taken out'] : []),
  ].join(', ')
}

const inWords = ({ from, until }: Window): string =>
  `${formatTime(from)} to ${until === null ? 'its end by hand' : formatTime(until)}`

const NOTE_WIDTH = 164

/** The times of a window while it is dragged. */
function DragNote({ drag, view, width }: { drag: Drag; view: View; width: number }) {
  const { from, until } = draggedWindow(drag.window, drag)
  const right = toX(until ?? view.to, view, width) + 8
  // Beside the window, which it would hide.
  const x = right + NOTE_WIDTH < width ? right : Math.max(0, toX(from, view, width) - NOTE_WIDTH - 8)
  return (
    <output class="axis-drag" style={{ transform: `translate(${x}px, ${drag.row * LANE_HEIGHT}px)` }}>
      {formatTime(from)} – {until === null ? 'by hand' : `${formatTime(until)}, ${until - from} s`}
    </output>
  )
}
