// The chart of one feed: candles above, volume below.
import {
  type CandlestickData,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  type HistogramData,
  HistogramSeries,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { Candle } from './candles'
import { readColours } from './colours'
import { decimalsOf, formatPrice } from './format'

export interface Chart {
  /** Draws ordered candles. `anew` scrolls to their end; otherwise the view stays. */
  draw(candles: readonly Candle[], anew: boolean): void
}

/** Creates a chart that fills `element` and takes its colours from the style sheet. */
export function createCandleChart(element: HTMLElement): Chart {
  const chart = createChart(element, {
    autoSize: true,
    timeScale: { timeVisible: true, secondsVisible: false, borderVisible: false, rightOffset: 4, barSpacing: 7 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.26 } },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { priceFormatter: formatPrice },
  })
  const prices = chart.addSeries(CandlestickSeries, { borderVisible: false })
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })

  let drawn: readonly Candle[] = []
  let colour = readColours(element)
  const paint = (): void => {
    colour = readColours(element)
    const grid = { color: colour('--line') }
    chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: colour('--muted'),
        fontFamily: getComputedStyle(element).fontFamily,
      },
      grid: { vertLines: grid, horzLines: grid },
    })
    const [up, down] = [colour('--up'), colour('--down')]
    prices.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    draw(drawn, false)
  }
  const draw = (candles: readonly Candle[], anew: boolean): void => {
    drawn = candles
    const precision = decimalsOf(candles.at(-1)?.close ?? 1)
    prices.applyOptions({ priceFormat: { type: 'price', precision, minMove: 1 / 10 ** precision } })
    prices.setData(candles.map((candle): CandlestickData => ({ ...candle, time: candle.time as UTCTimestamp })))
    volumes.setData(
      candles.map(
        ({ time, open, close, volume }): HistogramData => ({
          time: time as UTCTimestamp,
          value: volume,
          color: colour(close < open ? '--volume-down' : '--volume-up'),
        }),
      ),
    )
    if (anew) chart.timeScale().resetTimeScale()
  }

  paint()
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', paint)
  return { draw }
}
