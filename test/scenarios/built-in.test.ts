// Every scenario that comes with the mock keeps what its `why` promises, goes on doing so, and needs each of its faults.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CHECKS } from './checks.js'
import { type SessionContext, worldOf } from './world.js'

interface File {
  readonly title: string
  readonly why: string
  readonly loop?: string
  readonly faults: readonly { readonly fault: string }[]
}

const FOLDER = new URL('../../scenarios/', import.meta.url)
const FILES: readonly (readonly [name: string, file: File])[] = readdirSync(FOLDER)
  .filter(file => file.endsWith('.json') && file !== 'schema.json')
  .map(file => [file.slice(0, -5), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as File])

const SECONDS = { s: 1, m: 60 } as const
const toSeconds = (text: string): number => Number(text.slice(0, -1)) * SECONDS[text.at(-1) as 's' | 'm']
/** A chart of a hundred candles shows what one of three hundred does. */
const policy = { candles: 100 }
const run = (name: string, world: SessionContext): Promise<void> => CHECKS[name]!(world)

it('behavior: each scenario has a check, and each check a scenario', () => {
  expect(Object.keys(CHECKS).sort()).toEqual(FILES.map(([name]) => name).sort())
  expect(FILES.length).toBeGreaterThanOrEqual(24)
})

describe.each(FILES)('%s', (name, { faults, loop }) => {
  it('default: it keeps its promise from the moment that it is applied', () =>
    run(name, worldOf({ policy, scenario: name })))

  it('behavior: it keeps it in any world: another seed, another time', () =>
    run(
      name,
      worldOf({ policy, scenario: name, seed: 'another', clock: { at: '2031-05-06T07:08:09Z', frozen: true } }),
    ))

  it('behavior: a page opened ten minutes later still shows it', async () => {
    const world = worldOf({ policy, scenario: name })
    // The session is there, and has been asked.
    world.outcome('/prices/BTCUSD/latest')
    world.advance(600)
    await run(name, world)
  })

  it.runIf(loop !== undefined)('behavior: it keeps it in the third loop', async () => {
    const world = worldOf({ policy, scenario: name })
    world.outcome('/prices/BTCUSD/latest')
    world.advance(2 * toSeconds(loop!))
    await run(name, world)
  })

  it('behavior: /scenario/<name> keeps it, from the first request on and ten minutes later', async () => {
    const door = { prefix: `/scenario/${name}`, id: `scenario.${name}` }
    const world = worldOf({ policy }, door)
    world.outcome('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m')
    await run(name, world)
    world.advance(600)
    await run(name, world)
  })

  for (const [index, { fault }] of faults.entries())
    it(`behavior: without fault ${index}, ${fault}, it does not keep it`, async () => {
      const { $schema: _, ...file } = FILES.find(([known]) => known === name)![1] as File & { $schema?: string }
      const without = { ...file, faults: faults.filter((_, i) => i !== index) }
      const world = worldOf({ policy, scenario: name, scenarios: { [name]: without } })
      await expect(run(name, world)).rejects.toThrow(/^not kept: /)
    })
})
