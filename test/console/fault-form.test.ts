// The fault form of the console: what it offers to copy is accepted by the service and shows the fault on every day of the week.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FaultEntry } from '../../console/src/faults/entry.js'
import { defaultsOf, toEntry } from '../../console/src/faults/entry-form.js'
import type { FaultForm, Schema } from '../../console/src/faults/schema.js'
import { toScenarioFile, toSnippet } from '../../console/src/faults/snippets.js'
import { checkScenarios } from '../../src/cli/input-files.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'
import { openPriceFeed } from '../../src/testing/testing.js'
import { createFolder } from '../support/folder.js'

const URL_ = 'http://127.0.0.1:4700'
const TARGET = {
  url: URL_,
  needsToken: false,
  session: 'default',
  baseUrl: URL_,
  historyUrl: URL_,
  apiKey: 'test-api-key',
  feed: 'BTCUSD',
}
const mock = createMock()
const isFeed = (id: string): boolean => mock.sessions.default.runtime.market.feed(id) !== undefined

/** The forms, as the build of the console makes them. */
const { FORMS, SELECTORS } = await (async () => {
  const { default: config } = await import(String(new URL('../../console/vite.config.mjs', import.meta.url)))
  const source: string = config.plugins[0].load.call({ addWatchFile: () => {} }, '\0virtual:fault-forms')
  return import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<{
    FORMS: readonly FaultForm[]
    SELECTORS: Readonly<Record<string, Schema>>
  }>
})()

const fill = (name: string, values: Readonly<Record<string, string>> = {}) => {
  const form = FORMS.find(({ fault }) => fault === name)!
  return toEntry(form, SELECTORS, { ...defaultsOf(form.options), ...values }, isFeed)
}
const isAccepted = (entry: FaultEntry): boolean => {
  try {
    mock.scenarios.parse('mine', { title: 'T', why: 'W', faults: [entry] })
    return true
  } catch {
    return false
  }
}

it('default: each form without a problem is accepted, and the others need an option', () => {
  expect(FORMS.length).toBeGreaterThan(50)
  for (const { fault } of FORMS) {
    const { entry, problem } = fill(fault)
    expect([fault, problem === '', problem]).toEqual([fault, isAccepted(entry), problem])
    if (problem !== '') expect(['market/price', 'market/path']).toContain(fault)
  }
})

it.each([
  ['market/stale', { from: 'abc' }, 'from: abc has the wrong form: write it like 10s.'],
  ['market/stale', { feeds: 'BTCUSD,NOPE' }, 'feeds: there is no feed NOPE.'],
  ['market/stale', { 'options.age': '5 minutes' }, 'age: 5 minutes has the wrong form: write it like 5m.'],
  ['market/stale', { feeds: ',' }, 'feeds: , has the wrong form.'],
  ['reply/status', { requests: 'abc' }, 'requests: abc has the wrong form: write it like 1-3.'],
  ['market/stale', { repeat: '10m' }, 'repeat needs for, the duration of each window.'],
  ['market/stale', { for: '11m', repeat: '10m' }, 'for must be at most 10m, repeat.'],
  ['market/stale', { for: '10m', repeat: '10m' }, ''],
  ['reply/status', { 'options.status': '99' }, 'status: at least 200.'],
  ['signature/tampered-price', { 'options.by': '0' }, 'by: 0 has the wrong form.'],
  ['market/price', {}, 'price is needed.'],
  ['market/path', { 'options.points': '[{"at":"1m"}]' }, 'points: [{"at":"1m"}] has the wrong form.'],
  ['market/path', { 'options.points': '[]' }, 'points: [] has the wrong form.'],
] as const)('error: %s with %j', (fault, values, problem) => {
  const filled = fill(fault, values)
  expect(filled.problem).toBe(problem)
})

it.each([
  ['market/stale', { feeds: 'btcusd', from: '10s', for: '5s', repeat: '1m' }],
  ['market/stale', { feeds: 'BTCUSD ETHUSD', 'options.age': '5m' }],
  ['reply/status', { requests: '{"every":5}' }],
  ['market/path', { feeds: 'BTCUSD', 'options.points': '[{"at":"1m","price":45000}]' }],
  ['market/price', { feeds: 'BTCUSD', 'options.price': '45000' }],
  ['reply/extra-field', { 'options.value': 'null' }],
])('args: %s with %j', (fault, values) => {
  const { entry, problem } = fill(fault, values)
  expect(problem).toBe('')
  expect(isAccepted(entry)).toBe(true)
})

/** Runs the test that the page offers to copy, in a session whose clock stands at a time. */
async function runSnippet(entries: readonly FaultEntry[], at: number, edit = (code: string) => code): Promise<void> {
  await using priceFeed = await openPriceFeed({ clock: { at, frozen: true } })
  const lines = toSnippet('Vitest', entries, TARGET).split('\n')
  const body = lines.slice(lines.findIndex(line => line.startsWith('test(')) + 1, -1)
  const code = edit(body.join('\n').replace('(error: Error)', 'error'))
  await new Function('priceFeed', 'expect', `return (async () => {\n${code}\n})()`)(priceFeed, expect)
}

