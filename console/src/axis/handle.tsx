// Prices that are set on the chart: a handle on the scale, and a course that is drawn ahead of now.
import { useState } from 'preact/hooks'
import { setPrice } from '../changes'
import { formatPrice } from '../format'
import { addFault } from '../scenario'
import { SCALE_WIDTH, toSecond, toX } from './draw'
import { roundTo, toPoints } from './edit'
import { followPointer } from './shown'
import type { View } from './view'

/** The prices at the edges of the chart, and its height in pixels. */
export interface Scale {
  readonly bottom: number
  readonly top: number
  readonly height: number
}

const priceAt = (y: number, { bottom, top, height }: Scale): number =>
  roundTo(Math.max(bottom / 2, top - (y / height) * (top - bottom)), (top - bottom) / height)
const toY = (price: number, { bottom, top, height }: Scale): number =>
  height - ((price - bottom) / (top - bottom)) * height

/** Pixels by which a key moves the handle. */
const KEY_STEP = 8

/** The price on the scale, to drag. */
export function PriceHandle({ feed, price, scale }: { feed: string; price: number; scale: Scale }) {
  const [aim, setAim] = useState<number | undefined>(undefined)
  const shown = aim ?? price
  const y = Math.min(scale.height, Math.max(0, toY(shown, scale)))
  const set = (to: number): void => {
    setAim(undefined)
    void setPrice(feed, to)
  }
  const grab = (event: PointerEvent): void => {
    event.stopPropagation()
    const { top } = (event.currentTarget as HTMLElement).parentElement!.getBoundingClientRect()
    let last: number | undefined
    followPointer(
      event,
      move => setAim((last = priceAt(move.clientY - top, scale))),
      isReleased => {
        if (isReleased && last !== undefined) set(last)
        else setAim(undefined)
      },
    )
  }
  const key = (event: KeyboardEvent): void => {
    const by = { ArrowUp: -KEY_STEP, ArrowDown: KEY_STEP }[event.key]
    if (by !== undefined) setAim(priceAt(toY(shown, scale) + (event.shiftKey ? Math.sign(by) : by), scale))
    else if (event.key === 'Enter' && aim !== undefined) set(aim)
    else if (event.key === 'Escape' && aim !== undefined) setAim(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <button
      type="button"
      class="axis-handle"
      role="slider"
      data-aimed={aim !== undefined}
      aria-label={`Price of ${feed}`}
      aria-orientation="vertical"
      aria-valuemin={scale.bottom}
      aria-valuemax={scale.top}
      aria-valuenow={shown}
      aria-valuetext={aim === undefined ? formatPrice(shown) : `${formatPrice(shown)}, Enter sets it`}
      title="Drag it, or use ↑ ↓ and Enter, to set the price from now on"
      style={{ width: `${SCALE_WIDTH - 4}px`, transform: `translateY(${y - 12}px)` }}
      onPointerDown={grab}
      onKeyDown={key}
      onBlur={() => setAim(undefined)}
    >
      {aim === undefined ? '' : formatPrice(aim)}
    </button>
  )
}

/** A sheet over the chart on which a course is drawn. */
export function DrawAhead({
  feed,
  view,
  now,
  width,
  scale,
  pace,
  onEnd,
}: {
  feed: string
  view: View
  now: number
  width: number
  scale: Scale
  pace: number
  onEnd: () => void
}) {
  const [drawn, setDrawn] = useState<readonly { readonly at: number; readonly price: number }[]>([])
  const draw = (event: PointerEvent): void => {
    event.stopPropagation()
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    let list: typeof drawn = []
    const add = ({ clientX, clientY }: PointerEvent): void => {
      const at = Math.max(now + 1, Math.round(toSecond(clientX - box.left, view, width)))
      if (at > view.to || at < (list.at(-1)?.at ?? 0)) return
      list = [...list.filter(one => one.at !== at), { at, price: priceAt(clientY - box.top, scale) }]
      setDrawn(list)
    }
    add(event)
    followPointer(event, add, isReleased => {
      onEnd()
      const [first] = list
      // None if the press was after the last second of the view.
      if (!isReleased || !first) return
      const from = Math.round((first.at - now) * pace)
      void addFault({
        fault: 'market/path',
        feeds: [feed],
        from: `${from}s`,
        options: { points: toPoints(list, pace) },
      })
    })
  }
  const line = drawn.map(({ at, price }) => `${toX(at, view, width)},${toY(price, scale)}`).join(' ')
  return (
    <div class="axis-draw" onPointerDown={draw}>
      <svg aria-hidden="true">
        <polyline points={line} />
      </svg>
      {drawn.length === 0 && (
        <p class="axis-hint" style={{ left: `${Math.max(8, toX(now, view, width) + 8)}px` }}>
          Draw the price from here
        </p>
      )}
    </div>
  )
}
