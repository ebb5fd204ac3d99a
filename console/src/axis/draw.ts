// Draws the parts of the axis: candles, ruler, windows of faults, and requests, all under one function from seconds to pixels.
import type { Got } from '../../../src/service/received.js'
import type { Inspection, ReplyOf } from '../api'
import { decimalsOf, formatInstant, formatPrice } from '../format'
import type { LiveEntry } from '../journal/events'
import { GOT_SHAPES } from '../ui'
import { LANES, RULER_STEPS, stepOf, type View } from './view'

/** Height of a lane: one that is lower is hard to hit. */
export const LANE_HEIGHT = 26
/** Width of the prices right of the chart: eleven characters, as of a coin of a thousandth of a cent. */
export const SCALE_WIDTH = 92

type Candles = ReplyOf<'showCandles'>
type Fault = Inspection['faults'][number]
/** The windows of a fault; one that is being planned has nothing else. */
export type Lane = Pick<Fault, 'windows'> & Partial<Fault> & { readonly isThin?: boolean }
type Colour = (name: string) => string

/** The ground of a drawing. */
interface Sheet {
  readonly context: CanvasRenderingContext2D
  /** Width of the time, without the scale. */
  readonly width: number
  readonly height: number
  readonly view: View
  readonly colour: Colour
}

/** Pixels of a second, from the left. */
export const toX = (second: number, { from, to }: View, width: number): number =>
  ((second - from) / (to - from)) * width
/** The second at some pixels. */
export const toSecond = (x: number, { from, to }: View, width: number): number => from + (x / width) * (to - from)

/** The time of a request, in seconds. */
export const timeOf = ({ now, nowMs }: LiveEntry): number => (nowMs === undefined ? now : nowMs / 1000)

