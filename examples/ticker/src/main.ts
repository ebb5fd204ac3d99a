// The page: requests every feed once a second by default and shows a verdict on each reply.
import { ask, type ClockOf, type Reply } from './ask'
import { askCandles } from './candles'
import { type Card, createCard } from './cards'
import { formatTime } from './format'
import { one, repeat } from './page'
import { createCandlePanel } from './panel'
import { connectAdmin } from './server'
import { readSettings, type Settings } from './settings'
import './style.css'
import { judge, type State } from './verdict'
import type { PageMock } from './worker'

const CLOCKS: Readonly<Record<ClockOf, string>> = {
  mock: 'clock of the mock',
  service: 'clock of the service',
  page: 'clock of this computer',
}

try {
  const settings = readSettings(location.search, import.meta.env)
  one('#mode').textContent = settings.worker ? 'service worker' : new URL(settings.baseUrl).host
  if (settings.worker !== undefined) {
    // A production build has no worker: startWorker would reject.
    if (import.meta.env.DEV) {
      const { startMock } = await import('./worker')
      offerScenarios(await startMock(settings, settings.worker))
    } else throw new Error('?worker=1 works in development only: npm run dev.')
  }
  watch(settings, async () => {
    if (settings.worker !== undefined) return
    const server = await connectAdmin(settings.baseUrl)
    if (server !== undefined) offerScenarios(server)
  })
} catch (error) {
  console.error(error)
  // The page shows the first line of an error, the console the rest.
  summarise('failed', `The ticker did not start: ${String(error).split('\n')[0]}`)
}

/** The list of scenarios, to select from while the page runs. */
function offerScenarios({ scenarios, setScenario, running }: PageMock): void {
  const select = one<HTMLSelectElement>('#scenario select')
  const own = new Option('one of your own', '')
  own.hidden = true
  select.append(own, ...scenarios.map(({ name, title }) => new Option(title, name)))
  select.addEventListener('change', () => setScenario(select.value).catch(console.error))
  repeat(1000, async () => {
    const name = await running()
    select.value = scenarios.some(scenario => scenario.name === name) ? name : ''
    select.title = scenarios.find(scenario => scenario.name === name)?.why ?? ''
  })
  one('#scenario').hidden = false
}

/** @param onMock called once, when a reply turns out to be that of a mock */
function watch(
  { feeds, baseUrl, historyUrl, apiKey, signers, interval, everyMs }: Settings,
  onMock: () => Promise<void>,
): void {
  let isMock = false
  const states = new Map<string, State>()
  const cards = new Map<string, Card>()
  const panel = createCandlePanel(historyUrl, interval, 2 * everyMs)
  const choose = (feed: string): void => {
    for (const [name, card] of cards) card.choose(name === feed)
    panel.choose(feed)
  }
  for (const feed of feeds) {
    const { element, card } = createCard(feed, () => choose(feed))
    one('#cards').append(element)
    cards.set(feed, card)
    repeat(everyMs, async () => {
      const answer = await ask(`${baseUrl}/prices/${encodeURIComponent(feed)}/latest`, apiKey)
      if (answer.kind === 'reply') showClock(answer)
      if (!isMock && answer.kind === 'reply' && answer.clockOf === 'mock') {
        isMock = true
        onMock().catch(console.error)
      }
      const verdict = judge(feed, answer, signers)
      card.show(verdict, answer.kind === 'reply' ? answer.faults : [])
      states.set(feed, verdict.state)
      count([...states.values()], feeds.length)
    })
    repeat(10 * everyMs, async () => {
      const answer = await askCandles(historyUrl, feed, '1m')
      if ('candles' in answer) card.trace(answer.candles.slice(-61).map(({ close }) => close))
    })
  }
  choose(feeds[0]!)
}

function showClock({ now, clockOf }: Reply): void {
  one('#clock').textContent = `${formatTime(now)} UTC, ${CLOCKS[clockOf]}`
}

function count(states: readonly State[], total: number): void {
  const fresh = states.filter(state => state === 'fresh').length
  if (fresh === total) summarise('fresh', `All ${total} feeds fresh`)
  else summarise('failed', `${fresh} of ${total} feeds fresh`)
}

function summarise(state: 'fresh' | 'failed', text: string): void {
  const summary = one('#summary')
  summary.dataset.state = state
  // Screen readers read a status again whenever it is written.
  if (summary.textContent !== text) summary.textContent = text
}
