// The journal: requests as they come, with a filter, and the detail of one of them.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { MAX_JOURNAL_ENTRIES } from '../../../src/service/journal.js'
import { LANES } from '../axis/view'
import { formatDuration, formatTime, matches, plural } from '../format'
import { act } from '../state'
import { useStore } from '../store'
import { Badge, Confirm, GotMark, Panel, Search, scrollToRow, statusTone, useAddress, useVisibleRows } from '../ui'
import { EntryDetail } from './entry'
import type { LiveEntry } from './events'
import { clearJournal, entries, isLive, journalVersion } from './live'

const ROW_HEIGHT = 34

/** The page. */
export function JournalPage() {
  const live = useStore(entries)
  const isConnected = useStore(isLive)
  const [paused, setPaused] = useState<readonly LiveEntry[]>()
  const [search, setSearch] = useState('')
  const [endpoint, setEndpoint] = useState('')
  const [status, setStatus] = useState('')
  const [openId, setOpenId] = useState<number>()
  const [wanted, setWanted] = useState(numberInAddress)
  useAddress(() => {
    setWanted(numberInAddress())
    setOpenId(undefined)
  })
  const journal = useStore(journalVersion)
  // Requests are asked for by number: those that were kept would be explained as others of the new journal.
  useEffect(() => {
    setPaused(undefined)
    setOpenId(undefined)
  }, [journal])
  useEffect(() => {
    const found = live.find(({ n }) => n === wanted)
    if (found === undefined) return
    setOpenId(found.id)
    setWanted(undefined)
  }, [live, wanted])

  const all = paused ?? live
  const shown = useMemo(
    () => all.filter(entry => isShown(entry, search, endpoint, status)).reverse(),
    [all, search, endpoint, status],
  )
  const open = all.find(({ id }) => id === openId) ?? live.find(({ id }) => id === openId)
  const waiting = paused === undefined ? 0 : live.filter(({ id }) => id > (paused.at(-1)?.id ?? 0)).length

  return (
    <div class={open === undefined ? 'journal-page' : 'journal-page with-detail'}>
      <Panel
        title="Journal"
        class="journal"
        side={
          <>
            <span class="live" data-live={isConnected}>
              {isConnected ? 'live' : 'connecting'}
            </span>
            <span class="muted count">{plural(shown.length, 'request')}</span>
            <span class="push" />
            <button
              type="button"
              class="button small"
              aria-pressed={paused !== undefined}
              onClick={() => setPaused(paused === undefined ? live : undefined)}
            >
              {paused === undefined ? 'Pause' : `Resume (${waiting} new)`}
            </button>
            <Confirm
              label="Clear"
              ask={async () =>
                live.length === 0
                  ? undefined
                  : `Clear the journal? ${plural(live.length, 'request')} and all verdicts are gone for good. Counters, clock and faults stay.`
              }
              onConfirm={() => act('The journal is empty.', clearJournal)}
            />
          </>
        }
      >
        <div class="filters">
          <Search
            label="Filter by path or fault"
            placeholder="Path, fault, or forged"
            value={search}
            onInput={setSearch}
          />
          <label class="inline-label">
            <span>Endpoint</span>
            <select value={endpoint} onChange={event => setEndpoint(event.currentTarget.value)}>
              <option value="">all</option>
              {LANES.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="inline-label">
            <span>Status</span>
            <select value={status} onChange={event => setStatus(event.currentTarget.value)}>
              <option value="">all</option>
              <option value="2">2xx</option>
              <option value="4">4xx</option>
              <option value="5">5xx</option>
              <option value="0">no reply</option>
              <option value="fault">with faults</option>
            </select>
          </label>
        </div>
        {wanted !== undefined && open === undefined && live.length > 0 && (
          <p class="muted">
            Request {wanted} is not in the journal, which keeps the newest {MAX_JOURNAL_ENTRIES}.
          </p>
        )}
        <RequestList
          shown={shown}
          openId={openId}
          onOpen={setOpenId}
          isFiltered={shown.length < all.length}
          isKnown={isConnected}
        />
      </Panel>
      {open !== undefined && <EntryDetail key={open.receivedAt} entry={open} onClose={() => setOpenId(undefined)} />}
    </div>
  )
}

/** The request of an address such as `#/journal/17`, by its number. */
function numberInAddress(): number | undefined {
  const [, n] = /^#\/journal\/(\d+)$/.exec(location.hash) ?? []
  return n === undefined ? undefined : Number(n)
}

interface RequestListProps {
  readonly shown: readonly LiveEntry[]
  readonly openId: number | undefined
  readonly onOpen: (id: number) => void
  readonly isFiltered: boolean
  /** Whether the journal was read. */
  readonly isKnown: boolean
}

function RequestList({ shown, openId, onOpen, isFiltered, isKnown }: RequestListProps) {
  const { ref, first, last, height } = useVisibleRows(shown.length, ROW_HEIGHT)
  const inSight = shown.slice(first, last)
  // A chosen row stays in sight while it moves with the arrow keys.
  const move = (event: KeyboardEvent): void => {
    const at = shown.findIndex(({ id }) => id === openId)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key]
    if (to === undefined || shown.length === 0) return
    event.preventDefault()
    const index = Math.max(0, Math.min(shown.length - 1, to))
    onOpen(shown[index]!.id)
    scrollToRow(ref.current!, index, ROW_HEIGHT)
  }
  return (
    <div
      ref={ref}
      class="grid"
      role="grid"
      aria-label="Requests: arrow keys choose one"
      aria-rowcount={shown.length + 1}
      tabIndex={0}
      onKeyDown={move}
      aria-activedescendant={inSight.some(({ id }) => id === openId) ? `request-${openId}` : undefined}
    >
      <div class="grid-head request-row" role="row" aria-rowindex={1}>
        <span role="columnheader">Time</span>
        <span role="columnheader">Endpoint</span>
        <span role="columnheader" class="target">
          Request
        </span>
        <span role="columnheader">Status</span>
        <span role="columnheader" class="faults">
          Faults
        </span>
        <span role="columnheader" class="number">
          Duration
        </span>
      </div>
      <div role="rowgroup">
        <div role="presentation" class="grid-space" style={{ height: `${height}px` }}>
          {inSight.map((entry, i) => (
            <RequestRow
              key={entry.id}
              entry={entry}
              index={first + i + 2}
              top={(first + i) * ROW_HEIGHT}
              isOpen={entry.id === openId}
              onOpen={onOpen}
            />
          ))}
        </div>
        {shown.length === 0 && (
          <p class="empty">
            {isFiltered
              ? 'No request matches the filter.'
              : isKnown
                ? 'No requests yet. Point your app at the base URL of this session.'
                : 'Reading the journal …'}
          </p>
        )}
      </div>
    </div>
  )
}

