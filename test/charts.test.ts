// The pictures of the market in docs/images/market are those that `npm run charts` draws.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createFetch } from '../src/hosts/fetch.js'
import { createMock } from '../src/index.js'

const FOLDER = new URL('../docs/images/market/', import.meta.url)
/** 60 kB a picture: they are in the package. */
const MAX_LENGTH = 60_000

const { CHARTS, drawChart } = (await import(new URL('../scripts/charts.mjs', import.meta.url).href)) as {
  CHARTS: Readonly<Record<string, object>>
  drawChart(name: string, library: object): Promise<string>
}
const read = (name: string): string => readFileSync(new URL(`${name}.svg`, FOLDER), 'utf8')

it('behavior: there is one of each chart, it is small, and docs/market.md shows it', () => {
  const page = readFileSync(new URL('../docs/market.md', import.meta.url), 'utf8')
  const names = Object.keys(CHARTS)
  expect(readdirSync(FOLDER).sort()).toEqual(names.map(name => `${name}.svg`).sort())
  for (const name of names) {
    expect(read(name).length, name).toBeLessThan(MAX_LENGTH)
    expect(page).toContain(`](images/market/${name}.svg)`)
  }
})

// The others are drawn in the same way.
it.each(['btc-1m', 'eur-1h', 'news-spike'])('behavior: %s is up to date; otherwise run `npm run charts`', async name =>
  expect(await drawChart(name, { createMock, createFetch })).toBe(read(name)),
)
