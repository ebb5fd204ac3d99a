// A recording as a process: it ends on a signal with a complete file, and a server replays it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createShell, type Running, type Shell } from './shell.js'

const KEY = 'a-key-of-the-service'

let shell: Shell
let server: Running
beforeAll(async () => {
  shell = createShell({ NO_COLOR: '1', PRICE_FEED_API_KEY: KEY })
  server = await shell.start(`price-feed-mock --port 0 --api-key ${KEY} --at 2025-07-24T10:48:25Z --frozen`)
})
afterAll(() => shell.end())

it('default: it is recorded, and replayed', async () => {
  const recording = await shell.start(
    `price-feed-mock record --base-url ${server.firstLine} --feeds BTCUSD,ETHUSD --every 1s --out rows.csv`,
  )
  expect(recording.firstLine).toBe('rows.csv')
  const { stderr, exit } = await recording.kill('SIGINT')
  expect(exit).toBe('0')
  expect(stderr).toBe('price-feed-mock: recording 2 feeds to rows.csv.\nprice-feed-mock: 2 new rows in rows.csv.\n')
  const rows = readFileSync(join(shell.folder, 'rows.csv'), 'utf8')
  expect(rows).toMatch(/^ts,feed,price\n1753354104,BTCUSD,\d+(\.\d+)?\n1753354104,ETHUSD,\d+(\.\d+)?\n$/)
  expect(rows + stderr).not.toContain(KEY)

  const latest = async (url: string) => {
    const reply = await fetch(`${url}/prices/BTCUSD/latest`, { headers: { authorization: KEY } })
    return reply.json()
  }
  const replay = await shell.start(`price-feed-mock --port 0 --api-key ${KEY} --series rows.csv --frozen`)
  expect(await latest(replay.firstLine)).toEqual(await latest(server.firstLine))
})

it('error: a refused key is a failure of the service', async () => {
  const { stdout, stderr, exit } = await shell.run(
    `price-feed-mock record --base-url ${server.firstLine} --api-key other --feeds BTCUSD --out none.csv`,
  )
  expect([stdout, exit]).toEqual(['', '1'])
  expect(stderr).toContain('ServiceRefusedError: The service answered 401.')
  expect(stderr).not.toContain('other')
})
