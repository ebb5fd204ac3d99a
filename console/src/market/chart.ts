// The chart of one feed: candles above, volume below, and the high and low of queryHistory.
import {
  type CandlestickData,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  type HistogramData,
  HistogramSeries,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
  type WhitespaceData,
} from 'lightweight-charts'
import { readColours } from '../colours'
import { decimalsOf, formatPrice } from '../format'
import type { Candle } from './candles'

/** The highest or the lowest price of a time. */
export interface Mark {
  readonly kind: 'high' | 'low'
  readonly ts: number
  readonly price: number
}

/** Everything that the chart shows. */
export interface Drawing {
  readonly candles: readonly Candle[]
  /** Seconds of a candle. */
  readonly width: number
  /** Virtual seconds since the epoch. */
  readonly now: number
  readonly marks: readonly Mark[]
}

export interface Chart {
  /** Draws candles. `anew` scrolls to their end; otherwise the view stays. */
  draw(drawing: Drawing, anew: boolean): void
  /** Reads the colours again, after a change of the theme. */
  paint(): void
  remove(): void
}

/** Bars in sight at first, and some after the last one. */
const VISIBLE_BARS = 110
const BARS_AHEAD = 4
/** Fewer candles than this are missing in a row at most; more would make the chart slow. */
const MAX_BARS = 3000

/** Creates a chart that fills `element`. */
export function createCandleChart(element: HTMLElement): Chart {
  const chart = createChart(element, {
    autoSize: true,
    timeScale: { timeVisible: true, secondsVisible: false, borderVisible: false, barSpacing: 7 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.24, bottom: 0.26 } },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { priceFormatter: formatPrice },
    // The page names the library below the chart: its own mark needs an inline style.
    layout: { attributionLogo: false },
  })
  const prices = chart.addSeries(CandlestickSeries, { borderVisible: false })
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  const marks = createSeriesMarkers<Time>(prices, [])

  let colour = readColours(element)
  let drawn: Drawing | undefined

  const drawCandles = (bars: readonly Bar[], { candles, width }: Drawing): void => {
    const precision = decimalsOf(candles.at(-1)?.close ?? 1)
    prices.applyOptions({ priceFormat: { type: 'price', precision, minMove: 1 / 10 ** precision } })
    chart.applyOptions({ timeScale: { secondsVisible: width < 60 } })
    prices.setData(
      bars.map(({ time, candle }): CandlestickData | WhitespaceData =>
        candle === undefined
          ? { time }
          : { time, open: candle.open, high: candle.high, low: candle.low, close: candle.close },
      ),
    )
    volumes.setData(
      bars.map(({ time, candle }): HistogramData | WhitespaceData =>
        candle === undefined
          ? { time }
          : { time, value: candle.volume, color: colour(candle.close < candle.open ? '--volume-down' : '--volume-up') },
      ),
    )
  }
  const draw = (drawing: Drawing, anew: boolean): void => {
    drawn = drawing
    const { candles, width, now } = drawing
    const bars = toBars(candles, width, now)
    drawCandles(bars, drawing)
    marks.setMarkers(toMarkers(drawing, colour))
    if (anew && candles.length > 0) {
      const last = bars.length - BARS_AHEAD
      chart.timeScale().setVisibleLogicalRange({ from: last - VISIBLE_BARS, to: last + BARS_AHEAD })
      chart.priceScale('right').applyOptions({ autoScale: true })
    }
  }
  const paint = (): void => {
    colour = readColours(element)
    const grid = { color: colour('--line') }
    const crosshair = { color: colour('--muted'), labelBackgroundColor: colour('--crosshair'), style: LineStyle.Dashed }
    chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: colour('--muted'),
        fontFamily: getComputedStyle(element).fontFamily,
      },
      grid: { vertLines: grid, horzLines: grid },
      crosshair: { vertLine: crosshair, horzLine: crosshair },
    })
    const [up, down] = [colour('--up'), colour('--down')]
    prices.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    if (drawn === undefined) return
    draw(drawn, false)
  }

  paint()
  return { draw, paint, remove: () => chart.remove() }
}

interface Bar {
  readonly time: UTCTimestamp
  readonly candle: Candle | undefined
}

/** A bar for each interval from the first candle on: an absent candle leaves a gap. */
function toBars(candles: readonly Candle[], width: number, now: number): Bar[] {
  const [first, last] = [candles[0], candles.at(-1)]
  if (first === undefined || last === undefined) return []
  const byTime = new Map(candles.map(candle => [candle.time, candle]))
  const end = Math.max(last.time, now - ((((now - first.time) % width) + width) % width))
  const start = Math.max(first.time, end - MAX_BARS * width)
  const count = Math.round((end - start) / width) + 1 + BARS_AHEAD
  return Array.from({ length: count }, (_, i) => {
    const time = start + i * width
    return { time: time as UTCTimestamp, candle: byTime.get(time) }
  })
}

function toMarkers({ candles, width, marks }: Drawing, colour: (name: string) => string): SeriesMarker<Time>[] {
  return marks
    .flatMap(({ kind, ts, price }): SeriesMarker<Time>[] => {
      const candle = candles.find(({ time }) => ts >= time && ts < time + width)
      if (candle === undefined) return []
      const isHigh = kind === 'high'
      return [
        {
          time: candle.time as UTCTimestamp,
          position: isHigh ? 'aboveBar' : 'belowBar',
          shape: isHigh ? 'arrowDown' : 'arrowUp',
          color: colour('--text'),
          text: `${kind} ${formatPrice(price)}`,
        },
      ]
    })
    .sort((a, b) => Number(a.time) - Number(b.time))
}
