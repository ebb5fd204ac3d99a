// The parts of the axis in words: prices, the legend, and the details of a fault and of a second.
import { GOT, type Got } from '../../../src/service/received.js'
import {
  admin,
  type FeedDefinition,
  type Inspection,
  keyToCopy,
  type Market,
  prefixOf,
  type ReplyOf,
  ROOT,
} from '../api'
import { clearPrices } from '../changes'
import { formatAge, formatChange, formatInstant, formatPrice, formatTime, plural } from '../format'
import type { LiveEntry } from '../journal/events'
import { isLive } from '../journal/live'
import { late } from '../late'
import { faultsOf, removeFault } from '../scenario'
import { chosenFeed, session, sessionId, usePart } from '../state'
import { useStore } from '../store'
import { Badge, Copy, GotMark, Panel } from '../ui'
import { axis, open, show } from './shown'
import { toggled, toSpan } from './view'

/** The price of the chosen feed at the cursor or now, and those of some others. */
export function Prices({
  market,
  feed,
  found,
  at,
  isPast,
  catalogue,
}: {
  market: Market | undefined
  feed: string
  found: Inspection | undefined
  at: number | undefined
  isPast: boolean
  catalogue: readonly FeedDefinition[]
}) {
  const row = market?.feeds[0]
  const price = row === undefined || row.price === null ? 'no price' : formatPrice(row.price)
  const set = found?.overrides.find(one => one.feed === feed)
  return (
    <div class="axis-prices">
      <label class="hidden" for="axis-feed">
        Feed
      </label>
      <select id="axis-feed" value={feed} onChange={event => chosenFeed.set(event.currentTarget.value)}>
        {catalogue.map(one => (
          <option key={one.id}>{one.id}</option>
        ))}
      </select>
      {row !== undefined && (
        <>
          <strong class="axis-price" style={{ '--characters': price.length }}>
            {price}
          </strong>
          <span class="muted">
            {row.price === null || row.before === null ? '' : `${formatChange(row.price / row.before - 1)} in 1 h`}
          </span>
          <span class="muted">
            {row.ts === null ? '' : `${formatAge(market!.now - row.ts)} old`}
            {isPast ? ` at ${formatTime(at ?? 0)}` : ''}
          </span>
          {set !== undefined && (
            <span class="set-mark">
              ◆ set to {formatPrice(set.price)}{' '}
              <button
                type="button"
                class="button small"
                aria-label="Clear the set price"
                onClick={() => clearPrices([feed])}
              >
                ×
              </button>
            </span>
          )}
        </>
      )}
      <ul>
        {market?.feeds.slice(1).map(({ id, price }) => (
          <li key={id}>
            <button type="button" onClick={() => chosenFeed.set(id)}>
              <span>{id}</span> <span>{price === null ? '–' : formatPrice(price)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The command that sends a first request. */
export function NoRequests({ count, feed }: { count: number; feed: string }) {
  const isKnown = useStore(isLive)
  const current = useStore(session)
  const id = useStore(sessionId)
  if (!isKnown || count > 0 || current === undefined) return null
  const command = `curl -H "authorization: ${keyToCopy(current.apiKey)}" ${ROOT}${prefixOf(id)}/prices/${feed}/latest`
  return (
    <p class="axis-note axis-none">
      <span>No requests yet. Point your app here, or try:</span> <code>{command}</code>
      <Copy text={command} of="the command" />
    </p>
  )
}

/** Counts of what the app got in this time. A press shows only these. */
export function Legend({ counts, chosen }: { counts: Readonly<Record<Got, number>>; chosen: readonly Got[] }) {
  return (
    <div class="axis-legend" role="group" aria-label="What your app got">
      {GOT.map(got => (
        <button
          type="button"
          key={got}
          aria-pressed={chosen.includes(got)}
          onClick={() => show({ got: toggled(chosen, got) })}
        >
          <GotMark got={got} /> <span>{counts[got]}</span>
        </button>
      ))}
      <span class="muted axis-keys">
        <kbd>←</kbd> <kbd>→</kbd> second · <kbd>+</kbd> <kbd>−</kbd> zoom · <kbd>N</kbd> <kbd>P</kbd> trouble ·{' '}
        <kbd>L</kbd> live · <kbd>Space</kbd> freeze
      </span>
    </div>
  )
}

const FaultEditor = late(async () => (await import('../faults/fault-form')).FaultEditor)

/** One fault: its windows, and what it did. */
export function FaultDetail({ index, found }: { index: number; found: Inspection }) {
  const { fault, planned, windows, hits, hitsBefore, misses, lastMiss, active } = found.faults[index]!
  const entry = faultsOf(found)[index]
  return (
    <Panel
      title={fault}
      side={
        <button type="button" class="button small push" onClick={() => open({ fault: undefined })}>
          Close
        </button>
      }
    >
      <p>
        <Badge tone={active ? 'warn' : 'quiet'}>{active ? 'active' : 'not now'}</Badge> {planned || 'all requests'}
      </p>
      <p class="muted">
        {plural(hits, 'hit')}
        {hitsBefore === 0 ? '' : ` and ${hitsBefore} before it was edited`}, {plural(misses, 'request')} without an
        effect
        {lastMiss === undefined ? '' : `; the last one: ${lastMiss}`}
      </p>
      <h3>Windows in sight</h3>
      <ul class="axis-list">
        {windows.length === 0 && <li class="muted">none</li>}
        {windows.slice(0, 20).map(({ from, until }) => (
          <li key={from}>
            <button type="button" class="link" onClick={() => show({ cursor: from })}>
              {formatTime(from)}
            </button>{' '}
            to {until === null ? 'its end by hand' : formatTime(until)}
          </li>
        ))}
        {windows.length > 20 && <li class="muted">and {windows.length - 20} more</li>}
      </ul>
      {entry !== undefined && found.scenario.endedAt === undefined && (
        <>
          <button
            type="button"
            class="button"
            onClick={async () => (await removeFault(entry)) && open({ fault: undefined })}
          >
            Remove it
          </button>
          <h3>Edit</h3>
          <FaultEditor key={index} index={index} />
        </>
      )}
    </Panel>
  )
}

type Candle = NonNullable<ReplyOf<'showCandles'>['served']>[number]

/** One second: what a request would get then, and what went wrong before. */
export function SecondDetail({
  at,
  feed,
  found,
  live,
  candle,
  step,
}: {
  at: number | undefined
  feed: string
  found: Inspection | undefined
  live: readonly LiveEntry[]
  candle: Candle | undefined
  step: number
}) {
  const id = useStore(sessionId)
  const cursor = useStore(axis).cursor
  const reply = usePart(feed === '' ? undefined : `axis reply ${id} ${feed} ${cursor ?? 'now'}`, (session, second) =>
    admin.explain(session, `/prices/${encodeURIComponent(feed)}/latest`, cursor ?? second),
  )
  // The windows of the view do not reach a cursor out of sight, and are joined where they are close.
  const there = usePart(cursor === undefined ? undefined : `axis faults ${id} ${cursor}`, session =>
    admin.inspect(session, cursor!, cursor!),
  )
  const active = (cursor === undefined ? found : there)?.faults
    .map((fault, i) => [fault, i] as const)
    .filter(([{ active, windows }]) =>
      cursor === undefined ? active : windows.some(({ until }) => until === null || until > cursor),
    )
  const trouble = live
    .filter(({ got, now }) => got !== undefined && got !== 'fresh' && now <= (at ?? 0))
    .slice(-12)
    .reverse()
  return (
    <Panel title={at === undefined ? 'Reading …' : `${formatInstant(at)} UTC`}>
      {reply !== undefined && (
        <>
          <p>
            <code>GET /prices/{feed}/latest</code> gets
          </p>
          <p>
            <GotMark got={reply.got} /> {reply.outcome.status ?? 'no status'}
            {reply.why === undefined ? '' : `: ${reply.why}`}
          </p>
        </>
      )}
      {candle !== undefined && (
        <>
          <h3>
            {toSpan(step)} from {formatTime(candle.time)}
          </h3>
          <dl class="axis-candle">
            {(['open', 'high', 'low', 'close'] as const).map(name => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{formatPrice(candle[name])}</dd>
              </div>
            ))}
            <div>
              <dt>volume</dt>
              <dd>{formatPrice(candle.volume)}</dd>
            </div>
          </dl>
        </>
      )}
      <h3>The last that went wrong</h3>
      <ul class="axis-list">
        {trouble.length === 0 && <li class="muted">Nothing up to this second.</li>}
        {trouble.map(({ n, now, endpoint, got, why }) => (
          <li key={n}>
            <button type="button" class="link" onClick={() => open({ request: n, cursor: now })}>
              {formatTime(now)} {endpoint}
            </button>{' '}
            <GotMark got={got!} /> <span class="muted">{why}</span>
          </li>
        ))}
      </ul>
      <h3>Faults at this second</h3>
      <ul class="axis-list axis-inline">
        {active?.length === 0 && <li class="muted">None.</li>}
        {active?.map(([{ fault }, i]) => (
          <li key={i}>
            <button type="button" class="link" onClick={() => open({ fault: i })}>
              {fault}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
