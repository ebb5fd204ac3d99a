// Shades windows of time behind the candles of a chart.
import type {
  IChartApi,
  IPrimitivePaneView,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts'

/** A window to shade, in seconds since the epoch. */
export interface Shade {
  readonly from: number
  /** Null for a window without an end. */
  readonly until: number | null
  readonly label: string
  /** Whether it has begun. */
  readonly isActive: boolean
}

export interface Shading extends ISeriesPrimitive<Time> {
  /**
   * Shows windows.
   * @param origin the time of the first bar
   * @param width seconds of a bar
   */
  show(
    shades: readonly Shade[],
    origin: number,
    width: number,
    colours: { active: string; coming: string; text: string; edge: string },
  ): void
}

/** Maximum number of names on the chart: the legend below has all. */
const MAX_NAMES = 3

/** Creates the shading of a chart. */
export function createShading(): Shading {
  let chart: IChartApi | undefined
  let redraw: (() => void) | undefined
  let shown: Parameters<Shading['show']> | undefined

  const draw: ReturnType<IPrimitivePaneView['renderer']> = {
    draw(target) {
      if (shown === undefined || chart === undefined) return
      const [shades, origin, width, colours] = shown
      const scale = chart.timeScale()
      /** The left edge of the bar of a time; a bar's own coordinate is its middle. The library converts whole bars only. */
      const first = scale.logicalToCoordinate(0 as Logical)
      const second = scale.logicalToCoordinate(1 as Logical)
      if (first === null || second === null) return
      const toX = (time: number): number => first + ((time - origin) / width - 0.5) * (second - first)
      target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }) => {
        // A fault that repeats is named once.
        const named = new Map<string, number>()
        for (const { from, until, label, isActive } of shades) {
          const left = Math.max(-2, toX(from) * horizontalPixelRatio)
          const right = until === null ? bitmapSize.width + 2 : toX(until) * horizontalPixelRatio
          if (right < 0 || left > bitmapSize.width) continue
          const colour = isActive ? colours.active : colours.coming
          context.fillStyle = colour
          context.fillRect(left, 0, Math.max(2, right - left), bitmapSize.height)
          context.strokeStyle = isActive ? colours.text : colours.edge
          context.lineWidth = horizontalPixelRatio
          context.setLineDash(isActive ? [] : [4 * horizontalPixelRatio, 4 * horizontalPixelRatio])
          context.beginPath()
          for (const x of until === null ? [left] : [left, right]) {
            context.moveTo(x, 0)
            context.lineTo(x, bitmapSize.height)
          }
          context.stroke()
          context.setLineDash([])
          if (named.has(label) || named.size === MAX_NAMES) continue
          named.set(label, named.size)
          context.fillStyle = isActive ? colours.text : colours.edge
          context.font = `${11 * verticalPixelRatio}px system-ui, sans-serif`
          const textWidth = context.measureText(label).width
          const x = Math.min(Math.max(left, 0) + 6 * horizontalPixelRatio, bitmapSize.width - textWidth - 4)
          context.fillText(label, x, (14 + 14 * (named.size - 1)) * verticalPixelRatio)
        }
      })
    },
  }
  const views: readonly IPrimitivePaneView[] = [{ zOrder: () => 'bottom', renderer: () => draw }]
  return {
    attached(parameters: SeriesAttachedParameter<Time>) {
      chart = parameters.chart as IChartApi
      redraw = parameters.requestUpdate
    },
    detached() {
      chart = undefined
    },
    paneViews: () => views,
    show(...next) {
      shown = next
      redraw?.()
    },
  }
}
