// `exec --report` on a store: the same file as in memory, with the sessions of its own command only.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../support/redis.js'
import { PROGRAM, startProgram } from './programs.js'

/** A report without the rates of real time, which two runs in memory do not share either. */
const readReport = (file: string): string =>
  readFileSync(file, 'utf8').replace(
    /in \S+ m?s: \d+ a minute of real time\. (The same was asked again after) \S+ m?s \(median\)/g,
    'in real time. $1 (median)',
  )

/** A suite with a session for each test, as a module. */
const SUITE = `
const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
const latest = (session, feed = 'BTCUSD', headers = { authorization }) =>
  fetch(url + session + '/prices/' + feed + '/latest', { headers }).then(reply => reply.text())
const admin = (method, path, body) => fetch(url + '/_mock/sessions' + path, {
  method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body)
}).then(reply => reply.text())
for (let round = 0; round < 2; round++) {
  await admin('POST', '', { id: 'test', scenario: 'key-revoked' })
  for (let i = 0; i <= round; i++) await latest('/session/test')
  await latest('/session/test', 'NOSUCH')
  await latest('/session/test', 'BTCUSD', { authorization: 'wrong' })
  await admin('DELETE', '/test')
}
await admin('POST', '', { id: 'silent' })
await admin('POST', '', { id: 'unused-but-judged' })
await admin('POST', '/unused-but-judged/verdicts', { case: 'shows <a> price', ok: false, why: 'it is "old"' })
await admin('POST', '', { id: 'long' })
for (let i = 0; i < 1040; i++) await latest('/session/long')
await admin('POST', '', { id: 'reset' })
await latest('/session/reset')
await admin('POST', '/reset/reset')
await latest('/session/reset')
await latest('')
process.exit(3)
`
const SAME = ['--frozen', '--at', '2025-07-24T10:48:25Z']

describe('exec --report', needs(NO_REDIS), () => {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-exec-'))
  let redis: TestRedis
  beforeAll(async () => (redis = await startRedis()))
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await redis?.stop()
  })

  /** Runs the suite beside a server. */
  async function run(name: string, command: readonly string[], ...options: readonly string[]) {
    const file = join(folder, name, 'junit.xml')
    const args = [
      PROGRAM,
      'exec',
      '--port',
      '0',
      '--log',
      'off',
      ...SAME,
      '--report',
      file,
      ...options,
      '--',
      ...command,
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', chunk => (output += chunk))
    const [code] = await once(child, 'close')
    return { code, output, file }
  }
  const suite = [process.execPath, '--input-type=module', '-e', SUITE]

  it('default: the file is that in memory, byte by byte', async () => {
    const memory = await run('memory', suite)
    // Another job uses sessions of its own, and its server stays.
    const other = await startProgram('--store', redis.url, '--lazy-sessions', ...SAME)
    await fetch(`${other.url}/session/others/prices/BTCUSD/latest`, { headers: { authorization: 'test-api-key' } })
    const stored = await run('store', suite, '--store', redis.url)
    await other.stop()
    expect([memory.code, stored.code]).toEqual([3, 3])
    // Only a run in memory can be reproduced by its command.
    expect(memory.output).toMatch(/^price-feed-mock: reproduce this run with: /)
    expect(stored.output).toMatch(/^price-feed-mock: .*store.*\n$/)
    const text = readReport(stored.file)
    expect(text).toBe(readReport(memory.file))
    const names = [...text.matchAll(/<testsuite name="price-feed-mock session ([^"]*)"/g)].map(match => match[1])
    expect(names).toEqual(['test', 'test (2)', 'default', 'unused-but-judged', 'long', 'reset'])
    expect(text).toContain('<property name="dropped" value="40"/>')
  })

  it('behavior: sessions that another server removes are reported as left out', async () => {
    const other = await startProgram('--store', redis.url, ...SAME)
    const remove = `
      const { PRICE_FEED_BASE_URL: url } = process.env
      await fetch(url + '/_mock/sessions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":"gone"}' })
      await fetch('${other.url}/_mock/sessions/gone', { method: 'DELETE' })`
    const { code, output, file } = await run('removed', [suite[0]!, suite[1]!, '-e', remove], '--store', redis.url)
    await other.stop()
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('leaves out 1 session that others removed from the store.'),
    ])
    expect(readFileSync(file, 'utf8')).toContain('</testsuites>')
  })

  it('error: a store that is away at the end', async () => {
    const own = await startRedis()
    const kill = `process.kill(${own.process.pid}, 'SIGKILL')`
    const { code, output } = await run('away', [process.execPath, '-e', kill], '--store', own.url)
    await own.stop()
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/the report was not written to \S+junit\.xml\. The store \S+ /),
    ])
  })
})
