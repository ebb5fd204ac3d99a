// The state of a running program: a restart after SIGTERM, after SIGKILL, after a failed write, and the lock between two programs.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer } from '../../src/hosts/node/server.js'
import { createShell, type Shell } from './shell.js'

let shell: Shell
beforeAll(() => (shell = createShell()))
afterAll(() => shell?.end())

const FROZEN = 'price-feed-mock --port 0 --at 2025-07-24T10:48:25Z --frozen --log off'
const LATEST = '/session/a/prices/BTCUSD/latest'
const SCENARIO = {
  title: 'Unsteady',
  why: 'A test.',
  faults: [
    { fault: 'reply/status', requests: '4-6', options: { status: 500 } },
    { fault: 'reply/status', chance: 0.4, options: { status: 503 } },
  ],
}

async function ask(url: string, path: string): Promise<string> {
  const reply = await fetch(url + path, { headers: { authorization: 'test-api-key' } })
  return `${reply.status} ${reply.headers.get('x-price-feed-mock')} ${await reply.text()}`
}
async function askAll(url: string, count: number): Promise<string[]> {
  const replies = []
  for (let i = 0; i < count; i++) replies.push(await ask(url, LATEST))
  return replies
}
const create = (url: string, id: string): Promise<Response> =>
  fetch(`${url}/_mock/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, seed: '7', scenario: SCENARIO, prices: { BTCUSD: 50_000 } }),
  })
const inFolder = (name: string): string => join(shell.folder, name)
const requestsOf = (url: string): Promise<string> => ask(url, '/_mock/sessions/a/requests')
/** Waits until a file has a text, by turns of the event loop and not by time. */
async function untilSaved(name: string, text: string): Promise<void> {
  while (!readFileSync(inFolder(name), 'utf8').includes(text)) await new Promise(resolve => setImmediate(resolve))
}

it('default: after SIGTERM the next program gives the replies that the first one would have given', async () => {
  const whole = await startServer({ port: 0, clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
  await create(whole.url, 'a')
  const expected = await askAll(whole.url, 12)
  await whole.stop()

  const first = await shell.start(`${FROZEN} --state term`)
  await create(first.firstLine, 'a')
  expect(await askAll(first.firstLine, 5)).toEqual(expected.slice(0, 5))
  const journal = await requestsOf(first.firstLine)
  const refused = await shell.run('price-feed-mock --port 0 --state term')
  expect([refused.exit, refused.stdout]).toEqual(['1', ''])
  expect(refused.stderr).toMatch(/^StateUnavailableError: term is in use by process \d+ of /)
  const ended = await first.kill('SIGTERM')
  expect([ended.exit, ended.stderr]).toEqual(['0', expect.not.stringContaining('restored')])

  const second = await shell.start(`${FROZEN} --state term`)
  expect(await requestsOf(second.firstLine)).toBe(journal)
  expect(await askAll(second.firstLine, 7)).toEqual(expected.slice(5))
  const { stderr } = await second.kill('SIGINT')
  expect(stderr).toMatch(/^price-feed-mock: restored 2 sessions from term, saved at 20\S+Z\. Options for/m)
  // Both kinds of fault acted.
  expect(new Set(expected.map(reply => reply.slice(0, 3)))).toEqual(new Set(['200', '500', '503']))
})

it('behavior: a terminal that is closed ends it as SIGTERM does', async () => {
  const first = await shell.start(`${FROZEN} --state closed`)
  await create(first.firstLine, 'a')
  expect((await first.kill('SIGHUP')).exit).toBe('0')
  expect(readFileSync(inFolder('closed'), 'utf8')).toContain('"id":"a"')
  expect(readdirSync(shell.folder).filter(name => /closed.*lock/.test(name))).toEqual([])
})

it('behavior: after SIGKILL the last save is restored, and nothing is left of the write in progress', async () => {
  const first = await shell.start(`${FROZEN} --state kill --state-every 1s`)
  await create(first.firstLine, 'a')
  const replies = await askAll(first.firstLine, 3)
  await untilSaved('kill', '"n":3')
  expect((await first.kill('SIGKILL')).exit).toBe('SIGKILL')
  expect(readdirSync(shell.folder)).toContain('kill.price-feed-mock.lock')
  writeFileSync(inFolder('kill.price-feed-mock.tmp'), readFileSync(inFolder('kill'), 'utf8').slice(0, 100))

  const second = await shell.start(`${FROZEN} --state kill`)
  const journal = JSON.parse((await requestsOf(second.firstLine)).replace(/^200 \S+ /, ''))
  expect(journal.requests.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3])
  expect(await ask(second.firstLine, LATEST)).toContain('n=4')
  expect((await second.kill('SIGTERM')).exit).toBe('0')
  expect(readdirSync(shell.folder).filter(name => name.startsWith('kill'))).toEqual(['kill'])
  expect(replies).toHaveLength(3)
})

/** The lock of a server that has died: no process has this number. */
const DEAD_LOCK = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: 'dead' })

it('behavior: of programs that start at once on the file of a dead one, one takes it, and the others say why not', async () => {
  shell.write('raced.price-feed-mock.lock', DEAD_LOCK)
  const starts = Array.from({ length: 4 }, () => shell.start(`${FROZEN} --state raced`))
  const settled = await Promise.allSettled(starts)
  const errors = settled.flatMap(start => (start.status === 'rejected' ? [String(start.reason)] : []))
  const [first, ...others] = settled.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
  expect(others).toEqual([])
  expect((await first!.kill('SIGTERM')).exit).toBe('0')
  expect(errors).toHaveLength(3)
  for (const error of errors)
    expect(error).toMatch(/ended with 1 .*\nStateUnavailableError: raced is in use by (process \d+ of|another server)/)
  expect(readdirSync(shell.folder).filter(name => name.startsWith('raced'))).toEqual(['raced'])
})

/** Takes each of many locks at a moment of its own, and reports those that it got. */
const RACER = `
import { takeLock } from ${JSON.stringify(new URL('../../dist/hosts/node/state/lock.js', import.meta.url))}
process.on('message', ({ locks, start }) => {
  const taken = locks.filter((lock, i) => {
    while (Date.now() < start + 2 * i);
    try {
      return takeLock('state', lock, Date.now())
    } catch (error) {
      if (error.code !== 'STATE_UNAVAILABLE') throw error
    }
  })
  process.send(taken)
})
process.send('ready')
`

it('behavior: each of 300 stale locks is taken by one of four processes', async () => {
  shell.write('locks/racer.mjs', RACER)
  const locks = Array.from({ length: 300 }, (_, i) => `locks/${i}.lock`)
  for (const lock of locks) shell.write(lock, DEAD_LOCK)
  const racers = Array.from({ length: 4 }, () => fork('locks/racer.mjs', { cwd: shell.folder }))
  await Promise.all(racers.map(racer => once(racer, 'message')))
  const reports = racers.map(racer => once(racer, 'message') as Promise<[string[]]>)
  const start = Date.now() + 20
  for (const racer of racers) racer.send({ locks, start })
  const taken = (await Promise.all(reports)).flatMap(([report]) => report)
  expect(taken.sort()).toEqual([...locks].sort())
  expect(readdirSync(inFolder('locks')).sort()).toEqual([...locks.map(lock => lock.slice(6)), 'racer.mjs'].sort())
  // Not before: the lock of a process that has ended is stale.
  for (const racer of racers) racer.disconnect()
})

it('error: a disk that is full at the end is reported once, and the last whole file stays', async () => {
  // At most 8 blocks of 512 bytes or 1 KB, which an empty state needs less of. No save meanwhile, which might still fit.
  const server = await shell.start(`ulimit -f 8; ${FROZEN} --state full --state-every 1h`)
  const before = readFileSync(inFolder('full'), 'utf8')
  for (let i = 0; i < 8; i++) expect((await create(server.firstLine, `s${i}`)).status).toBe(201)
  const { exit, stderr } = await server.kill('SIGTERM')
  expect(exit).toBe('1')
  expect(stderr.match(/^StateUnavailableError: full cannot be used for the state: .*/gm)).toEqual([
    expect.stringContaining('the file would be larger than this process may write'),
  ])
  expect(readFileSync(inFolder('full'), 'utf8')).toBe(before)
  expect(readdirSync(shell.folder).filter(name => name.startsWith('full'))).toEqual(['full'])
})

it('behavior: exec goes on with the sessions of its last run, and a copy of the file is a state', async () => {
  const command = `price-feed-mock exec --seed 7 --frozen --state runs -- node -e "fetch(process.env.PRICE_FEED_BASE_URL + '${LATEST}').then(reply => console.log(reply.headers.get('x-price-feed-mock')))"`
  // It ends by itself, which a timer that stays after the stop would prevent.
  expect((await shell.run(command)).stdout).toMatch(/n=1\b/)
  cpSync(inFolder('runs'), inFolder('copy'))
  expect((await shell.run(command.replace('--state runs', '--state copy'))).stdout).toMatch(/n=2\b/)
})
