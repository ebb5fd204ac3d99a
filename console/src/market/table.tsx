// The table of all feeds: price, change over an hour, age of the last tick, and a line of the last hour.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { maxAgeOf } from '../../../src/service/received.js'
import { admin, type FeedDefinition, type Market } from '../api'
import { formatChange, formatPrice, formatShortAge, matches, plural } from '../format'
import { actions, chosenFeed, feeds, inspection, sessionId, usePart, usePoll } from '../state'
import { useStore } from '../store'
import { Search, scrollToRow, useVisibleRows } from '../ui'

type Row = Market['feeds'][number]

const ROW_HEIGHT = 36
/** Points of a line, and real milliseconds until it is read again. */
const POINTS = 31
const LINE_MS = 5_000
/** Virtual seconds between two readings after which the lines are read again at once. */
const JUMP = 30

/** A line of the last hour, and the actions and jumps before it was read. */
interface Line {
  readonly points: readonly (number | null)[]
  readonly version: string
  readonly readAt: number
}

/** The table. It renders the rows in sight only, so that hundreds of feeds stay smooth. */
export function MarketTable() {
  const id = useStore(sessionId)
  const chosen = useStore(chosenFeed)
  const catalogue = useStore(feeds)
  const [search, setSearch] = useState('')
  const market = usePart('market', admin.market)
  const set = new Set(useStore(inspection)?.overrides.map(({ feed }) => feed))
  const lines = useRef(new Map<string, Line>())

  const [, showLines] = useState(0)
  const lastNow = useRef(0)
  const acted = useStore(actions)
  /** Lines that were read before an action or a jump are shown until the new ones arrive. */
  const [jumps, setJumps] = useState(0)

  useEffect(() => {
    if (market === undefined) return
    if (Math.abs(market.now - lastNow.current) > JUMP) setJumps(market.now)
    lastNow.current = market.now
  }, [market])
  // Another session has other prices.
  useEffect(() => {
    lines.current.clear()
  }, [id])

  const byId = useMemo(() => new Map(catalogue.map(feed => [feed.id, feed])), [catalogue])
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return (market?.feeds ?? []).filter(({ id }) => matches(search, id) || byId.get(id)?.class === wanted)
  }, [market, search, byId])
  const { ref, first, last, height } = useVisibleRows(rows.length, ROW_HEIGHT)
  const inSight = rows.slice(first, last)
  const namesInSight = inSight.map(row => row.id).join()

  const version = `${acted} ${jumps}`
  usePoll(
    async () => {
      const due = namesInSight.split(',').filter(name => {
        const line = lines.current.get(name)
        return name !== '' && (line?.version !== version || Date.now() - line.readAt > LINE_MS)
      })
      if (due.length === 0) return
      const next = await admin.lines(id, due, POINTS)
      if (id !== sessionId.get()) return
      for (const { id: name, points = [] } of next.feeds)
        lines.current.set(name, { points, version, readAt: Date.now() })
      showLines(count => count + 1)
    },
    2000,
    [id, namesInSight, version],
  )

  const move = (event: KeyboardEvent): void => {
    const at = rows.findIndex(row => row.id === chosen)
    const page = Math.max(1, Math.floor((ref.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1)
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + page,
      PageUp: at - page,
    }[event.key]
    if (to === undefined || rows.length === 0) return
    event.preventDefault()
    const index = Math.max(0, Math.min(rows.length - 1, to))
    chosenFeed.set(rows[index]!.id)
    scrollToRow(ref.current!, index, ROW_HEIGHT)
  }

  return (
    <section class="panel market-table" aria-label="Feeds">
      <div class="panel-head">
        <h2>Market</h2>
        {market !== undefined && <span class="muted count">{plural(rows.length, 'feed')}</span>}
        <Search label="Search feeds" value={search} onInput={setSearch} />
      </div>
      <div
        ref={ref}
        class="grid"
        role="grid"
        aria-label="Feeds: arrow keys choose one"
        aria-rowcount={rows.length + 1}
        aria-activedescendant={inSight.some(row => row.id === chosen) ? `feed-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={move}
      >
        <div class="grid-head feed-row" role="row" aria-rowindex={1}>
          <span role="columnheader">Feed</span>
          <span role="columnheader" class="number">
            Price
          </span>
          <span role="columnheader" class="number">
            1 h
          </span>
          <span role="columnheader" class="number">
            Age
          </span>
          <span role="columnheader" class="line-cell">
            Last hour
          </span>
        </div>
        <div role="rowgroup">
          <div role="presentation" class="grid-space" style={{ height: `${height}px` }}>
            {inSight.map((row, i) => (
              <FeedRow
                key={row.id}
                row={row}
                top={(first + i) * ROW_HEIGHT}
                index={first + i + 2}
                now={market!.now}
                feed={byId.get(row.id)}
                points={lines.current.get(row.id)?.points}
                isChosen={row.id === chosen}
                isSet={set.has(row.id)}
              />
            ))}
          </div>
          {market !== undefined && rows.length === 0 && <p class="empty">No feed matches "{search}".</p>}
        </div>
      </div>
    </section>
  )
}

interface FeedRowProps {
  readonly row: Row
  readonly top: number
  readonly index: number
  readonly now: number
  readonly feed: FeedDefinition | undefined
  readonly points: readonly (number | null)[] | undefined
  readonly isChosen: boolean
  /** Whether its price was set. */
  readonly isSet: boolean
}

function FeedRow({ row, top, index, now, feed, points, isChosen, isSet }: FeedRowProps) {
  const { id, price, ts, before } = row
  const age = ts === null ? undefined : now - ts
  const isStale = age !== undefined && feed !== undefined && age > maxAgeOf(feed)
  const change = price === null || before === null ? undefined : price / before - 1
  return (
    <div
      id={`feed-${id}`}
      class="feed-row"
      role="row"
      aria-rowindex={index}
      aria-selected={isChosen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => chosenFeed.set(id)}
    >
      <span role="gridcell" class="name" title={isSet ? `${id}: its price was set` : id}>
        {id}
        {isSet && (
          <span class="set-mark">
            {' '}
            ◆<span class="hidden"> set</span>
          </span>
        )}
      </span>
      <span role="gridcell" class="number price">
        {price === null ? <span class="gap-mark">no price</span> : <Price price={price} />}
      </span>
      <span role="gridcell" class="number change" data-way={change === undefined ? 'none' : wayOf(change)}>
        {change === undefined ? '–' : formatChange(change)}
      </span>
      <span role="gridcell" class="number age" data-stale={isStale}>
        {age === undefined ? (
          '–'
        ) : (
          <>
            {isStale && <span class="stale-word">stale </span>}
            {formatShortAge(age)}
          </>
        )}
      </span>
      <span role="gridcell" class="line-cell">
        <Sparkline points={points} way={change === undefined ? 'none' : wayOf(change)} />
      </span>
    </div>
  )
}

const wayOf = (change: number): 'up' | 'down' | 'none' => {
  const rounded = Math.round(change * 10_000)
  return rounded > 0 ? 'up' : rounded < 0 ? 'down' : 'none'
}

const LIT_MS = 700
const lit = new Set<HTMLElement>()

/** Lights up a price. All that change together go out together: an animation of each would paint every frame. */
function lightUp(element: HTMLElement, way: 'rose' | 'fell'): void {
  if (lit.size === 0) setTimeout(goOut, LIT_MS)
  lit.add(element)
  element.dataset.way = way
}

function goOut(): void {
  for (const element of lit) delete element.dataset.way
  lit.clear()
}

/** A price that lights up for a moment when it changes. */
function Price({ price }: { price: number }) {
  const ref = useRef<HTMLSpanElement>(null)
  const last = useRef(price)
  useEffect(() => {
    const before = last.current
    last.current = price
    if (before === price || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    lightUp(ref.current!, price > before ? 'rose' : 'fell')
  }, [price])
  return (
    <span ref={ref} class="tick">
      {formatPrice(price)}
    </span>
  )
}

const WIDTH = 72
const HEIGHT = 22

/** A line of the last hour. An hour without a price is a gap in it. */
function Sparkline({ points, way }: { points: readonly (number | null)[] | undefined; way: string }) {
  const path = useMemo(() => {
    const known = (points ?? []).filter(point => point !== null)
    if (points === undefined || known.length < 2) return ''
    const [low, high] = [Math.min(...known), Math.max(...known)]
    const range = high - low || 1
    let isPenDown = false
    return points
      .map((point, i) => {
        if (point === null) {
          isPenDown = false
          return ''
        }
        const command = isPenDown ? 'L' : 'M'
        isPenDown = true
        const x = (WIDTH * i) / (points.length - 1)
        return `${command}${x.toFixed(1)} ${(HEIGHT - 2 - ((HEIGHT - 4) * (point - low)) / range).toFixed(1)}`
      })
      .join('')
  }, [points])
  return (
    <svg
      class="sparkline"
      data-way={way}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}
