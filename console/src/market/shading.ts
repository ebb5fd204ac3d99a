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
  show(shades: readonly Shade[], origin: number, width: number, colours: Colours): void
}

interface Colours {
  readonly active: string
  readonly coming: string
  readonly text: string
  readonly edge: string
  readonly card: string
}

type Scope = Parameters<
  Parameters<
    Parameters<NonNullable<ReturnType<IPrimitivePaneView['renderer']>>['draw']>[0]['useBitmapCoordinateSpace']
  >[0]
>[0]

/** A window with its edges in pixels of the canvas. */
interface PaintedWindow extends Pick<Scope, 'context' | 'horizontalPixelRatio' | 'verticalPixelRatio'> {
  readonly shade: Shade
  readonly left: number
  readonly right: number
  readonly canvasWidth: number
  readonly height: number
  readonly colours: Colours
}

/** Maximum number of names on the chart: the legend below has all. */
const MAX_NAMES = 3
/** Pixels of a chart with room for names. */
const MIN_WIDTH_OF_NAMES = 480

/** Creates the shading of a chart. */
export function createShading(): Shading {
  let chart: IChartApi | undefined
  let redraw: (() => void) | undefined
  let shown: Parameters<Shading['show']> | undefined

  /** Calls `paint` with the edges of each window in sight, in pixels of the canvas. */
  const forEachWindow = (
    { context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }: Scope,
    paint: (window: PaintedWindow) => void,
  ): void => {
    if (shown === undefined || chart === undefined) return
    const [shades, origin, width, colours] = shown
    const scale = chart.timeScale()
    /** The left edge of the bar of a time; a bar's own coordinate is its middle. The library converts whole bars only. */
    const first = scale.logicalToCoordinate(0 as Logical)
    const second = scale.logicalToCoordinate(1 as Logical)
    if (first === null || second === null) return
    const toX = (time: number): number => first + ((time - origin) / width - 0.5) * (second - first)
    for (const shade of shades) {
      const left = Math.max(-2, toX(shade.from) * horizontalPixelRatio)
      const right = shade.until === null ? bitmapSize.width + 2 : toX(shade.until) * horizontalPixelRatio
      if (right < 0 || left > bitmapSize.width) continue
      const { width: canvasWidth, height } = bitmapSize
      paint({ context, shade, left, right, canvasWidth, height, horizontalPixelRatio, verticalPixelRatio, colours })
    }
  }
  const shadeWindow = ({
    context,
    shade: { until, isActive },
    left,
    right,
    height,
    horizontalPixelRatio,
    colours,
  }: PaintedWindow): void => {
    context.fillStyle = isActive ? colours.active : colours.coming
    context.fillRect(left, 0, Math.max(2, right - left), height)
    context.strokeStyle = isActive ? colours.text : colours.edge
    context.lineWidth = horizontalPixelRatio
    context.setLineDash(isActive ? [] : [4 * horizontalPixelRatio, 4 * horizontalPixelRatio])
    context.beginPath()
    for (const x of until === null ? [left] : [left, right]) {
      context.moveTo(x, 0)
      context.lineTo(x, height)
    }
    context.stroke()
    context.setLineDash([])
  }
  /** Writes the name of a window, on a ground of its own: lines of the grid and of other windows end there. */
  const nameWindow = (
    { context, shade, left, canvasWidth, horizontalPixelRatio, verticalPixelRatio, colours }: PaintedWindow,
    line: number,
  ): void => {
    context.font = `${11 * verticalPixelRatio}px system-ui, sans-serif`
    const textWidth = context.measureText(shade.label).width
    const gap = 6 * horizontalPixelRatio
    const x = Math.min(Math.max(left, 0) + gap, canvasWidth - textWidth - gap)
    const y = (14 + 16 * line) * verticalPixelRatio
    context.fillStyle = colours.card
    context.fillRect(x - gap / 2, y - 11 * verticalPixelRatio, textWidth + gap, 14 * verticalPixelRatio)
    context.fillStyle = shade.isActive ? colours.text : colours.edge
    context.fillText(shade.label, x, y)
  }
  const nameWindows = (scope: Scope): void => {
    if (scope.mediaSize.width < MIN_WIDTH_OF_NAMES) return
    // A fault that repeats is named once.
    const named = new Set<string>()
    forEachWindow(scope, window => {
      if (named.has(window.shade.label) || named.size === MAX_NAMES) return
      nameWindow(window, named.size)
      named.add(window.shade.label)
    })
  }
  const views: readonly IPrimitivePaneView[] = [
    {
      zOrder: () => 'bottom',
      renderer: () => ({
        draw: target => target.useBitmapCoordinateSpace(scope => forEachWindow(scope, shadeWindow)),
      }),
    },
    { zOrder: () => 'top', renderer: () => ({ draw: target => target.useBitmapCoordinateSpace(nameWindows) }) },
  ]
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
