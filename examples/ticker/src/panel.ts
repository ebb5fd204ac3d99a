// The panel with the chart: the candles of one feed and one interval at a time.
import { askCandles } from './candles'
import { createCandleChart } from './chart'
import { formatPrice } from './format'
import { one, repeat } from './page'
import { INTERVALS } from './settings'

export interface CandlePanel {
  choose(feed: string): void
}

/** Fills the panel and keeps it up to date. */
export function createCandlePanel(historyUrl: string, firstInterval: string, everyMs: number): CandlePanel {
  const panel = one('#candles')
  const [notice, count, intervals] = [one('#candles .notice'), one('#candles .count'), one('#candles .intervals')]
  const chart = createCandleChart(one('#candles .canvas'))
  let feed: string | undefined
  let interval = firstInterval
  /** Feed and interval of the visible candles. */
  let inSight = ''

  const refresh = async (): Promise<void> => {
    if (feed === undefined) return
    const asked = `${feed} ${interval}`
    const answer = await askCandles(historyUrl, feed, interval)
    // Another feed was selected while this reply was on its way.
    if (asked !== `${feed} ${interval}`) return
    const problem = 'problem' in answer ? answer.problem : ''
    panel.dataset.state = problem === '' ? 'shown' : 'missing'
    notice.hidden = problem === ''
    notice.textContent = problem
    if (!('problem' in answer)) {
      chart.draw(answer.candles, asked !== inSight)
      count.textContent = describe(answer.candles.at(-1)!.close, answer.candles.length, answer.leftOut)
      inSight = asked
    } else if (asked !== inSight) {
      // Old candles of this feed stay, faded; those of another are removed.
      chart.draw([], false)
      count.textContent = inSight = ''
    }
  }
  const choose = (to: { readonly feed?: string; readonly interval?: string }): void => {
    feed = to.feed ?? feed
    interval = to.interval ?? interval
    one('#candles h2').textContent = feed ?? ''
    for (const button of intervals.children)
      button.setAttribute('aria-pressed', String(button.textContent === interval))
    panel.dataset.state = 'asking'
    refresh().catch(console.error)
  }
  for (const label of new Set([...INTERVALS, firstInterval])) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = label
    button.addEventListener('click', () => choose({ interval: label }))
    intervals.append(button)
  }
  repeat(everyMs, refresh)
  return { choose: feed => choose({ feed }) }
}

function describe(close: number, count: number, leftOut: number): string {
  const rest = leftOut === 0 ? '' : ` · ${leftOut} left out: null, incomplete or twice`
  return `${formatPrice(close)} · ${count} ${count === 1 ? 'candle' : 'candles'}${rest}`
}