function RequestRow({
  entry,
  index,
  top,
  isOpen,
  onOpen,
}: {
  entry: LiveEntry
  index: number
  top: number
  isOpen: boolean
  onOpen: (id: number) => void
}) {
  return (
    <div
      id={`request-${entry.id}`}
      class="request-row"
      role="row"
      aria-rowindex={index}
      aria-selected={isOpen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(entry.id)}
    >
      <RequestCells entry={entry} />
    </div>
  )
}

function RequestCells({
  entry: { now, endpoint, method, target, status, got, why, faults, durationMs },
}: {
  entry: LiveEntry
}) {
  return (
    <>
      <span role="gridcell" class="time">
        {formatTime(now)}
      </span>
      <span role="gridcell">{endpoint}</span>
      <span role="gridcell" class="target" title={target}>
        {method === 'GET' ? '' : `${method} `}
        {target}
      </span>
      <span role="gridcell">
        <Status status={status} got={got} why={why} />
      </span>
      <span role="gridcell" class="faults" title={faults.join(', ')}>
        {faults.join(', ')}
      </span>
      <span role="gridcell" class="number">
        {durationMs === undefined ? '–' : formatDuration(durationMs)}
      </span>
    </>
  )
}

/** The status of a request, which may get no reply at all, and what the consumer got. */
function Status({ status, got, why }: Pick<LiveEntry, 'status' | 'got' | 'why'>) {
  return (
    <span class="status">
      <Badge tone={statusTone(status, got)}>{status === 0 ? 'none' : status}</Badge>
      {got !== undefined && <GotMark got={got} why={why} />}
    </span>
  )
}

function isShown(
  { endpoint, status, got, target, faults }: LiveEntry,
  search: string,
  wantedEndpoint: string,
  wantedStatus: string,
): boolean {
  if (wantedEndpoint !== '' && endpoint !== wantedEndpoint) return false
  if (wantedStatus === 'fault' ? faults.length === 0 : wantedStatus !== '' && !String(status).startsWith(wantedStatus))
    return false
  return matches(search, target, got ?? '', ...faults)
}
