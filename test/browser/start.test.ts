// `startWorker` in a page: started twice, restarted, and without its script.
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'

describe('startWorker', needs(NO_CHROMIUM), () => {
  let browser: Browser
  let page: Page
  // A stop asks again and again whether the registration has ended, and a browser under load takes its time.
  const url = `${inject('workerHost').url}#real-timers`

  beforeAll(async () => (browser = await chromium.connect(inject('workerHost').browser)))
  beforeEach(async () => {
    page = await browser.newPage()
    await page.goto(url)
    await page.evaluate(`
      var running
      var start = options => startWorker({ baseUrl: 'https://api.example', ...options })
      var refusalOf = starting => starting.then(() => 'started', ({ code, message, cause }) => ({ code, message, cause: String(cause) }))
      var statusOf = () => fetch('https://api.example/_mock/health').then(({ status }) => status, String)`)
  })
  afterAll(() => browser?.close())

  const REFUSAL = {
    code: 'WORKER_RUNNING',
    message: `This page already has a running worker of the mock.
  fix   reuse the result of the first startWorker, or await its stop() before the next
  code  WORKER_RUNNING`,
  }

  it('error: another one runs, and keeps running', async () => {
    await page.evaluate('start()')
    expect(await page.evaluate('refusalOf(start())')).toMatchObject(REFUSAL)
    expect(await page.evaluate('statusOf()')).toBe(200)
  })

  it('error: another one is just starting, and still reads its series', async () => {
    await page.evaluate(
      `var series = [{ as: 'BTCUSD', rows: [{ ts: 1753354100, price: 110085 }, { ts: 1753354106, price: 110090 }] }]`,
    )
    const both = 'Promise.all([refusalOf(start({ series })), refusalOf(start({ series }))])'
    expect(await page.evaluate(both)).toMatchObject(['started', REFUSAL])
  })

  it('behavior: one that could not start is followed by one that can', async () => {
    expect(await page.evaluate(`refusalOf(start({ seed: {} }))`)).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(await page.evaluate('refusalOf(start())')).toBe('started')
  })

  it('error: another one is just starting', async () => {
    expect(await page.evaluate('Promise.all([refusalOf(start()), refusalOf(start())])')).toMatchObject([
      'started',
      REFUSAL,
    ])
  })

  it('behavior: where streams cannot go to a worker, as in Safari, a truncated reply is a network error', async () => {
    await page.evaluate(`
      for (const [owner, name] of [[MessagePort.prototype, 'postMessage'], [globalThis, 'structuredClone']]) {
        const real = owner[name]
        owner[name] = function (value, ...rest) {
          if (value instanceof ReadableStream) throw new DOMException('', 'DataCloneError')
          return real.call(this, value, ...rest)
        }
      }`)
    const faults = [{ fault: 'wire/truncate' }]
    await page.evaluate(`start({ scenario: ${JSON.stringify({ title: 'Cut', why: 'A test.', faults })} })`)
    await page.evaluate(`
      var address = 'https://api.example/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m'
      var ask = method => fetch(address, { method }).then(({ status }) => status, String)`)
    expect(await page.evaluate(`ask('GET')`)).toMatch('TypeError')
    // It has no body that could break.
    expect(await page.evaluate(`ask('HEAD')`)).toBe(200)
    expect(await page.evaluate('statusOf()')).toBe(200)
  })

  it('behavior: the next one starts after a stop, and a second stop of the first has no effect', async () => {
    const statuses = await page.evaluate(`(async () => {
      const first = await start()
      await first.stop()
      const second = await start()
      const before = await statusOf()
      await first.stop()
      const after = await statusOf()
      await second.stop()
      return [before, after, await statusOf()]
    })()`)
    expect(statuses).toEqual([200, 200, 'TypeError: Failed to fetch'])
  })

  it('behavior: a stop ends with the registration, so that the next start never meets one that is ending', async () => {
    const errors: string[] = []
    page.on('pageerror', error => void errors.push(String(error)))
    const left = await page.evaluate(`(async () => {
      const left = []
      for (let i = 0; i < 20; i++) {
        await (await start()).stop()
        left.push(await navigator.serviceWorker.getRegistration())
      }
      return left.filter(Boolean).length
    })()`)
    expect(left).toBe(0)
    expect(errors).toEqual([])
  })

  it('behavior: a stop leaves the worker of another tab alone', async () => {
    const context = await browser.newContext()
    const [first, second] = await Promise.all([context.newPage(), context.newPage()])
    const run = (tab: Page, rest: string): Promise<unknown> =>
      tab.evaluate(`startWorker({ baseUrl: 'https://api.example' }).then(${rest})`)
    for (const tab of [first, second]) await tab.goto(url)
    await run(first, '() => {}')
    await run(second, 'running => running.stop()')
    expect(await first.evaluate(`fetch('https://api.example/_mock/health').then(({ status }) => status)`)).toBe(200)
    await context.close()
  })

  it.each([
    ['there is nothing', '/nowhere.js'],
    ['the server sends its page', '/'],
  ])('error: no script: %s', async (_title, url) => {
    const refusal = await page.evaluate(`refusalOf(start({ serviceWorker: { url: '${url}' } }))`)
    expect(refusal).toMatchObject({
      code: 'FILE_UNREADABLE',
      message: `There is no worker script at ${url}.
  fix   npx msw init public --save, or set its address: serviceWorker: { url }
  code  FILE_UNREADABLE`,
      cause: expect.stringContaining('Failed to register'),
    })
    // The third start met globals that the one without a script had patched.
    for (let i = 0; i < 3; i++) {
      expect(await page.evaluate('refusalOf((async () => (running = await start()))())')).toBe('started')
      expect(await page.evaluate('statusOf()')).toBe(200)
      if (i < 2) await page.evaluate('running.stop()')
    }
  })

  it('error: a script that does not see the requests of the page', async () => {
    const options = "{ serviceWorker: { options: { scope: '/elsewhere/' } } }"
    expect(await page.evaluate(`refusalOf(start(${options}))`)).toMatchObject({
      code: 'OPTIONS_INVALID',
      message: expect.stringContaining('The worker does not see the requests of this page.'),
    })
    expect(await page.evaluate('refusalOf(start())')).toBe('started')
    expect(await page.evaluate('statusOf()')).toBe(200)
  })

  it('behavior: msw reports other failures of the script', async () => {
    const options = "{ serviceWorker: { options: { scope: 'https://elsewhere.example/' } } }"
    expect(await page.evaluate(`start(${options}).catch(String)`)).not.toContain('worker script')
  })

  it.each(['{}', '{ baseUrl: undefined }', '{ baseUrl: null }', 'undefined'])('error: %s', async options => {
    expect(await page.evaluate(`refusalOf(startWorker(${options}))`)).toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})
