// Tests and commands that repeat a scenario outside of the page.
import { quote } from '../../../src/admin/reproduce-command.js'
import { type FaultEntry, toSeconds } from './entry.js'

/** The session and the feed of the snippets. */
export interface SnippetTarget {
  /** The address of the admin. */
  readonly url: string
  readonly needsToken: boolean
  readonly session: string
  readonly baseUrl: string
  readonly historyUrl: string
  readonly apiKey: string
  readonly feed: string
}

/** The kinds of snippets. */
export const SNIPPETS = ['Vitest', 'Playwright', 'curl'] as const
export type SnippetKind = (typeof SNIPPETS)[number]

/** A snippet for the faults of a scenario. */
export function toSnippet(kind: SnippetKind, faults: readonly FaultEntry[], target: SnippetTarget): string {
  return { Vitest: toVitest, Playwright: toPlaywright, curl: toCurl }[kind](faults, target)
}

/** The scenario as a file, which has a title and a reason: those of the scenario, or else ones to edit. */
export const toScenarioFile = (
  source: { readonly faults: readonly FaultEntry[] },
  why = 'The mistake of a consumer that it reveals.',
): string => JSON.stringify({ title: namesOf(source.faults).slice(0, 200), why, ...source }, undefined, 2)

function toVitest(faults: readonly FaultEntry[], { feed }: SnippetTarget): string {
  const path = pathFor(faults, feed)
  const base = isCharting(path) ? 'historyUrl' : 'baseUrl'
  const count = requestsFor(faults)
  const request = [
    `await priceFeed`,
    `  .fetch(\`\${priceFeed.${base}}${path}\`, {`,
    `    headers: { authorization: priceFeed.apiKey },`,
    `    signal: AbortSignal.timeout(2000),`,
    `  })`,
    `  .then(reply => reply.text())`,
    `  .catch(() => 'no reply')`,
  ]
  return [
    `import { test } from 'price-feed-mock/vitest'`,
    ``,
    `test('notices ${namesOf(faults)}', async ({ priceFeed }) => {`,
    ...setClock(faults),
    `  await priceFeed.setScenario({ faults: ${indent(JSON.stringify(faults, undefined, 2), 2)} })`,
    ...advance(faults),
    `  // Call your code instead, and expect that it notices.`,
    ...(count === 1
      ? request.map(line => `  ${line}`)
      : [`  for (let i = 0; i < ${count}; i++) {`, ...request.map(line => `    ${line}`), `  }`]),
    `  await priceFeed.expectFaultsFired()`,
    // The limit of Vitest is 5 seconds.
    count > 2 ? `}, ${count * 2000 + 1000})` : `})`,
  ].join('\n')
}

function toPlaywright(faults: readonly FaultEntry[]): string {
  return [
    `import { expect, test } from 'price-feed-mock/playwright'`,
    ``,
    `test('shows ${namesOf(faults)}', async ({ page, priceFeed }) => {`,
    ...setClock(faults),
    `  await priceFeed.setScenario({ faults: ${indent(JSON.stringify(faults, undefined, 2), 2)} })`,
    ...advance(faults),
    `  // The address of your app.`,
    `  await page.goto(\`http://localhost:5173/?base=\${encodeURIComponent(priceFeed.baseUrl)}&key=\${priceFeed.apiKey}\`)`,
    `  await expect(() => priceFeed.expectFaultsFired()).toPass({ timeout: 10_000 })`,
    `  // Expect the message of your app as well:`,
    `  // await expect(page.getByText('Prices are old')).toBeVisible()`,
    `})`,
  ].join('\n')
}

function toCurl(faults: readonly FaultEntry[], target: SnippetTarget): string {
  const { url, needsToken, session, baseUrl, historyUrl, apiKey, feed } = target
  const at = startOf(faults)
  const path = pathFor(faults, feed)
  const count = requestsFor(faults)
  const change = (body: unknown): string[] => [
    `curl -X PATCH ${url}/_mock/sessions/${session} \\`,
    ...(needsToken ? [`  -H "authorization: Bearer YOUR_TOKEN" \\`] : []),
    `  -H "content-type: application/json" \\`,
    `  -d ${quote(JSON.stringify(body))}`,
  ]
  // curl sends no fragment, but a request for each of its numbers.
  const asked = (isCharting(path) ? historyUrl : baseUrl) + path + (count === 1 ? '' : `#[1-${count}]`)
  return [
    ...change({ ...(at === undefined ? {} : { clock: { at } }), scenario: { faults } }),
    ...change({ clock: { advance: `${secondsUntilAll(faults)}s` } }),
    `curl -i -H ${quote(`authorization: ${apiKey}`)} ${quote(asked)}`,
  ].join('\n')
}