it('behavior: the test of a market with opening hours passes on every day of the week', async () => {
  const entries: readonly FaultEntry[] = [
    { fault: 'market/closed', feeds: ['EURUSD'] },
    { fault: 'market/closed', feeds: ['EURUSD'], from: '3h', for: '30s' },
    { fault: 'market/closed', feeds: ['XAUUSD'], options: { closes: 'sun 23:00', opens: 'mon 01:00' } },
    { fault: 'market/closed', options: { closes: 'wed 10:00', opens: 'wed 10:02' } },
  ]
  for (const entry of entries)
    for (let day = 0; day < 7; day++) await runSnippet([entry], Date.UTC(2026, 10, 16 + day, 12) / 1000)
  expect(toSnippet('Vitest', [{ fault: 'market/stale' }], TARGET)).not.toContain('clock.set')
})

it.each(FORMS.map(({ fault }) => fault).filter(name => !['market/price', 'market/path'].includes(name)))(
  'behavior: the test of %s passes, and fails without the fault',
  async name => {
    const { entry } = fill(name)
    const at = Date.UTC(2026, 10, 16, 12) / 1000
    await runSnippet([entry], at)
    const without = (code: string) => code.replace(/ {2}await priceFeed\.setScenario\([\s\S]*?\n? {2}?\] \}\)/, '')
    await expect(
      runSnippet([entry], at, code => {
        expect(without(code)).not.toBe(code)
        return without(code)
      }),
    ).rejects.toThrow()
  },
)

it('behavior: the test of a window passes too when a page takes some seconds to load', async () => {
  const entry = { fault: 'reply/status', from: '20s', for: '30s' }
  const slow = (code: string) => code.replace('  // Call', "  await priceFeed.clock.advance('10s')\n  // Call")
  await runSnippet([entry], Date.UTC(2026, 10, 16) / 1000, slow)
})

it.each(['market/stale', 'market/crash', 'market/closed', 'tick/ts-backwards', 'reply/rate-limit', 'series/empty'])(
  'behavior: the commands of %s show it',
  async name => {
    const commands = toSnippet('curl', [fill(name, { from: '20s', for: '30s' }).entry], TARGET)
    await using priceFeed = await openPriceFeed({ clock: { at: Date.UTC(2026, 10, 16) / 1000, frozen: true } })
    for (const [, body] of commands.matchAll(/ -d '(.*)'/g)) {
      const { clock, scenario } = JSON.parse(body!)
      if (clock?.at !== undefined) await priceFeed.clock.set(clock.at)
      if (scenario !== undefined) await priceFeed.setScenario(scenario)
      if (clock?.advance !== undefined) await priceFeed.clock.advance(clock.advance)
    }
    const [, path, count = '1'] = /4700(\/[^"#]+)(?:#\[1-(\d+)\])?"?$/.exec(commands)!
    const headers = { authorization: priceFeed.apiKey }
    for (let i = 0; i < Number(count); i++) await priceFeed.fetch(priceFeed.baseUrl + path, { headers })
    await priceFeed.expectFaultsFired()
  },
)

it('behavior: the command of such a market sets the clock too', async () => {
  const [, body] = / -d '(.*)'/.exec(toSnippet('curl', [{ fault: 'market/closed', feeds: ['EURUSD'] }], TARGET))!
  mock.change(JSON.parse(body!))
  const { headers } = await createFetch(mock)('http://mock/prices/EURUSD/latest', {
    headers: { authorization: 'test-api-key' },
  })
  expect(headers.get('x-price-feed-mock')).toContain('market/closed')
})

it('behavior: the commands send the token of the admin, and candles come from their own address', () => {
  const target = { ...TARGET, needsToken: true, historyUrl: 'http://127.0.0.1:4701' }
  const text = toSnippet('curl', [{ fault: 'series/empty' }], target)
  expect(text).toContain('-H "authorization: Bearer YOUR_TOKEN"')
  expect(text).toContain('"http://127.0.0.1:4701/charting/feeds-data?')
})

it.each([
  ['a fault added by hand', { faults: [{ fault: 'market/stale' }] }],
  [
    'a hundred of them, with a clock',
    { clock: { at: 0 }, faults: Array(100).fill({ fault: 'signature/wrong-signer' }) },
  ],
  ['a scenario by name', mock.scenarios.get('chaos').source],
])('behavior: check accepts the copied file of %s', (_, source) => {
  const folder = createFolder(onTestFinished)
  const file = join(folder, 'copied.json')
  const copied = toScenarioFile(source as { faults: FaultEntry[] })
  writeFileSync(file, copied)
  expect(checkScenarios([file], undefined).errors).toEqual([])
  expect(JSON.parse(copied)).toMatchObject(source)
})

it('behavior: a test asks until some of every N requests are selected', () => {
  const asks = (requests: string) =>
    /i < (\w+)/.exec(toSnippet('Vitest', [{ fault: 'reply/status', requests }], TARGET))?.[1]
  expect([asks('5-7 of 34'), asks('2,4'), asks('3-6')]).toEqual(['7', '4', '6'])
})

it('behavior: a test has the time that its requests can take', () => {
  const limit = (requests: string) =>
    toSnippet('Vitest', [{ fault: 'wire/timeout', requests }], TARGET)
      .split('\n')
      .at(-1)
  expect([limit('1-2'), limit('1-5')]).toEqual(['})', '}, 11000)'])
})
