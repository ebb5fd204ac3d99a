// The axis: one time from left to right. Above what the market did and will do, in the middle the faults, below what the app got.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { MAX_JOURNAL_ENTRIES } from '../../../src/service/journal.js'
import { GOT } from '../../../src/service/received.js'
import { admin, type Inspection } from '../api'
import { toggleClock } from '../changes'
import { readColours } from '../colours'
import { formatAge, formatInstant, formatShortAge, formatTime } from '../format'
import { EntryDetail } from '../journal/entry'
import type { LiveEntry } from '../journal/events'
import { entries } from '../journal/live'
import { faultsOf } from '../scenario'
import {
  chosenFeed,
  feeds,
  inspection,
  refreshAll,
  session,
  sessionId,
  shownSecond,
  usePart,
  windowRange,
} from '../state'
import { useStore } from '../store'
import { onColours } from '../theme'
import { Panel } from '../ui'
import {
  type Counted,
  countBy,
  drawCandles,
  drawFaults,
  drawRequests,
  drawRuler,
  LANE_HEIGHT,
  type Lane,
  requestAt,
  SCALE_WIDTH,
  timeOf,
  toSecond,
  toSheet,
  toX,
} from './draw'
import { type Drag, draggedWindow } from './edit'
import { DrawAhead, PriceHandle, type Scale } from './handle'
import { FaultLanes } from './lanes'
import { FaultDetail, Legend, NoRequests, Prices, SecondDetail } from './parts'
import { axis, followPointer, open, show } from './shown'
import { RequestGrid, RequestNews } from './spoken'
import {
  CANDLE_STEPS,
  LANES,
  type LaneName,
  limitedSpan,
  RULER_STEPS,
  secondsOf,
  stepOf,
  toggled,
  toKnown,
  viewOf,
  zoomed,
} from './view'

/** Feeds beside the chosen one whose prices are shown. */
const OTHERS = 6
/** Milliseconds between two drawings while requests come. */
const DRAW_MS = 250