const isCharting = (path: string): boolean => path.startsWith('/charting')

const indent = (text: string, by: number): string => text.replaceAll('\n', `\n${' '.repeat(by)}`)

const namesOf = (faults: readonly FaultEntry[]): string => faults.map(({ fault }) => fault).join(' and ')

/** A request that the first fault can affect. */
function pathFor([first]: readonly FaultEntry[], chosen: string): string {
  const { fault = '', feeds, endpoints } = first ?? {}
  const feed = feeds?.[0] ?? chosen
  const other = feed.toUpperCase() === 'ETHUSD' ? 'BTCUSD' : 'ETHUSD'
  const paths: Readonly<Record<string, string>> = {
    candles: `/charting/feeds-data?feedids=${feed.toLowerCase()}&feed=${feed.toLowerCase()}&type=1&interval=1m`,
    batch: `/prices/batch?feedIds=${other},${feed}`,
    history: `/prices/queryHistory?feedIds=${feed}&minutes=60`,
    evm: `/prices/evm/crypto?feedIds=${feed}`,
    latest: `/prices/${feed}/latest`,
  }
  const wanted = fault.startsWith('series/')
    ? 'candles'
    : /batch-|-feed$/.test(fault)
      ? 'batch'
      : fault === 'signature/evm-v-parity'
        ? 'evm'
        : // The price of one tick is gone from the others a second later.
          fault === 'market/bad-tick' || fault === 'reply/high-low-swapped'
          ? 'history'
          : 'latest'
  const isPossible = endpoints === undefined || endpoints.includes(wanted)
  return paths[isPossible ? wanted : endpoints[0]!] ?? paths.latest!
}

/** The clock moves to where every fault has an effect, and stays there while a page loads: an age, for example, needs time to pass. */
const advance = (faults: readonly FaultEntry[]): string[] => [
  `  await priceFeed.clock.advance('${secondsUntilAll(faults)}s')`,
]

const secondsUntilAll = (faults: readonly FaultEntry[]): number =>
  Math.max(
    1,
    ...faults.map(fault => toSeconds(fault.from ?? '0s') + Math.min(60, Math.floor(toSeconds(fault.for ?? '1h') / 2))),
  )

const setClock = (faults: readonly FaultEntry[]): string[] => {
  const at = startOf(faults)
  return at === undefined ? [] : [`  // The market is closed then.`, `  await priceFeed.clock.set('${at}')`]
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const WEEK = 604_800
/** A Monday, at 00:00. Any would do: fixed, so that the prices of a copied test are always the same. */
const MONDAY = Date.UTC(2025, 6, 21) / 1000

/** The time to start at so that a market with opening hours is closed when the clock has moved. Undefined: any time will do. */
function startOf(faults: readonly FaultEntry[]): string | undefined {
  const closed = faults.find(({ fault }) => fault === 'market/closed')
  if (closed === undefined) return undefined
  const { closes = 'fri 21:00', opens = 'sun 21:00' } = closed.options ?? {}
  const [from, to] = [toSecondOfWeek(String(closes)), toSecondOfWeek(String(opens))]
  // The middle of the hours in which it is closed.
  const middle = from + Math.floor(((to - from + WEEK) % WEEK) / 2)
  return new Date((MONDAY + middle - secondsUntilAll(faults)) * 1000).toISOString().replace('.000', '')
}

function toSecondOfWeek(text: string): number {
  const [day, hours, minutes] = text.split(/[ :]/)
  return DAYS.indexOf(day!) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60
}

/** Requests until the fault has acted. */
function requestsFor(faults: readonly FaultEntry[]): number {
  return Math.max(
    ...faults.map(({ fault, requests, options, chance }) => {
      const selected = requests as { first?: number; every?: number } | string | undefined
      const last =
        typeof selected === 'string' ? Number.parseInt(selected.split(/[,-]/).at(-1)!, 10) : (selected?.every ?? 1)
      if (fault === 'reply/rate-limit') return Math.max(last, Number(options?.limit ?? 60) + 1)
      if (fault === 'tick/ts-backwards' && selected === undefined) return 2
      return chance === undefined ? last : Math.max(last, Math.ceil(20 / Math.max(chance, 0.01)))
    }),
  )
}
