// Draws charts of the market and of its crashes into docs/images/market: candles and volume as SVG, the same on every machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** The time of all charts: their end, or the start of their scenario. */
const AT = Date.UTC(2025, 6, 24, 12) / 1000

/**
 * The charts by file name: `count` candles of `width` seconds. With a scenario, `before` of them come before its start.
 * `weekends` marks the hours from Friday to Sunday, 21:00 UTC; `log` makes equal parts of the price equally high.
 */
export const CHARTS = {
  'btc-1m': { feed: 'BTCUSD', width: MINUTE, count: 180 },
  'btc-1h': { feed: 'BTCUSD', width: HOUR, count: 168 },
  'btc-1d': { feed: 'BTCUSD', width: DAY, count: 180 },
  'btc-3d': { feed: 'BTCUSD', width: 3 * DAY, count: 365 },
  'eur-1h': { feed: 'EURUSD', width: HOUR, count: 168, weekends: true },
  'doge-5m': { feed: 'DOGEUSD', width: 5 * MINUTE, count: 180 },
  'usdc-1h': { feed: 'USDCUSD', width: HOUR, count: 168 },
  'flash-crash': { feed: 'BTCUSD', width: 2, count: 140, scenario: 'flash-crash', before: 20 },
  'depeg-usdc': { feed: 'USDCUSD', width: 10, count: 150, scenario: 'depeg-usdc', before: 30 },
  'black-thursday': { feed: 'BTCUSD', width: HOUR, count: 216, scenario: 'black-thursday', before: 24 },
  'luna-collapse': { feed: 'INJUSD', width: 2 * HOUR, count: 144, scenario: 'luna-collapse', before: 24, log: true },
  'luna-collapse-stable': { feed: 'USDEUSD', width: 2 * HOUR, count: 144, scenario: 'luna-collapse', before: 24 },
  'usdc-bank-run': { feed: 'USDCUSD', width: 30 * MINUTE, count: 144, scenario: 'usdc-bank-run', before: 24 },
  'liquidation-cascade': {
    feed: 'BTCUSD',
    width: 10 * MINUTE,
    count: 156,
    scenario: 'liquidation-cascade',
    before: 24,
  },
  'news-spike': { feed: 'BTCUSD', width: MINUTE, count: 120, scenario: 'news-spike', before: 30 },
}

/** Maximum number of candles of a scenario in a request; more than there are before it begins. */
const PART = 72

// The picture, in pixels: prices above, volume below, labels on the right and at the bottom.
const WIDTH = 960
const RIGHT = 868
const LEFT = 16
const TOP = 44
const FLOOR = 300
const VOLUME_TOP = 314
const BOTTOM = 372
const HEIGHT = 400

/** The colours of the console, light and dark. */
const STYLE = `.page{fill:#fff}.line{stroke:#e3e6ec;fill:none}.mark{stroke:#8a5600;stroke-dasharray:4 4}.rest{fill:#eceef3}
text{font:12px ui-sans-serif,system-ui,"Liberation Sans",sans-serif;fill:#5a6371}.title{font-size:15px;fill:#171b22}
.up{stroke:#10935a;fill:#10935a}.down{stroke:#cf3240;fill:#cf3240}.volume{stroke:none;opacity:.45}
@media(prefers-color-scheme:dark){.page{fill:#11161f}.line{stroke:#1d2430}.mark{stroke:#f2b04b}.rest{fill:#1a212d}
text{fill:#929db0}.title{fill:#e8ebf1}.up{stroke:#35c78a;fill:#35c78a}.down{stroke:#f0616d;fill:#f0616d}}`