/** The page. */
export function AxisPage() {
  const shown = useStore(axis)
  const id = useStore(sessionId)
  const feed = useStore(chosenFeed)
  const now = useStore(shownSecond)
  const found = useStore(inspection)
  const live = useStore(entries, DRAW_MS)
  const catalogue = useStore(feeds)
  const isFrozen = useStore(session)?.clock.frozen === true
  const { span, from, cursor, got, lanes } = shown
  const view = viewOf(shown, now ?? 0)
  const step = stepOf(CANDLE_STEPS, span, 110)
  useWindows(shown)
  const isOpen = shown.request !== undefined || shown.fault !== undefined
  const inspector = useInspector(isOpen)
  const candles = usePart(feed === '' ? undefined : `axis ${id} ${feed} ${step}`, (session, at) => {
    const { from, to } = secondsOf(viewOf(axis.get(), at))
    return admin.candles(session, feed, from, to, step)
  })
  const names = [
    feed,
    ...catalogue
      .map(one => one.id)
      .filter(one => one !== feed)
      .slice(0, OTHERS),
  ].join()
  const market = usePart(feed === '' ? undefined : `axis market ${id} ${names} ${cursor ?? 'now'}`, (session, at) =>
    admin.prices(session, names.split(','), cursor ?? at),
  )
  const faults = useMemo(
    () =>
      (found?.faults ?? []).map((fault, i) => {
        const entry = faultsOf(found)[i]
        return { ...fault, isThin: entry?.chance !== undefined || entry?.requests !== undefined }
      }),
    [found],
  )
  const requests = useMemo(
    () =>
      live.filter(entry => timeOf(entry) >= view.from && timeOf(entry) <= view.to && timeOf(entry) < (now ?? 0) + 1),
    [live, view.from, view.to, now],
  )
  const oldest = live[0]
  const since = oldest === undefined || oldest.n === 1 ? undefined : timeOf(oldest)
  const counted = usePart(since === undefined ? undefined : `axis counts ${id}`, (session, at) => {
    const { from, to } = secondsOf(viewOf(axis.get(), at))
    return admin.counts(session, from, to, Math.ceil(axis.get().span / 200))
  })
  const older = useMemo(() => withoutKept(counted?.bins ?? [], live, since ?? 0), [counted, live, since])
  const counts = useMemo(() => {
    const all = countBy(requests)
    for (const { got } of older) for (const kind of GOT) all[kind] += got[kind] ?? 0
    return all
  }, [requests, older])
  const isShown = ({ got: kind, endpoint }: Pick<LiveEntry, 'got' | 'endpoint'>): boolean =>
    (got.length === 0 || got.includes(kind!)) && (lanes.length === 0 || lanes.includes(endpoint as LaneName))
  const shownRequests = useMemo(() => requests.filter(isShown), [requests, got, lanes])

  const [drag, setDrag] = useState<Drag | undefined>(undefined)
  const [isDrawing, setIsDrawing] = useState(false)
  const [scale, setScale] = useState<Scale | undefined>(undefined)

  // ---- Drawing: once for each frame, change of the view and batch of requests; nothing while nothing changes.
  const root = useRef<HTMLDivElement>(null)
  const [paints, repaint] = useState(0)
  useEffect(() => {
    const again = () => repaint(count => count + 1)
    const observer = new ResizeObserver(again)
    observer.observe(root.current!)
    const stop = onColours(again)
    return () => {
      observer.disconnect()
      stop()
    }
  }, [])
  const colour = useMemo(() => (root.current === null ? undefined : readColours(root.current)), [paints])
  // In the frame of the words, so that both always show the same second.
  useLayoutEffect(() => {
    if (colour === undefined || now === undefined) return
    const width = widthOf()
    const sheetOf = (name: string) =>
      toSheet(root.current!.querySelector<HTMLCanvasElement>(`.axis-${name} canvas`)!, view, width, colour)
    if (candles !== undefined) {
      const next = drawCandles(sheetOf('chart'), candles, step, now, market?.feeds[0]?.price)
      setScale(before => (JSON.stringify(before) === JSON.stringify(next) ? before : next))
    }
    drawRuler(sheetOf('ruler'), eventsOf(found))
    drawFaults(sheetOf('faults'), [...withDrag(faults, drag), ...(found?.earlier ?? [])], requests, now)
    drawRequests(sheetOf('requests'), requests, older, since, shown.request, isShown)
  })

  // ---- Pointer and keyboard.
  const widthOf = (): number => root.current!.querySelector('.axis-chart canvas')!.clientWidth - SCALE_WIDTH
  const xOf = (event: MouseEvent): number =>
    event.clientX - root.current!.querySelector('.axis-chart canvas')!.getBoundingClientRect().left
  const secondOf = (event: MouseEvent): number => toKnown(toSecond(xOf(event), view, widthOf()))
  // The view may have changed since the last drawing: keys come faster, also before the session is read.
  const pan = (seconds: number): void => {
    const at = shownSecond.get()
    if (at !== undefined) show({ from: Math.max(0, viewOf(axis.get(), at).from + seconds) })
  }
  const moveCursor = (seconds: number): void => {
    const at = axis.get().cursor ?? shownSecond.get()
    if (at !== undefined) show({ cursor: toKnown(at + seconds) })
  }
  const grab = (event: PointerEvent): void => {
    if (now === undefined) return
    const start = { x: event.clientX, from: view.from, hasMoved: false }
    followPointer(
      event,
      move => {
        if (Math.abs(move.clientX - start.x) > 3) start.hasMoved = true
        if (start.hasMoved) show({ from: Math.max(0, start.from - ((move.clientX - start.x) / widthOf()) * span) })
      },
      isReleased => isReleased && !start.hasMoved && show({ cursor: secondOf(event) }),
    )
  }
  const zoom = (event: WheelEvent): void => {
    event.preventDefault()
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey
    if (isSideways) pan(((event.deltaX || event.deltaY) / widthOf()) * span)
    else show(zoomed(axis.get(), event.deltaY > 0 ? 1.25 : 0.8, secondOf(event)))
  }
  // Preact listens passively to wheels, which then scroll the page.
  useEffect(() => {
    const chart = root.current!.querySelector<HTMLElement>('.axis-chart')!
    chart.addEventListener('wheel', zoom, { passive: false })
    return () => chart.removeEventListener('wheel', zoom)
  })
  const openNext = (by: 1 | -1): void => {
    const trouble = live.filter(entry => entry.got !== undefined && entry.got !== 'fresh' && isShown(entry))
    const at = trouble.findIndex(({ n }) => n === axis.get().request)
    const next = at < 0 ? trouble.at(by === 1 ? 0 : -1) : trouble[at + by]
    if (next !== undefined) open({ request: next.n, cursor: next.now })
  }
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // The listener ends only after the paint in which the page has gone.
      if (root.current === null) return
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || target.closest('input, select, textarea, dialog')) return
      if (event.key === ' ' && target.closest('a, button, summary') !== null) return
      const shown = axis.get()
      const { cursor, span } = shown
      const grid = stepOf(RULER_STEPS, span, widthOf() / 92)
      const action = {
        ArrowLeft: () => moveCursor(event.shiftKey ? -grid : -1),
        ArrowRight: () => moveCursor(event.shiftKey ? grid : 1),
        '+': () => show(zoomed(shown, 0.5, cursor)),
        '-': () => show(zoomed(shown, 2, cursor)),
        PageUp: () => pan(-span / 2),
        PageDown: () => pan(span / 2),
        l: followNow,
        Escape: () => open({ request: undefined, fault: undefined, cursor: undefined, from: undefined }),
        n: () => openNext(1),
        p: () => openNext(-1),
        j: () => {
          location.hash = '#/journal'
        },
        ' ': () => void toggleClock(),
      }[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      const isInList = event.key.startsWith('Page') || event.key.startsWith('Arrow')
      if (action === undefined || (isInList && target.closest('pre, .axis-inspector') !== null)) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })

  const place = (second: number | undefined): string | undefined => {
    const width = root.current === null ? 0 : widthOf()
    const x = second === undefined ? -1 : toX(second, view, width)
    return x < 0 || x > width ? undefined : `translateX(${x}px)`
  }
  const entry = live.find(({ n }) => n === shown.request)
  const at = cursor ?? now
  return (
    <div class="axis-page" data-open={isOpen} data-ready={candles !== undefined} ref={root}>
      <h2 class="hidden">Axis of {feed}</h2>
      <div
        class="axis"
        style={{
          '--faults': `${(faults.length + 1 + (found?.earlier.length ?? 0)) * LANE_HEIGHT}px`,
          '--scale': `${SCALE_WIDTH}px`,
        }}
      >
        <Prices market={market} feed={feed} found={found} at={at} isPast={cursor !== undefined} catalogue={catalogue} />
        <div class="axis-chart" onPointerDown={grab}>
          <canvas aria-hidden="true" />
          {candles === undefined && <p class="axis-note">Reading the market …</p>}
          {candles?.served === null && <p class="axis-note">The faults make this time too costly to show.</p>}
          {candles?.served?.length === 0 && <p class="axis-note">{feed} has no price in this time.</p>}
          {scale !== undefined && cursor === undefined && market?.feeds[0]?.price != null && (
            <PriceHandle key={feed} feed={feed} price={market.feeds[0].price} scale={scale} />
          )}
          {scale !== undefined && isDrawing && (
            <DrawAhead
              feed={feed}
              view={view}
              now={now ?? 0}
              width={widthOf()}
              scale={scale}
              pace={Number(found?.scenario.source.pace ?? 1)}
              onEnd={() => setIsDrawing(false)}
            />
          )}
        </div>
        <div class="axis-tools">
          <button
            type="button"
            class="button small"
            aria-label="Zoom out"
            onClick={() => show(zoomed(shown, 2, cursor))}
          >
            −
          </button>
          <button
            type="button"
            class="button small"
            aria-label="Zoom in"
            onClick={() => show(zoomed(shown, 0.5, cursor))}
          >
            +
          </button>
          <span class="muted">{formatShortAge(limitedSpan(span))}</span>
          <button
            type="button"
            class="button small"
            aria-pressed={isDrawing}
            aria-label="Draw ahead"
            title="Draw the price ahead of now"
            onClick={() => {
              followNow()
              setIsDrawing(!isDrawing)
            }}
          >
            ✎
          </button>
          <button
            type="button"
            class="button small push"
            aria-pressed={from === undefined && cursor === undefined}
            title="Go to now"
            onClick={followNow}
          >
            Live
          </button>
        </div>
        <div
          class="axis-ruler"
          role="slider"
          tabIndex={0}
          aria-label="Time"
          aria-valuemin={Math.floor(view.from)}
          aria-valuemax={Math.ceil(view.to)}
          aria-valuenow={at ?? 0}
          aria-valuetext={describeTime(at, now)}
          onPointerDown={grab}
        >
          <canvas aria-hidden="true" />
        </div>
        <FaultLanes found={found} view={view} now={now ?? 0} widthOf={widthOf} drag={drag} setDrag={setDrag} />
        <div class="axis-names axis-request-names">
          {LANES.map(lane => (
            <button
              type="button"
              class="axis-name"
              key={lane}
              aria-pressed={lanes.includes(lane)}
              title={`Show only the requests of ${lane}`}
              onClick={() => show({ lanes: toggled(lanes, lane) })}
            >
              {lane}
            </button>
          ))}
        </div>
        <div
          class="axis-requests"
          style={{ height: `${LANES.length * LANE_HEIGHT}px` }}
          onClick={event => {
            const box = event.currentTarget.getBoundingClientRect()
            const near = requestAt(shownRequests, xOf(event), event.clientY - box.top, view, widthOf())
            if (near !== undefined) open({ request: near.n, fault: undefined, cursor: near.now })
          }}
        >
          <canvas aria-hidden="true" />
          <RequestGrid requests={shownRequests} />
          <NoRequests count={live.length} feed={feed} />
          <ol class="axis-counts">
            {LANES.map(lane => (
              <li key={lane}>
                {requests.filter(({ endpoint }) => endpoint === lane).length +
                  older.reduce((sum, { endpoint, got }) => sum + (endpoint === lane ? sumOf(got) : 0), 0)}
              </li>
            ))}
          </ol>
        </div>
        <div class="axis-over" aria-hidden="true">
          <i class="axis-line" data-line="now" style={{ transform: place(now) }} hidden={place(now) === undefined}>
            {isFrozen ? 'frozen' : 'now'}
          </i>
          <i
            class="axis-line"
            data-line="cursor"
            style={{ transform: place(cursor) }}
            hidden={place(cursor) === undefined}
          >
            {cursor === undefined ? '' : formatTime(cursor)}
          </i>
        </div>
        <Legend counts={counts} chosen={got} />
        <RequestNews />
      </div>
      <aside class="axis-inspector" aria-label="Inspector" tabIndex={-1} ref={inspector}>
        {shown.request !== undefined ? (
          entry === undefined ? (
            <Panel title={`Request ${shown.request}`}>
              It is not in the journal, which keeps the newest {MAX_JOURNAL_ENTRIES}.
            </Panel>
          ) : (
            <EntryDetail entry={entry} onClose={() => open({ request: undefined })} />
          )
        ) : shown.fault !== undefined && faults[shown.fault] !== undefined ? (
          <FaultDetail index={shown.fault} found={found!} />
        ) : (
          <SecondDetail
            at={at}
            feed={feed}
            found={found}
            live={live}
            candle={candles?.served?.find(({ time }) => time <= (at ?? 0) && (at ?? 0) < time + step)}
            step={step}
          />
        )}
      </aside>
    </div>
  )
}

