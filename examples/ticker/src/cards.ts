// A card per feed: its price, its state, and the reason.
import { formatPrice } from './format'
import type { Verdict } from './verdict'

export interface Card {
  /** Shows a verdict; the last valid price stays visible, faded. */
  show(verdict: Verdict, faults: readonly string[]): void
  /** Draws the prices of the last hour and shows their change. */
  trace(prices: readonly number[]): void
  choose(chosen: boolean): void
}

const WORDS: Readonly<Record<Verdict['state'], string>> = {
  fresh: 'fresh',
  stale: 'stale',
  refused: 'key refused',
  gap: 'no price',
  forged: 'bad signature',
  failed: 'error',
  unreachable: 'unreachable',
}

/** Creates the card of a feed; `onChoose` is called when it is clicked. */
export function createCard(feed: string, onChoose: () => void): { element: HTMLElement; card: Card } {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'card'
  element.dataset.feed = feed
  element.dataset.state = 'waiting'
  element.innerHTML = `
    <span><span class="feed"></span><span class="pill">asking</span></span>
    <span><span class="price">–</span><span class="change"></span></span>
    <svg class="trace" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true"><path class="area" /><path class="line" /></svg>
    <span class="foot"><span class="detail"></span><span class="faults" title="What the mock says it has broken"></span></span>`
  const part = (name: string) => element.querySelector<HTMLElement>(`.${name}`)!
  part('feed').textContent = feed
  element.addEventListener('click', onChoose)
  let last: number | undefined

  const card: Card = {
    show({ state, detail, price, age }, faults) {
      element.dataset.state = state
      part('pill').textContent = WORDS[state]
      part('detail').textContent = state === 'fresh' ? `${Math.max(0, age ?? 0)} s old · ${detail}` : detail
      part('faults').textContent = faults.join(' ')
      if (price === undefined) return
      const { classList } = part('price')
      classList.remove('rose', 'fell')
      // Reading the width restarts the animation.
      void part('price').offsetWidth
      if (last !== undefined && price !== last) classList.add(price > last ? 'rose' : 'fell')
      part('price').textContent = formatPrice(price)
      last = price
    },
    trace(prices) {
      if (prices.length < 2) return
      const [low, high] = [Math.min(...prices), Math.max(...prices)]
      const range = high - low || 1
      const points = prices.map((price, i) => {
        const x = (100 * i) / (prices.length - 1)
        return `${x.toFixed(2)} ${(22 - (20 * (price - low)) / range).toFixed(2)}`
      })
      part('line').setAttribute('d', `M${points.join('L')}`)
      const percent = Math.round(10_000 * (prices.at(-1)! / prices[0]! - 1)) / 100
      part('change').textContent = `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(2)} % in 1 h`
      part('change').dataset.way = percent === 0 ? 'none' : percent < 0 ? 'down' : 'up'
      part('area').setAttribute('d', `M${points.join('L')}L100 24L0 24Z`)
    },
    choose(chosen) {
      element.setAttribute('aria-pressed', String(chosen))
    },
  }
  return { element, card }
}
