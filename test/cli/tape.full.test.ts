// A long tape in a small heap.
import { afterAll, expect, it } from 'vitest'
import { createShell } from './shell.js'

const shell = createShell({ NO_COLOR: '1', NODE_OPTIONS: '--max-old-space-size=32' })
afterAll(() => shell.end())

it('behavior: 20,000 ticks, which take more than the heap, with progress', async () => {
  const { stderr, exit } = await shell.run(
    'price-feed-mock tape --feeds BTCUSD,ETHUSD --for 10000s --at 0 --out tape.json',
  )
  expect(exit).toBe('0')
  expect(stderr).toBe('price-feed-mock: 10000 of 20000 ticks\nprice-feed-mock: 20000 ticks in tape.json\n')
  expect(await shell.run('test $(wc -c <tape.json) -gt 20000000 && tail -c 4 tape.json')).toMatchObject({
    stdout: '}\n]}\n'.slice(-4),
    exit: '0',
  })
})