/** Fits a canvas to its place and clears it. `width` is that of the time, which all parts share: one may have a scrollbar. */
export function toSheet(canvas: HTMLCanvasElement, view: View, width: number, colour: Colour): Sheet {
  const { clientWidth, clientHeight } = canvas
  const ratio = devicePixelRatio
  const size = { width: Math.round(clientWidth * ratio), height: Math.round(clientHeight * ratio) }
  if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size)
  const context = canvas.getContext('2d')!
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, clientWidth, clientHeight)
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`
  context.textBaseline = 'middle'
  return { context, width, height: clientHeight, view, colour }
}

/** The seconds of the grid. */
function gridOf({ view, width }: Sheet): { readonly step: number; readonly seconds: readonly number[] } {
  const step = stepOf(RULER_STEPS, view.to - view.from, width / 92)
  const seconds: number[] = []
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) seconds.push(at)
  return { step, seconds }
}

function drawGrid(sheet: Sheet): void {
  const { context, view, width, height, colour } = sheet
  context.fillStyle = colour('--line')
  for (const second of gridOf(sheet).seconds) context.fillRect(Math.round(toX(second, view, width)), 0, 1, height)
}

/** The ruler: times in UTC, and what was done to the session. */
export function drawRuler(sheet: Sheet, events: readonly { readonly at: number; readonly text: string }[]): void {
  const { context, view, width, colour } = sheet
  const { step, seconds } = gridOf(sheet)
  const taken: (readonly [from: number, to: number])[] = []
  context.fillStyle = colour('--accent')
  for (const { at, text } of events) {
    const x = toX(at, view, width)
    if (x < 0 || x > width) continue
    const end = x + 12 + context.measureText(text).width
    context.fill(new Path2D(`M${x} 8l5 5-5 5-5-5z`))
    if (!taken.some(([from, to]) => end > from && x < to)) context.fillText(text, x + 8, 13)
    taken.push([x, end])
  }
  for (const second of seconds) {
    const x = toX(second, view, width)
    const iso = formatInstant(second)
    const text = step >= 86_400 || second % 86_400 === 0 ? iso.slice(5, 10) : iso.slice(11, step < 60 ? 19 : 16)
    const half = context.measureText(text).width / 2
    if (x < half || x > width - half || taken.some(([from, to]) => x + half > from - 8 && x - half < to + 8)) continue
    context.fillStyle = colour('--edge')
    context.fillRect(Math.round(x), 0, 1, 4)
    context.fillStyle = colour('--muted')
    context.fillText(text, x - half, 14)
  }
}

/**
 * Candles, those that are not over faint, the market without faults as a dotted line, and the prices on the right.
 * @param price the price that is shown in words as well
 * @returns the prices at the edges
 */
export function drawCandles(
  sheet: Sheet,
  { served, own = [] }: Candles,
  step: number,
  now: number,
  price: number | null | undefined,
): { bottom: number; top: number; height: number } | undefined {
  const { context, view, width, height, colour } = sheet
  drawGrid(sheet)
  const inSight = (served ?? []).filter(({ time }) => time + step > view.from && time < view.to)
  const plain = own.filter(({ time }) => time + step > view.from && time < view.to)
  const prices = [...inSight.flatMap(({ high, low }) => [high, low]), ...plain.map(({ close }) => close)]
  if (prices.length === 0) return undefined
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const margin = (high - low || high * 0.001) * 0.12
  const [bottom, top] = [low - margin, high + margin]
  const toY = (price: number): number => height - ((price - bottom) / (top - bottom)) * height
  const priceAt = price == null ? -1 : toY(price)
  drawPrices(sheet, bottom, top, toY, priceAt)
  context.save()
  context.beginPath()
  context.rect(0, 0, width, height)
  context.clip()
  context.setLineDash([2, 3])
  context.strokeStyle = colour('--muted')
  context.beginPath()
  const closes = new Map(inSight.map(({ time, close }) => [time, close]))
  let isDown = false
  for (const { time, close } of plain) {
    const isSame = closes.get(time) === close
    // Only where the market differs from what is served.
    if (!isSame) context[isDown ? 'lineTo' : 'moveTo'](toX(time + step / 2, view, width), toY(close))
    isDown = !isSame
  }
  context.stroke()
  context.setLineDash([])
  for (const { time, open, high, low, close } of inSight) {
    const left = toX(time, view, width)
    const right = toX(time + step, view, width)
    const gap = Math.min(2, (right - left) / 6)
    context.globalAlpha = time + step > now + 1 ? 0.35 : 1
    context.fillStyle = colour(close < open ? '--down' : '--up')
    context.fillRect((left + right) / 2 - 0.5, toY(high), 1, Math.max(1, toY(low) - toY(high)))
    const y = toY(Math.max(open, close))
    context.fillRect(left + gap, y, Math.max(1, right - left - 2 * gap), Math.max(1, toY(Math.min(open, close)) - y))
  }
  context.restore()
  if (priceAt >= 0 && priceAt <= height) drawPrice(sheet, price!, priceAt)
  return { bottom, top, height }
}

/** The price on the scale. */
function drawPrice({ context, width, colour }: Sheet, price: number, y: number): void {
  context.fillStyle = colour('--accent')
  for (let x = 0; x < width; x += 6) context.fillRect(x, Math.round(y), 2, 1)
  context.beginPath()
  context.roundRect(width + 2, y - 9, SCALE_WIDTH - 4, 18, 4)
  context.fill()
  context.fillStyle = colour('--card')
  context.fillText(formatPrice(price), width + 8, y + 0.5, SCALE_WIDTH - 12)
}

/**
 * The prices at round steps.
 * @param taken the place of another price, which covers those beside it
 */
function drawPrices(
  { context, width, height, colour }: Sheet,
  low: number,
  high: number,
  toY: (price: number) => number,
  taken: number,
): void {
  const rough = ((high - low) * 48) / height
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = size * ([1, 2, 5, 10].find(by => size * by >= rough) ?? 10)
  const digits = Math.max(decimalsOf(high) > 2 ? 2 : 0, Math.min(18, -Math.floor(Math.log10(step) + 1e-9)))
  const first = Math.ceil(low / step)
  // Counted: a step may be too small to change a large price.
  for (let i = 0; i < (high - low) / step; i++) {
    const price = (first + i) * step
    const y = toY(price)
    if (y < 8 || y > height - 8) continue
    context.fillStyle = colour('--line')
    context.fillRect(0, Math.round(y), width, 1)
    if (Math.abs(y - taken) < 15) continue
    context.fillStyle = colour('--muted')
    const text = price.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    context.fillText(text, width + 8, y, SCALE_WIDTH - 12)
  }
}

/** The windows of each fault, and where it hit a reply. A fault by chance or by count is thin: it may hit. */
export function drawFaults(sheet: Sheet, faults: readonly Lane[], entries: readonly LiveEntry[], now: number): void {
  const { context, view, width, colour } = sheet
  drawGrid(sheet)
  for (const [row, { windows, isThin = false }] of faults.entries()) {
    const [y, height] = isThin ? [row * LANE_HEIGHT + 11, 4] : [row * LANE_HEIGHT + 5, LANE_HEIGHT - 10]
    for (const { from, until } of windows) {
      const left = Math.max(-4, toX(from, view, width))
      const right = until === null ? width : Math.min(width, toX(until, view, width))
      if (right < 0 || left > width) continue
      const isActive = from <= now && (until === null || until > now)
      context.fillStyle = colour(isActive ? '--lane-active' : '--lane')
      context.fillRect(left, y, Math.max(2, right - left), height)
      if (isThin || right - left < 6) continue
      context.fillStyle = colour('--edge')
      context.fillRect(left, y, 2, height)
      if (until !== null) context.fillRect(right - 2, y, 2, height)
    }
  }
  for (const entry of entries) {
    const at = timeOf(entry)
    if (at < view.from || at > view.to) continue
    const x = toX(at, view, width)
    for (const name of entry.faults) {
      const row = faults.findIndex(
        ({ fault, endpoints, windows }) =>
          fault === name &&
          (endpoints == null || endpoints.includes(entry.endpoint)) &&
          windows.some(({ from, until }) => from <= at && (until === null || until > entry.now)),
      )
      if (row < 0) continue
      context.fillStyle = colour(`--got-${entry.got ?? 'fresh'}`)
      context.fillRect(x - 0.75, row * LANE_HEIGHT + 5, 1.5, LANE_HEIGHT - 10)
    }
  }
}

const PATHS = new Map<Got, Path2D>()
const pathOf = (got: Got): Path2D => {
  if (!PATHS.has(got)) PATHS.set(got, new Path2D(GOT_SHAPES[got]))
  return PATHS.get(got)!
}

/** Draws the mark of a request, at the middle of its lane. */
function drawMark({ context, colour }: Sheet, got: Got, x: number, y: number): void {
  context.save()
  context.translate(x - 6, y - 6)
  context.fillStyle = context.strokeStyle = colour(`--got-${got}`)
  context.lineWidth = 1.6
  context.stroke(pathOf(got))
  if (got === 'broken' || got === 'forged') context.fill(pathOf(got))
  context.restore()
}

/** From the bottom of a column to its top. */
const ORDER: readonly Got[] = ['forged', 'broken', 'refused', 'stale', 'fresh']
/** Pixels of a column of a lane that is crowded, and the requests in as many pixels from which on it is. */
const COLUMN = 4
const CROWDED = 1.35

/** Counts of requests that are no longer kept. */
export type Counted = NonNullable<ReplyOf<'summarizeRequests'>['bins']>[number]

/**
 * The requests in their lanes: marks, or columns where there are many.
 * @param older counts of those that are no longer kept
 * @param since the time of the oldest request that is known, if older ones are not kept
 * @param isShown tells those that the filter leaves
 */
export function drawRequests(
  sheet: Sheet,
  entries: readonly LiveEntry[],
  older: readonly Counted[],
  since: number | undefined,
  chosen: number | undefined,
  isShown: (entry: Pick<LiveEntry, 'got' | 'endpoint'>) => boolean,
): void {
  const { context, view, width, height, colour } = sheet
  const ofShown = (counts: Counts, endpoint: LiveEntry['endpoint']): Counts =>
    Object.fromEntries(ORDER.map(got => [got, isShown({ got, endpoint }) ? counts[got] : 0]))
  drawGrid(sheet)
  const end = since === undefined ? 0 : Math.min(width, toX(since, view, width))
  if (end > 0) {
    context.fillStyle = colour('--raised')
    context.fillRect(0, 0, end, height)
    context.fillStyle = colour('--muted')
    const text = 'Older requests are counted, not kept'
    if (end > context.measureText(text).width + 16) context.fillText(text, 8, height - LANE_HEIGHT / 2)
  }
  for (const [row, lane] of LANES.entries()) {
    const top = row * LANE_HEIGHT
    context.fillStyle = colour('--line')
    context.fillRect(0, top, width, 1)
    for (const { endpoint, from, until, got } of older) {
      const [left, right] = [toX(from, view, width), toX(until, view, width)]
      if (endpoint === lane)
        drawColumn(sheet, left, top, ofShown(got, lane), Math.max(COLUMN, Math.min(right, width) - left))
    }
    const own = entries.filter(({ endpoint, got }) => endpoint === lane && got !== undefined)
    const columns = new Map<number, LiveEntry[]>()
    for (const entry of own) {
      const column = Math.floor(toX(timeOf(entry), view, width) / COLUMN)
      const list = columns.get(column)
      if (list === undefined) columns.set(column, [entry])
      else list.push(entry)
    }
    const isCrowded = own.length > CROWDED * columns.size
    for (const [column, list] of columns) {
      if (isCrowded) drawColumn(sheet, column * COLUMN, top, ofShown(countBy(list), lane))
      else
        for (const entry of list) {
          context.globalAlpha = isShown(entry) ? 1 : 0.12
          drawMark(sheet, entry.got!, toX(timeOf(entry), view, width), top + LANE_HEIGHT / 2)
        }
    }
    context.globalAlpha = 1
    const open = own.find(({ n }) => n === chosen)
    if (open === undefined) continue
    context.strokeStyle = colour('--accent')
    context.lineWidth = 1.8
    context.beginPath()
    context.arc(toX(timeOf(open), view, width), top + LANE_HEIGHT / 2, 9, 0, 7)
    context.stroke()
  }
}

type Counts = Partial<Record<Got, number>>

/** Counts requests by what the app got. */
export function countBy(requests: readonly LiveEntry[]): Record<Got, number> {
  const counts = Object.fromEntries(ORDER.map(kind => [kind, 0])) as Record<Got, number>
  for (const { got } of requests) if (got !== undefined) counts[got]++
  return counts
}

function drawColumn({ context, colour }: Sheet, x: number, top: number, counts: Counts, width = COLUMN): void {
  const all = ORDER.reduce((sum, got) => sum + (counts[got] ?? 0), 0)
  let y = top + LANE_HEIGHT - 2
  const full = Math.min(LANE_HEIGHT - 6, 3 + 4 * Math.log2(1 + all))
  for (const got of ORDER) {
    const count = counts[got] ?? 0
    if (count === 0) continue
    const height = Math.max(2, (full * count) / all)
    context.fillStyle = colour(`--got-${got}`)
    context.fillRect(x, y - height, width - 1, height - 0.5)
    y -= height
  }
}

/** The request at a place in the lanes, if one is near. */
export function requestAt(
  entries: readonly LiveEntry[],
  x: number,
  y: number,
  view: View,
  width: number,
): LiveEntry | undefined {
  const lane = LANES[Math.floor(y / LANE_HEIGHT)]
  let nearest: LiveEntry | undefined
  let least = 9
  for (const entry of entries) {
    if (entry.endpoint !== lane || entry.got === undefined) continue
    // Trouble is easier to hit than what is fresh.
    const distance = Math.abs(toX(timeOf(entry), view, width) - x) + (entry.got === 'fresh' ? 2.5 : 0)
    if (distance >= least) continue
    nearest = entry
    least = distance
  }
  return nearest
}
