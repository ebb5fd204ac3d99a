// One run of a command in a scenario: the requests and faults of all its sessions, and its limit.
import { expect, it } from 'vitest'
import { type ResolvedInvocation, readCommandLine } from './command-line.js'
import type { RunContext } from './run-context.js'
import { createTrials, toEnding } from './trial.js'

const CONTEXT: RunContext = { args: [], environment: {}, print: () => {}, report: () => {}, onServing: () => {} }

/** Runs a Node program below `hunt`. */
const open = async (program: string, options: readonly string[] = [], timeLimit?: string) => {
  const args = ['hunt', ...options, '--', process.execPath, '-e', program]
  return createTrials(readCommandLine(args, {}) as ResolvedInvocation, CONTEXT, timeLimit)
}
const ASK = `const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
  const ask = path => fetch(url + path, { headers: { authorization } }).then(reply => reply.text())`
const TEAPOT = {
  faults: [
    { fault: 'reply/status', options: { status: 418 } },
    { fault: 'wire/reset', from: '1h' },
  ],
}

it('default: it is that of a fresh server', async () => {
  const runTrial = await open(`${ASK}; ask('/prices/batch?feedIds=BTCUSD,nope').then(console.log)`, ['--speed', '100'])
  const first = await runTrial('calm', true)
  expect(first).toMatchObject({ failed: false, exitCode: 0, hits: [], limitMs: 600_000 })
  expect(first.requests).toEqual([
    {
      at: expect.any(Number),
      endpoint: 'batch',
      feeds: expect.any(Array),
      parameters: [],
      status: expect.any(Number),
      ordinal: 1,
      faults: [],
    },
  ])
  expect(first.requests[0]!.at).toBeGreaterThan(first.ms / 10)
  expect(first.virtualMs).toBeGreaterThan(90 * first.ms)
  const second = await runTrial(TEAPOT, false)
  expect(second).toMatchObject({ failed: false, hits: [1, 0], requests: [{ status: 418 }] })
  expect(second.limitMs).toBeGreaterThan(10_000)
  expect(second.limitMs % 1000).toBe(0)
})

it('behavior: requests and hits are those of all sessions with the scenario, also of those that have ended', async () => {
  const runTrial = await open(`${ASK}
    const post = (path, body) => fetch(url + '/_mock/sessions' + path, { method: body ? 'POST' : 'DELETE', body: body && JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    ;(async () => {
      await post('', { id: 'a' })
      await ask('/session/a/prices/ETHUSD/latest')
      await post('/a')
      await post('', { id: 'b', scenario: 'calm' })
      await ask('/session/b/prices/SOLUSD/latest')
      await ask('/prices/BTCUSD/latest')
    })()`)
  const { requests, hits } = await runTrial(TEAPOT, false)
  expect(requests.map(({ status }) => status)).toEqual([418, 200, 418])
  expect(hits).toEqual([2, 0])
})

it('behavior: one that is late has failed, as has one with another exit code', async () => {
  const late = await (await open('setInterval(() => {}, 1000)', [], '1s'))('calm', true)
  expect([late.failed, late.limitMs, toEnding(late)]).toEqual([true, 1000, 'did not end in 1 s'])
  const failed = await (await open('process.exit(4)'))('calm', true)
  expect([failed.failed, toEnding(failed)]).toEqual([true, 'exit code 4'])
})

it('error: a scenario with a mistake', async () => {
  const runTrial = await open('')
  await expect(runTrial({ faults: [{ fault: 'wire/rest' }] }, false)).rejects.toThrow('wire/reset')
})