/** Draws a chart as the text of an SVG file. */
export async function drawChart(name, { createMock, createFetch }) {
  const chart = CHARTS[name]
  const { feed, width, count, scenario, before = 0, weekends = false, log = false } = chart
  const mock = createMock({
    seed: '42',
    clock: { at: AT, frozen: true },
    policy: { candles: scenario === undefined ? count : PART },
  })
  const target = `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${toInterval(width)}`
  const candles = []
  // A scenario begins when it is set: the candles before it are those of a calm market.
  // The days themselves: the scenarios play them faster.
  if (scenario !== undefined) mock.setScenario({ ...mock.scenarios.get(scenario).source, pace: 1 })
  // Past candles stay as they are, so long charts of a scenario are asked for in parts: a whole one may be too costly.
  const part = scenario === undefined ? count : PART
  while (candles.length < count) {
    const size = Math.min(part, count - candles.length)
    mock.clock.set(AT + (scenario === undefined ? 0 : candles.length + size - before) * width - 1)
    const response = await createFetch(mock)(`http://mock${target}`)
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
    const { result } = (await response.json()).data
    if (result.length < size) throw new Error(`${name}: ${result.length} candles, expected ${size}`)
    candles.push(...result.slice(-size))
  }

  const low = Math.min(...candles.map(candle => candle.low))
  const high = Math.max(...candles.map(candle => candle.high))
  const scaled = price => (log ? Math.log(price) : price)
  const priceY = price => FLOOR - ((scaled(price) - scaled(low)) / (scaled(high) - scaled(low))) * (FLOOR - TOP)
  const most = Math.max(...candles.map(candle => candle.volume))
  const volumeY = volume => BOTTOM - (volume / most) * (BOTTOM - VOLUME_TOP)
  const step = (RIGHT - LEFT) / count
  const first = candles[0].time / 1000
  const timeX = second => LEFT + ((second - first) / width) * step
  const title = `${feed}, ${toInterval(width)}${scenario === undefined ? '' : `, scenario ${scenario}`}`

  const parts = [`<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`]
  if (weekends) parts.push(...restsBetween(first, AT).map(([a, b]) => box('rest', timeX(a), TOP, timeX(b), BOTTOM)))
  for (const price of log ? powersOfTen(low, high) : roundNumbers(low, high)) {
    parts.push(horizontal(priceY(price)), label(RIGHT + 8, priceY(price) + 4, toText(price, high - low, log)))
  }
  for (const second of timesBetween(first, first + count * width)) {
    parts.push(`<path class="line" d="M${round(timeX(second))} ${TOP}V${BOTTOM}"/>`)
    parts.push(label(timeX(second), BOTTOM + 18, timeLabel(second, count * width), 'middle'))
  }
  if (scenario !== undefined) parts.push(`<path class="mark" d="M${round(timeX(AT))} ${TOP}V${BOTTOM}"/>`)
  for (const [direction, chosen] of [
    ['up', candles.filter(({ open, close }) => close >= open)],
    ['down', candles.filter(({ open, close }) => close < open)],
  ]) {
    const paths = { candles: '', volume: '' }
    for (const { time, open, high: top, low: foot, close, volume } of chosen) {
      const x = timeX(time / 1000 + width / 2)
      const half = step * 0.35
      const [a, b] = [priceY(Math.max(open, close)), priceY(Math.min(open, close))]
      paths.candles += `M${round(x)} ${round(priceY(top))}V${round(priceY(foot))}`
      paths.candles += `M${round(x - half)} ${round(a)}h${round(2 * half)}v${round(b - a)}h${round(-2 * half)}z`
      paths.volume += `M${round(x - half)} ${BOTTOM}V${round(volumeY(volume))}h${round(2 * half)}V${BOTTOM}z`
    }
    parts.push(`<path class="${direction}" d="${paths.candles}"/>`)
    parts.push(`<path class="${direction} volume" d="${paths.volume}"/>`)
  }
  parts.push(label(RIGHT + 8, VOLUME_TOP + 10, `${toAmount(most)} USD`))
  parts.push(`<text class="title" x="${LEFT}" y="26">${title}</text>`)
  const days = [first, first + count * width - 1].map(dayOf)
  parts.push(label(RIGHT, 26, [...new Set(days)].join(' to '), 'end'))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
${parts.join('\n')}
</svg>
`
}

/** At most one digit after the point: a tenth of a pixel. */
const round = value => String(Math.round(value * 10) / 10)

const label = (x, y, text, anchor = 'start') =>
  `<text x="${round(x)}" y="${round(y)}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${text}</text>`

const horizontal = y => `<path class="line" d="M${LEFT} ${round(y)}H${RIGHT}"/>`

const box = (kind, left, top, right, bottom) =>
  `<rect class="${kind}" x="${round(left)}" y="${top}" width="${round(right - left)}" height="${bottom - top}"/>`

/** An interval of the charting endpoint. */
function toInterval(seconds) {
  for (const [unit, size] of [
    ['d', DAY],
    ['h', HOUR],
    ['m', MINUTE],
  ])
    if (seconds % size === 0) return `${seconds / size}${unit}`
  return `${seconds}s`
}

/** About five round numbers in `low … high`. */
function roundNumbers(low, high) {
  const rough = (high - low) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const size = [1, 2, 5, 10].map(factor => factor * power).find(each => each >= rough)
  const numbers = []
  for (let k = Math.ceil(low / size); k * size <= high; k++) numbers.push(k * size)
  return numbers
}

function powersOfTen(low, high) {
  const numbers = []
  for (let k = Math.ceil(Math.log10(low)); 10 ** k <= high; k++) numbers.push(10 ** k)
  return numbers
}

function toText(price, range, log) {
  const digits = Math.min(8, Math.max(0, Math.ceil(-Math.log10(log ? price : range / 10))))
  const [whole, fraction] = price.toFixed(digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

function toAmount(amount) {
  for (const [unit, size] of [
    ['bn', 1e9],
    ['m', 1e6],
    ['k', 1e3],
  ])
    if (amount >= size) return `${(amount / size).toPrecision(3)} ${unit}`
  return amount.toPrecision(3)
}

/** Round times in a span, five to ten of them. */
function timesBetween(from, to) {
  const sizes = [30, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY, 2 * DAY, 30 * DAY]
  const size = sizes.find(each => (to - from) / each <= 10)
  const times = []
  // The first label needs some room.
  for (let k = Math.ceil(from / size); k * size < to; k++)
    if ((k * size - from) / (to - from) > 0.02) times.push(k * size)
  return times
}

const dayOf = second => new Date(second * 1000).toISOString().slice(0, 10)

function timeLabel(second, span) {
  const text = new Date(second * 1000).toISOString()
  if (span > 5 * DAY || second % DAY === 0) return text.slice(5, 10)
  return span < 10 * MINUTE ? text.slice(11, 19) : text.slice(11, 16)
}

/** The hours from Friday to Sunday, 21:00 UTC, within a span. */
function restsBetween(from, to) {
  // 1970-01-02 was a Friday.
  const friday = DAY + 21 * HOUR
  const rests = []
  for (let start = friday + Math.floor((from - friday) / (7 * DAY)) * 7 * DAY; start < to; start += 7 * DAY) {
    const [a, b] = [Math.max(from, start), Math.min(to, start + 2 * DAY)]
    if (a < b) rests.push([a, b])
  }
  return rests
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [{ createMock }, { createFetch }] = await Promise.all([
    import('../dist/index.js'),
    import('../dist/hosts/fetch.js'),
  ])
  const folder = join(ROOT, 'docs', 'images', 'market')
  mkdirSync(folder, { recursive: true })
  for (const name of Object.keys(CHARTS))
    writeFileSync(join(folder, `${name}.svg`), await drawChart(name, { createMock, createFetch }))
}
