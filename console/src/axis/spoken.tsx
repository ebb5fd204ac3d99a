// The requests of the axis for keys and screen readers: a canvas has no words.
import type { TargetedKeyboardEvent } from 'preact'
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

/** The lanes as a grid: ↑ ↓ choose one, ← → Home and End open a request of it. */
export function RequestGrid({ requests }: { requests: readonly LiveEntry[] }) {
  const [row, setRow] = useState(0)
  const chosen = useStore(axis).request
  const latest = useThrottled(requests, TREE_MS)
  const lanes = useMemo(() => LANES.map(lane => ofLane(latest, lane)), [latest])
  // Made anew for a change only, because hundreds of cells take time.
  const rows = useMemo(
    () =>
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
      )),
    [lanes, row, chosen],
  )
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    // The tree may be two seconds behind.
    const list = ofLane(requests, LANES[row]!)
    const opened = chosen ?? Number.POSITIVE_INFINITY
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const find = {
      ArrowLeft: () => list.findLast(({ n }) => n < opened),
      ArrowRight: () => list.find(({ n }) => n > opened),
      Home: () => list[0],
      End: () => list.at(-1),
    }[event.key]
    if (move === undefined && find === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (move !== undefined) setRow(Math.min(LANES.length - 1, Math.max(0, row + move)))
    const next = find?.()
    if (next !== undefined) open({ request: next.n, fault: undefined, cursor: next.now })
  }
  const active = lanes[row]!.slice(-MAX_CELLS).some(({ n }) => n === chosen) ? `request-${chosen}` : `lane-${row}`
  return (
    <div
      role="grid"
      class="axis-request-grid"
      tabIndex={0}
      aria-label="Requests: up and down choose a lane, left and right a request"
      aria-activedescendant={active}
      onKeyDown={press}
    >
      {rows}
    </div>
  )
}

const ofLane = (requests: readonly LiveEntry[], lane: string): readonly LiveEntry[] =>
  requests.filter(({ endpoint, got }) => endpoint === lane && got !== undefined)

/** A lane in words: `evm: 12 requests, 2 stale, 1 forged`. */
const describeLane = (lane: string, list: readonly LiveEntry[]): string => `${lane}: ${describe(list)}`

/** How many requests there are, and how many of each kind are not fresh. */
function describe(list: readonly LiveEntry[], kind = 'request'): string {
  const trouble = GOT.filter(got => got !== 'fresh')
    .map(got => [list.filter(entry => entry.got === got).length, got] as const)
    .filter(([count]) => count > 0)
  return [plural(list.length, kind), ...trouble.map(([count, got]) => `${count} ${got}`)].join(', ')
}

/** Says at most every ten seconds which requests came. */
export function RequestNews() {
  const id = useStore(sessionId)
  const [text, setText] = useState('')
  useEffect(() => {
    // Those that are in the journal when the page opens are no news.
    let last: number | undefined
    const timer = setInterval(() => {
      const all = entries.get()
      const news = all.filter(({ n }) => n > (last ?? Number.POSITIVE_INFINITY))
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
