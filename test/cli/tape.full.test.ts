// `tape` beside a real server: the same bytes at the same seconds. As a process: pipes, disks and signals.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/hosts/node/server.js'
import { startMock } from '../support/listen.js'
import { parsePlainCommand, runPlainCommand } from './plain-command.js'
import { createShell } from './shell.js'

const shell = createShell()
afterAll(() => shell.end())
const AT = '2025-07-24T10:48:25Z'
const ROWS = [
  { ts: 1_753_354_080, price: '100.5' },
  { ts: 1_753_354_081, price: '101' },
]
const write = (name: string, content: unknown): void => shell.write(name, JSON.stringify(content))
const runHere = (line: string) => runPlainCommand(parsePlainCommand(line)!, shell.folder)

/** Settings of a server, and the flags of a tape with the same prices. */
const SETTINGS: readonly (readonly [name: string, options: ServerOptions, flags: string])[] = [
  ['a scenario', { scenario: 'odd-numbers' }, '--scenario odd-numbers'],
  ['synthetic feeds', { syntheticFeeds: 3 }, '--synthetic-feeds 3'],
  [
    'a series',
    { series: [{ as: 'BTCUSD', rows: ROWS, name: 'rows.json' }], seriesAt: 'now' },
    '--series rows.json --as BTCUSD --series-at now',
  ],
  [
    'a config file',
    { policy: { evmClasses: ['fx'] }, signing: { svm: 'evm' }, syntheticFeeds: 2 },
    '--config config.json',
  ],
]

it.each(SETTINGS)('behavior: with %s, every body is that of a server at that second', async (_, options, flags) => {
  const server = await startMock({ seed: '7', clock: { at: AT, frozen: true }, ...options })
  const { policy, signing, syntheticFeeds } = options
  write('rows.json', ROWS)
  write('config.json', { policy, signing, syntheticFeeds, clock: { speed: 60 } })
  const all = server.mock.sessions.default.runtime.market.feeds.map(({ id }) => id)
  const feeds = [...new Set(['BTCUSD', 'ETHUSD', 'SOLUSD', 'EURUSD', ...all.slice(-2)])]
  for (const layout of ['svm', 'evm']) {
    const line = `price-feed-mock tape --feeds ${feeds} --for 3s --seed 7 --at ${AT} --layout ${layout} ${flags} --out tape.json`
    const { stdout, stderr, exit } = await runHere(line)
    expect([stdout, stderr, exit]).toEqual(['', `price-feed-mock: ${3 * feeds.length} ticks in tape.json\n`, '0'])
    const { ticks } = JSON.parse(readFileSync(join(shell.folder, 'tape.json'), 'utf8'))
    for (const { now, asked, body } of ticks) {
      server.mock.clock.set(now)
      const path = layout === 'svm' ? `/prices/${asked}/latest` : `/prices/evm/crypto?feedIds=${asked}`
      const reply = await fetch(server.url + path, { headers: { authorization: 'test-api-key' } })
      expect(body).toBe(await reply.text())
    }
  }
})

it('behavior: without --at, a series starts at its first row', async () => {
  write('rows.json', ROWS)
  const { stdout } = await runHere('price-feed-mock tape --feeds BTCUSD --for 1s --series rows.json --as BTCUSD')
  expect(JSON.parse(stdout).ticks[0]).toMatchObject({ ts: ROWS[0]!.ts, price: 10_050_000_000 })
})

it('behavior: a pipe that closes early ends it', async () => {
  // 50 days: only an end at the pipe comes within the time of a test.
  const line = 'price-feed-mock tape --feeds BTCUSD --for 50d --format ndjson 2>errors.txt | head -1'
  const { stdout, exit } = await shell.run(line)
  expect(JSON.parse(stdout)).toMatchObject({ asked: 'BTCUSD', status: 200 })
  expect(exit).toBe('0')
  expect(readFileSync(join(shell.folder, 'errors.txt'), 'utf8')).toBe('')
})

it.skipIf(!existsSync('/dev/full'))('error: a full disk behind standard output, and behind --out', async () => {
  const line = 'price-feed-mock tape --feeds BTCUSD --for 1s --at 0'
  const { stderr, exit } = await shell.run(`${line} >/dev/full`)
  expect(exit).toBe('1')
  expect(stderr).toMatch(/^FileUnwritableError: Standard output cannot be written: ENOSPC.*\n {2}code {2}/m)
  const other = await shell.run(`${line} --out /dev/full`)
  expect(other.exit).toBe('1')
  expect(other.stderr).toMatch(/^FileUnwritableError: \/dev\/full cannot be written: ENOSPC/)
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true)
})

it.each([
  ['TERM', 143],
  ['INT', 130],
])('behavior: SIG%s removes the unfinished file and ends it with %d', async (signal, code) => {
  const [out, part] = [`ended-${signal}.json`, `ended-${signal}.json.part`]
  // 50 days: only the signal comes within the time of a test.
  const { stdout, stderr } = await shell.run(
    `price-feed-mock tape --feeds BTCUSD --for 50d --out ${out} & until [ -s ${part} ]; do :; done; kill -${signal} $!; wait $!; echo $?; ls ${out} ${part}`,
  )
  expect(stdout).toBe(`${code}\n`)
  expect(stderr).toMatch(/No such file[\s\S]*No such file/)
})

it('behavior: the commands of docs/tape.md write prices from the first tick on', async () => {
  const page = readFileSync(new URL('../../docs/tape.md', import.meta.url), 'utf8')
  const commands = page.match(/^npx price-feed-mock tape .*$/gm)!
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const [, out] = / --out (\S+)$/.exec(command)!
    expect((await runHere(command.replace('npx ', ''))).exit).toBe('0')
    const text = readFileSync(join(shell.folder, out!), 'utf8')
    if (out!.endsWith('.sol')) expect(text).toMatch(/LENGTH = 180;[\s\S]*hex"0{38}\w+4101fffffff8"$/m)
    else expect([command, JSON.parse(text).ticks[0].status]).toEqual([command, 200])
  }
})
