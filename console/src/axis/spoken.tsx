// The requests of the axis for keys and screen readers: a canvas has no words.
import type { Component, ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { GOT } from '../../../src/service/received.js'
import { formatTime, plural } from '../format'
import type { LiveEntry } from '../journal/events'
import { entries } from '../journal/live'
import { sessionId } from '../state'
import { useStore, useThrottled } from '../store'
import { LANE_HEIGHT } from './draw'
import { axis, open } from './shown'
import { LANES } from './view'

/** The newest requests of a lane, which stand in the tree. */
const MAX_CELLS = 200
const TREE_MS = 2000
const NEWS_MS = 10_000

/** The keys of a grid of lanes: ↑ ↓ choose one, ← → Home and End a thing in it; these are in the order of their places. */
export function useLanes<T>(
  count: number,
  {
    list,
    place,
    at,
    choose,
  }: {
    readonly list: (row: number) => readonly T[]
    readonly place: (thing: T) => number
    /** The place from which ← and → go on. */
    readonly at: number
    readonly choose: (thing: T) => void
  },
) {
  const [wanted, setRow] = useState(0)
  // Lanes may have gone.
  const row = Math.min(wanted, count - 1)
  const press = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const things = list(row)
    const next = row + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0)
    const found = {
      ArrowLeft: () => things.findLast(thing => place(thing) < at),
      ArrowRight: () => things.find(thing => place(thing) > at),
      Home: () => things[0],
      End: () => things.at(-1),
    }[event.key]
    if (next === row && found === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const thing = found?.()
    if (thing !== undefined) choose(thing)
    if (next < 0 || next >= count) return
    setRow(next)
    event.currentTarget.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  return { row, setRow, press }
}

/**
 * Renders its children again only when something in `by` has changed. Elements kept by `useMemo` would keep the page in which they were
 * rendered first, which keeps the one before, without end.
 */
export function Kept(this: Component<KeptProps>, { children }: KeptProps) {
  this.shouldComponentUpdate = next => next.by.some((one, i) => one !== this.props.by[i])
  return children()
}

interface KeptProps {
  readonly by: readonly unknown[]
  readonly children: () => ComponentChildren
}

/** The requests as a grid, whose keys open them. */
export function RequestGrid({ requests }: { requests: readonly LiveEntry[] }) {
  const chosen = useStore(axis).request
  const { row, press } = useLanes<LiveEntry>(LANES.length, {
    // The tree may be two seconds behind.
    list: lane => ofLane(requests, LANES[lane]!),
    place: ({ n }) => n,
    at: chosen ?? Number.POSITIVE_INFINITY,
    choose: ({ n, now }) => open({ request: n, fault: undefined, cursor: now }),
  })
  const latest = useThrottled(requests, TREE_MS)
  const lanes = useMemo(() => LANES.map(lane => ofLane(latest, lane)), [latest])
  // Made anew for a change only, because hundreds of cells take time.
  const rows = () =>
    lanes.map((list, i) => (
      <div
        role="row"
        id={`lane-${i}`}
        key={LANES[i]}
        aria-label={describeLane(LANES[i]!, list)}
        data-current={i === row}
        style={{ height: `${LANE_HEIGHT}px` }}
      >
        <span role="rowheader" class="hidden">
          {LANES[i]}
        </span>
        <span class="hidden">
          {list.slice(-MAX_CELLS).map(({ n, endpoint, got, now }) => (
            <span role="gridcell" id={`request-${n}`} key={n} aria-selected={n === chosen}>
              {`request ${n}, ${endpoint}, ${got}, ${formatTime(now)}`}
            </span>
          ))}
        </span>
      </div>
    ))
  const active = lanes[row]!.slice(-MAX_CELLS).some(({ n }) => n === chosen) ? `request-${chosen}` : `lane-${row}`
  return (
    <div
      role="grid"
      class="axis-request-grid"
      tabIndex={0}
      aria-label="Requests: up and down choose a lane, left and right a request, Enter opens it"
      aria-activedescendant={active}
      onKeyDown={event => {
        if (event.key === 'Enter') document.querySelector<HTMLElement>('.axis-inspector')?.focus()
        press(event)
      }}
    >
      <Kept by={[lanes, row, chosen]}>{rows}</Kept>
    </div>
  )
}

const ofLane = (requests: readonly LiveEntry[], lane: string): readonly LiveEntry[] =>
  requests.filter(({ endpoint, got }) => endpoint === lane && got !== undefined)

/** A lane in words: `evm: 12 requests, 2 stale, 1 forged`. */
const describeLane = (lane: string, list: readonly LiveEntry[]): string => `${lane}: ${describe(list)}`

/** How many requests there are, and how many of each kind are not fresh. */
function describe(list: readonly LiveEntry[], kind = 'request'): string {
  const trouble = GOT.map(got => [list.filter(entry => entry.got === got).length, got] as const).filter(
    ([count, got]) => count > 0 && got !== 'fresh',
  )
  return [plural(list.length, kind), ...trouble.map(([count, got]) => `${count} ${got}`)].join(', ')
}

/** Says at most every ten seconds which requests came. */
export function RequestNews() {
  const id = useStore(sessionId)
  const [text, setText] = useState('')
  useEffect(() => {
    // Those that are in the journal when the page opens are no news.
    let last = Number.POSITIVE_INFINITY
    const timer = setInterval(() => {
      const all = entries.get()
      const news = all.filter(({ n }) => n > last)
      last = all.at(-1)?.n ?? 0
      if (news.length > 0) setText(describe(news, 'new request'))
    }, NEWS_MS)
    return () => clearInterval(timer)
  }, [id])
  return (
    <p class="hidden" role="status" aria-label="New requests">
      {text}
    </p>
  )
}