/** Gives the focus back when the inspector closes. On a phone it is a sheet over the page, and takes the focus as well. */
function useInspector(isOpen: boolean) {
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const inspector = ref.current!
    const opener = document.activeElement as HTMLElement
    if (getComputedStyle(inspector).position === 'fixed') {
      // The arrow keys go on from request to request.
      if (!opener.matches('.axis-request-grid:focus-visible')) inspector.focus()
      document.querySelector('.axis-requests')!.scrollIntoView({ block: 'end' })
    }
    return () => {
      const now = document.activeElement
      if (now === document.body || inspector.contains(now)) opener.focus()
    }
  }, [isOpen])
  return ref
}

const followNow = (): void => show({ from: undefined, cursor: undefined })

/** Asks for the windows of faults in sight, those closer together than two pixels as one. */
function useWindows({ span, from }: { span: number; from?: number | undefined }): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      windowRange.set(now => ({ ...secondsOf(viewOf({ span, from }, now)), bin: Math.max(1, Math.round(span / 500)) }))
      refreshAll()
    }, 60)
    return () => clearTimeout(timer)
  }, [span, from])
}

const sumOf = (counts: Counted['got']): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The counts without the requests that are still kept. */
function withoutKept(counted: readonly Counted[], kept: readonly LiveEntry[], since: number): readonly Counted[] {
  return counted.flatMap(bin => {
    if (bin.from > since) return []
    if (bin.until <= since) return bin
    const own = countBy(kept.filter(one => one.endpoint === bin.endpoint && one.now >= bin.from && one.now < bin.until))
    const got = Object.fromEntries(GOT.map(kind => [kind, Math.max(0, (bin.got[kind] ?? 0) - own[kind])]))
    return [{ ...bin, got }]
  })
}

