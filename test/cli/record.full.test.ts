// A recording as a process: it ends on a signal with a complete file, and a server replays it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parsePlainCommand, runPlainCommand, startPlainCommand } from './plain-command.js'
import { createShell, type Running, type Shell } from './shell.js'

const KEY = 'a-key-of-the-service'

let shell: Shell
let server: Running
const servers: Running[] = []

/** Starts a server in this process. */
async function serve(flags: string): Promise<Running> {
  const line = `price-feed-mock --port 0 --api-key ${KEY} ${flags}`
  const started = await startPlainCommand(parsePlainCommand(line)!, shell.folder)
  servers.push(started)
  return started
}

beforeAll(async () => {
  shell = createShell({ NO_COLOR: '1', PRICE_FEED_API_KEY: KEY })
  server = await serve('--at 2025-07-24T10:48:25Z --frozen')
})
afterAll(async () => {
  for (const { kill } of servers) await kill('SIGTERM')
  shell.end()
})

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
  const replay = await serve('--series rows.csv --frozen')
  expect(await latest(replay.firstLine)).toEqual(await latest(server.firstLine))
})

it('error: a refused key is a failure of the service', async () => {
  const line = `price-feed-mock record --base-url ${server.firstLine} --api-key other --feeds BTCUSD --out none.csv`
  const { stdout, stderr, exit } = await runPlainCommand(parsePlainCommand(line)!, shell.folder)
  expect([stdout, exit]).toEqual(['', '1'])
  expect(stderr).toContain('ServiceRefusedError: The service answered 401.')
  expect(stderr).not.toContain('other')
})

it('error: a full disk is one line, and the file keeps its whole rows', async () => {
  const service = await serve('--at 2025-07-24T10:48:25Z --speed 10')
  const metrics = async () => (await fetch(`${service.firstLine}/_mock/sessions/default/requests`)).json()
  const { feeds } = (await (await fetch(`${service.firstLine}/_mock/feeds`)).json()) as { feeds: { id: string }[] }
  const ids = feeds.slice(0, 12).map(({ id }) => id)
  // The shell counts in blocks of 512 bytes: the first rows fit.
  const recording = await shell.start(
    `ulimit -f 1; price-feed-mock record --base-url ${service.firstLine} --feeds ${ids} --out full.csv`,
  )
  await expect.poll(async () => ((await metrics()) as { requests: [] }).requests.length, { timeout: 20_000 }).toBe(4)
  const { stderr, exit } = await recording.kill('SIGTERM')
  expect(exit).toBe('0')
  expect(stderr.match(/^.*cannot be written.*$/gm)).toEqual([
    expect.stringMatching(
      /^price-feed-mock: full.csv cannot be written: EFBIG: file too large, write; its 12 rows stay\.$/,
    ),
  ])
  expect(stderr).toMatch(/left out \d+ prices: .*\(not written\)/)
  expect(readFileSync(join(shell.folder, 'full.csv'), 'utf8').trim().split('\n')).toHaveLength(13)
  expect(existsSync(join(shell.folder, 'full.csv.price-feed-mock.lock'))).toBe(false)
  expect((await shell.run('price-feed-mock exec --series full.csv -- true')).exit).toBe('0')
  // Where not even the first rows fit, it does not start.
  const { stderr: refused, exit: failed } = await shell.run(
    `ulimit -f 0; price-feed-mock record --base-url ${service.firstLine} --feeds ${ids} --out none.csv`,
  )
  expect([failed, refused.split('\n').filter(line => /^\S*Error/.test(line)).length]).toEqual(['1', 1])
  expect(existsSync(join(shell.folder, 'none.csv'))).toBe(false)
})

it('error: two recordings of one file', async () => {
  const command = `price-feed-mock record --base-url ${server.firstLine} --feeds BTCUSD --out both.csv`
  const first = await shell.start(command)
  const { stderr, exit } = await shell.run(`ln -s both.csv link.csv; ${command.replace('both.csv', 'link.csv')}`)
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringMatching(/^FileUnwritableError: link.csv is in use by process \d+ of /),
  ])
  // A recording that was killed does not keep the file.
  await first.kill('SIGKILL')
  const again = await shell.start(command)
  expect((await again.kill('SIGINT')).exit).toBe('0')
})
