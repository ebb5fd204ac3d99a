// The command of every request of the journal, run by a shell, gives the same bytes once more.
import { afterEach, expect, inject, it } from 'vitest'
import { createShell } from '../cli/shell.js'
import { talk } from '../support/raw.js'

const shell = createShell()
afterEach(() => shell.end())

const PATHS = [
  '/prices/BTCUSD/latest',
  '/prices/batch?feedIds=ETHUSD,USDTUSD,SOLUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=30',
  '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD',
  '/charting/feeds-data?feedids=solusd&feed=solusd&type=1&interval=1m',
]
const REQUESTS = 50

/** The bytes of a reply, as far as they come. */
const ask = (url: string, path: string): Promise<string> =>
  talk(
    Number(new URL(url).port),
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: test-api-key\r\nconnection: close\r\n\r\n`,
  )
const change = (url: string, patch: object): Promise<Response> =>
  fetch(`${url}/_mock/sessions/default`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(patch),
  })

it.skipIf(inject('buildProblem') !== '')(
  'behavior: 50 requests under chaos, with changes in between',
  async () => {
    const server = await shell.start('price-feed-mock --port 0 --log off --seed 11 --at 1753354105 --scenario chaos')
    const url = server.firstLine
    const replies: { readonly path: string; readonly reply: string }[] = []
    for (let i = 0; i < REQUESTS; i++) {
      const path = PATHS[i % PATHS.length]!
      replies.push({ path, reply: await ask(url, path) })
      await change(url, { clock: { advance: '7s' } })
      if (i === 30) await change(url, { prices: { SOLUSD: 100 } })
      if (i === 40) await change(url, { scenario: 'rate-limited' })
    }
    await change(url, { scenario: 'calm', seed: 'another' })
    expect(replies.filter(({ reply }) => reply === '').length).toBeGreaterThan(0)
    expect(replies.filter(({ reply }) => reply.includes('faults=')).length).toBeGreaterThan(10)

    const again = async (n: number): Promise<void> => {
      const { path, reply } = replies[n - 1]!
      const found = await fetch(`${url}/_mock/sessions/default/requests/${n}`)
      const { reproduce } = (await found.json()) as { reproduce: string }
      // A folder each: every command writes a snapshot.
      const fresh = await shell.start(`mkdir ${n} && cd ${n} && ${reproduce}`)
      expect(await ask(fresh.firstLine, path), `request ${n}: ${reproduce}`).toBe(reply)
      await fresh.kill('SIGTERM')
    }
    const numbers = replies.map((_, i) => i + 1)
    const work = async (): Promise<void> => {
      for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) await again(n)
    }
    await Promise.all([work(), work(), work()])
  },
  180_000,
)