/** The windows as they will be after a drag, and last the lane for new ones. */
function withDrag(faults: readonly Lane[], drag: Drag | undefined): readonly Lane[] {
  return [...faults, { windows: [] }].map((lane, row) => {
    if (drag?.row !== row) return lane
    const windows = row === faults.length ? [drag.window] : lane.windows
    return { ...lane, windows: windows.map(window => draggedWindow(window, drag)) }
  })
}

/** The changes of the session: the start and the end of the scenario, and prices that were set. */
function eventsOf(found: Inspection | undefined): { at: number; text: string }[] {
  if (found === undefined) return []
  const { name, appliedAt, endedAt } = found.scenario
  return [
    ...(found.faults.length === 0 ? [] : [{ at: appliedAt, text: name === 'inline' ? 'your faults' : name }]),
    ...(endedAt === undefined ? [] : [{ at: endedAt, text: 'ended' }]),
    ...found.overrides.map(({ feed, since }) => ({ at: since, text: `${feed} set` })),
  ]
}

function describeTime(at: number | undefined, now: number | undefined): string {
  if (at === undefined || now === undefined) return ''
  const distance = at === now ? 'now' : `${formatAge(Math.abs(now - at))} ${at < now ? 'before' : 'after'} now`
  return `${formatInstant(at)} UTC, ${distance}`
}
