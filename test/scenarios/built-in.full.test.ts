// Each scenario of the package keeps its promise by its path, with another seed, at another time, and however late a page is opened;
// and it needs each of its faults.
import { describe, expect, it } from 'vitest'
import { FILES, policy, run, type ScenarioFile } from './built-in.js'
import { createConsumer } from './consumer.js'

const SECONDS = { s: 1, m: 60 } as const
const toSeconds = (text: string): number => Number(text.slice(0, -1)) * SECONDS[text.at(-1) as 's' | 'm']

describe.each(FILES)('%s', (name, { faults, loop }) => {
  it('behavior: keeps its promise with another seed, at another time', () =>
    run(
      name,
      createConsumer({
        policy,
        scenario: name as never,
        seed: 'another',
        clock: { at: '2031-05-06T07:08:09Z', frozen: true },
      }),
    ))

  it('behavior: keeps it by /scenario/<name>, from the first request on and ten minutes later', async () => {
    const session = { prefix: `/scenario/${name}`, id: `scenario.${name}` }
    const consumer = createConsumer({ policy }, session)
    consumer.outcome('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m')
    await run(name, consumer)
    consumer.advance(600)
    await run(name, consumer)
  })

  if (loop !== undefined)
    it('behavior: keeps it in the third loop', async () => {
      const consumer = createConsumer({ policy, scenario: name as never })
      consumer.outcome('/prices/BTCUSD/latest')
      consumer.advance(2 * toSeconds(loop))
      await run(name, consumer)
    })

  for (const [index, { fault }] of faults.entries())
    it(`behavior: does not keep it without fault ${index}, ${fault}`, async () => {
      const { $schema: _, ...file } = FILES.find(([known]) => known === name)![1] as ScenarioFile & { $schema?: string }
      const without = { ...file, faults: faults.filter((_, i) => i !== index) }
      const consumer = createConsumer({ policy, scenario: name as never, scenarios: { [name]: without } })
      await expect(run(name, consumer)).rejects.toThrow(/^not kept: /)
    })
})
