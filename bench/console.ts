// The console with 500 synthetic feeds: work of the page's main thread, from a trace of Chromium.
import { type CDPSession, chromium, type Page } from 'playwright'
import type * as Server from '../src/hosts/node/server.js'
import type { FaultInput } from '../src/index.js'
import { CHROMIUM, NO_CHROMIUM } from '../test/support/find-chromium.js'
import { print, type Row } from './measure.js'

const SECONDS = 6
/** A frame at 60 frames per second. */
const FRAME_MS = 1000 / 60

/** Requests of a second, and faults of 500 windows in the time in sight. */
const REQUESTS = 100
const FAULTS: readonly FaultInput[] = Array.from({ length: 10 }, (_, i) => ({
  fault: 'market/stale',
  feeds: ['ETHUSD'],
  from: `${i}s`,
  for: '1s',
  repeat: '2s',
}))

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds: of the processor, and of the clock. */
  readonly tdur?: number
  readonly dur?: number
  readonly args?: { readonly name?: string }
}

/** Prints the figures of the console. */
export async function benchConsole(): Promise<void> {
  if (NO_CHROMIUM !== undefined) {
    console.log(`\nThe console is left out. ${NO_CHROMIUM}`)
    return
  }
  // The package: only that has a console.
  const { startServer } = (await import(
    new URL('../../dist/hosts/node/server.js', import.meta.url).href
  )) as typeof Server
  const server = await startServer({ port: 0, syntheticFeeds: 500 })
  const browser = await chromium.launch(CHROMIUM)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const debug = await page.context().newCDPSession(page)
  await page.goto(`${server.url}/_mock/`)
  await page.locator('.axis-page[data-ready="true"]').waitFor()
  const end = () => Date.now() + 1000 * SECONDS
  const rows = [
    ...(await trace(page, debug, 'prices tick', async () => page.waitForTimeout(1000 * SECONDS))),
    ...(await trace(page, debug, 'the table scrolls, 120 px each frame', async () => {
      await page.locator('.market-table .grid').hover()
      for (const until = end(); Date.now() < until; await page.waitForTimeout(FRAME_MS)) await page.mouse.wheel(0, 120)
    })),
    ...(await trace(page, debug, 'a search is typed, 8 keys per second', async () => {
      await page.getByLabel('Search feeds').focus()
      for (const until = end(); Date.now() < until; )
        for (const key of [...'49us', ...Array<string>(4).fill('Backspace')])
          await page.keyboard.press(key, { delay: 125 })
    })),
  ]
  server.mock.change({ scenario: { faults: FAULTS } })
  await page.goto(`${server.url}/_mock/#/axis?w=17m`)
  await page.locator('.axis-page[data-ready="true"]').waitFor()
  const ask = () => fetch(`${server.url}/prices/BTCUSD/latest`, { headers: { authorization: 'test-api-key' } })
  const asking = setInterval(() => void ask().then(reply => reply.text()), 1000 / REQUESTS)
  await page.waitForTimeout(1000 * SECONDS)
  rows.push(
    ...(await trace(page, debug, `the axis, ${REQUESTS} requests and ${FAULTS.length} faults`, async () =>
      page.waitForTimeout(2000 * SECONDS),
    )),
  )
  clearInterval(asking)
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'))
  print('The console with 500 synthetic feeds', [...rows, { name: 'elements of the page', value: elements, unit: '' }])
  await browser.close()
  await server.stop()
}

/** Records a trace during `work`. The time of the processor counts, since others may use it as well. */
async function trace(page: Page, debug: CDPSession, name: string, work: () => Promise<void>): Promise<Row[]> {
  const events: TraceEvent[] = []
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]))
  debug.on('Tracing.dataCollected', collect)
  await debug.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] },
  })
  await page.evaluate(`globalThis.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value
  }).observe({ type: 'layout-shift' })`)
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  const isComplete = new Promise(resolve => debug.once('Tracing.tracingComplete', resolve))
  await debug.send('Tracing.end')
  await isComplete
  debug.off('Tracing.dataCollected', collect)
  const main = mainThread(events)
  const perSecond = (...names: string[]): number => {
    const found = main.filter(event => names.includes(event.name))
    return found.reduce((sum, event) => sum + milliseconds(event), 0) / seconds
  }
  const longest = Math.max(...main.map(milliseconds))
  return [
    { name: `${name}: main thread`, value: perSecond(TASK), unit: 'ms/s' },
    { name: '  of these, scripts', value: perSecond('FunctionCall'), unit: 'ms/s' },
    { name: '  style and layout', value: perSecond('UpdateLayoutTree', 'Layout'), unit: 'ms/s' },
    { name: '  paint', value: perSecond('PrePaint', 'Paint', 'Layerize', 'Commit'), unit: 'ms/s' },
    { name: '  the longest task', value: longest, unit: 'ms', goal: Math.round(10 * FRAME_MS) / 10 },
    { name: '  layout shift', value: Number(await page.evaluate('globalThis.shift')), unit: '', goal: 0.001 },
  ]
}

const TASK = 'RunTask'
const milliseconds = ({ tdur, dur }: TraceEvent): number => (tdur ?? dur ?? 0) / 1000

/** The events of the thread that runs the page: of all main threads of pages, the busiest. */
function mainThread(events: readonly TraceEvent[]): TraceEvent[] {
  const keyOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const pages = new Set(events.filter(({ args }) => args?.name === 'CrRendererMain').map(keyOf))
  const busy = new Map<string, TraceEvent[]>()
  for (const event of events) {
    // In some versions the task has a prefix: "ThreadControllerImpl::RunTask".
    const name = event.name.endsWith(`::${TASK}`) ? TASK : event.name
    const key = keyOf(event)
    if (event.ph !== 'X' || !pages.has(key)) continue
    const known = busy.get(key)
    if (known === undefined) busy.set(key, [{ ...event, name }])
    else known.push({ ...event, name })
  }
  return [...busy.values()].sort((a, b) => b.length - a.length)[0] ?? []
}
