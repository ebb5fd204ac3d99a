// A run that fails prints the command that repeats it, although nothing has fixed its time.
import { afterAll, expect, it } from 'vitest'
import { createShell } from './shell.js'

const CONSUMER = `
  const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
  for (let i = 0; i < 20; i++) {
    const reply = await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization } }).catch(() => undefined)
    console.log(reply?.status, reply?.headers.get('x-price-feed-mock'), await reply?.text().catch(() => 'cut'))
  }
  process.exit(Number(process.argv[2]))`
const PREFIX = 'price-feed-mock: reproduce this run with: '

const shell = createShell({ NO_COLOR: '1', PRICE_FEED_MOCK_SIGNER: '3' })
afterAll(() => shell.end())

it('behavior: the printed command gives the same bytes', async () => {
  shell.write('consumer.mjs', CONSUMER)
  shell.write('mine.json', '{ "policy": { "candles": 9 } }')
  const options = `--seed "it's" --frozen --scenario chaos --config mine.json --allow-host prices`
  const first = await shell.run(`price-feed-mock exec ${options} -- node consumer.mjs 7`)
  expect(first.exit).toBe('7')
  expect(new Set(first.stdout.match(/faults=\S+/g)).size).toBeGreaterThan(1)
  const line = first.stderr.split('\n').find(one => one.startsWith(PREFIX))!
  expect(line).toContain('--allow-host prices')
  expect(await shell.run(`env -u PRICE_FEED_MOCK_SIGNER ${line.slice(PREFIX.length)}`)).toEqual(first)
})
