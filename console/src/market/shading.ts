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
    colours: { active: string; coming: string; text: string },
  ): void
}

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
      /** The left edge of the bar that contains a second; a bar's own coordinate is its middle. */
      const toX = (second: number): number | null =>
        scale.logicalToCoordinate(((second - origin) / width - 0.5) as Logical)
      target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }) => {
        let row = 0
        for (const { from, until, label, isActive } of shades) {
          const left = Math.max(-2, toX(from) ?? -2) * horizontalPixelRatio
          const end = until === null ? null : toX(until)
          const right = end === null ? bitmapSize.width + 2 : end * horizontalPixelRatio
          if (right < 0 || left > bitmapSize.width) continue
          const colour = isActive ? colours.active : colours.coming
          context.fillStyle = colour
          context.fillRect(left, 0, Math.max(2, right - left), bitmapSize.height)
          context.strokeStyle = colour
          context.lineWidth = 1.5 * horizontalPixelRatio
          context.setLineDash(isActive ? [] : [4 * horizontalPixelRatio, 4 * horizontalPixelRatio])
          context.beginPath()
          for (const x of until === null ? [left] : [left, right]) {
            context.moveTo(x, 0)
            context.lineTo(x, bitmapSize.height)
          }
          context.stroke()
          context.setLineDash([])
          context.fillStyle = colours.text
          context.font = `${11 * verticalPixelRatio}px system-ui, sans-serif`
          context.fillText(
            label,
            Math.max(left, 0) + 6 * horizontalPixelRatio,
            (16 + 14 * (row++ % 4)) * verticalPixelRatio,
          )
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
