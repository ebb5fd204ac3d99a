// `tape` as a process, beside a real server: the same bytes at the same seconds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startServer } from '../../src/hosts/node/server.js'
import { createShell } from './shell.js'

const shell = createShell()
afterAll(() => shell.end())
const AT = '2025-07-24T10:48:25Z'

it('behavior: every body is the one that a server sends at that second', async () => {
  const server = await startServer({ port: 0, seed: '7', scenario: 'odd-numbers', clock: { at: AT, frozen: true } })
  try {
    const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'DOGEUSD']
    for (const layout of ['svm', 'evm']) {
      const flags = `--feeds ${feeds} --for 3s --seed 7 --scenario odd-numbers --at ${AT} --layout ${layout}`
      const { stdout, stderr, exit } = await shell.run(`price-feed-mock tape ${flags} --out tape.json`)
      expect([stdout, stderr, exit]).toEqual(['', 'price-feed-mock: 12 ticks in tape.json\n', '0'])
      const { ticks } = JSON.parse(readFileSync(join(shell.folder, 'tape.json'), 'utf8'))
      for (const { now, asked, body } of ticks) {
        server.mock.clock.set(now)
        const path = layout === 'svm' ? `/prices/${asked}/latest` : `/prices/evm/crypto?feedIds=${asked}`
        const reply = await fetch(server.url + path, { headers: { authorization: 'test-api-key' } })
        expect(body).toBe(await reply.text())
      }
    }
  } finally {
    await server.stop()
  }
})

it('behavior: a pipe that closes early ends it', async () => {
  const line = 'price-feed-mock tape --feeds BTCUSD --for 1h --format ndjson 2>/dev/null | head -1'
  const { stdout, exit } = await shell.run(line)
  expect(JSON.parse(stdout)).toMatchObject({ asked: 'BTCUSD', status: 200 })
  expect(exit).toBe('0')
})
