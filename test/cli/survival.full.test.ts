// A running program whose surroundings fail: its log, its modules, its file handles, and the user's own handlers.
import { once } from 'node:events'
import { cpSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../support/folder.js'
import { createShell, type Shell } from './shell.js'

let shell: Shell
beforeAll(() => (shell = createShell()))
afterAll(() => shell?.end())

async function statusOf(url: string, path: string): Promise<number> {
  const reply = await fetch(url + path, { headers: { authorization: 'test-api-key' } })
  await reply.text()
  return reply.status
}

const LATEST = '/prices/BTCUSD/latest'

it.each([
  ['a full device', 'price-feed-mock --port 0 2>/dev/full'],
  ['a limit of the file size', 'ulimit -f 1; price-feed-mock --port 0 2>log'],
  ['a closed pipe', 'mkfifo pipe; head -c 1 pipe >/dev/null & price-feed-mock --port 0 2>pipe'],
  ['a closed standard error', 'price-feed-mock --port 0 2>&-'],
])('error: a log that cannot be written: %s', async (_, command) => {
  const server = await shell.start(command)
  for (let i = 0; i < 40; i++) expect(await statusOf(server.firstLine, LATEST)).toBe(200)
  expect(await statusOf(server.firstLine, '/_mock/health')).toBe(200)
  expect((await server.kill('SIGTERM')).exit).toBe('0')
})

it('error: a standard output that cannot be written is reported once, and is no success', async () => {
  const { stderr, exit } = await shell.run('price-feed-mock keys >/dev/full')
  expect(stderr).toBe('price-feed-mock: output cannot be written (ENOSPC).\n')
  expect(exit).toBe('1')
})

it('error: a rejection that a handler of the user leaves behind', async () => {
  shell.write(
    'handlers.mjs',
    `export const handlers = [{ kind: 'request', async run({ request }) {
      if (!request.url.endsWith('/floating')) return null
      Promise.reject(new Error('floating'))
      return { response: new Response('answered') }
    } }]`,
  )
  const server = await shell.start('price-feed-mock --port 0 --handlers handlers.mjs')
  for (let i = 0; i < 3; i++) expect(await statusOf(server.firstLine, '/floating')).toBe(200)
  expect(await statusOf(server.firstLine, LATEST)).toBe(200)
  const { stderr, exit } = await server.kill('SIGTERM')
  expect(exit).toBe('0')
  expect(stderr.match(/Error: floating/g)).toHaveLength(1)
})

it.each([
  ['app.js', '/_mock/health'],
  ['administer.js', '/_mock/health'],
])('error: 503 while a module is missing, and then the answer: %s', async (name, path) => {
  const dist = join(shell.folder, name, 'dist')
  cpSync(join(ROOT, 'dist', 'program'), join(dist, 'program'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(dist, '..', 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(dist, '..', 'node_modules'))
  const file = join(dist, 'program', name)
  renameSync(file, `${file}.away`)
  const server = await shell.start(`exec node ${name}/dist/program/main.js --port 0`)
  for (let i = 0; i < 2; i++) {
    const reply = await fetch(server.firstLine + path)
    expect(reply.status).toBe(503)
    expect(await reply.json()).toMatchObject({ code: 'MODULE_UNAVAILABLE', got: 'ERR_MODULE_NOT_FOUND' })
    expect(await statusOf(server.firstLine, LATEST)).toBe(200)
  }
  renameSync(`${file}.away`, file)
  expect(await statusOf(server.firstLine, path)).toBe(200)
  expect((await server.kill('SIGTERM')).exit).toBe('0')
})

it('behavior: all modules are loaded before the file handles run out', async () => {
  const server = await shell.start('ulimit -n 40; price-feed-mock --port 0 --ready json 2>errors')
  const url = (JSON.parse(server.firstLine) as { url: string }).url
  const port = Number(new URL(url).port)
  // A connection that is accepted, and then more than there are handles.
  const first = connect(port, '127.0.0.1')
  await once(first, 'connect')
  const ask = async (path: string): Promise<string> => {
    first.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    return String((await once(first, 'data'))[0])
  }
  // Requests that need none of those modules: they are loaded meanwhile, also on a busy machine.
  for (let i = 0; i < 200; i++) expect(await ask('/prices/BTCUSD/latest')).toMatch(/^HTTP\/1.1 401 /)
  const others = Array.from({ length: 60 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(others.map(other => Promise.race([once(other, 'connect'), once(other, 'close')])))
  for (const path of ['/_mock/health', '/_mock/info', '/_mock/metrics'])
    expect(await ask(path)).toMatch(/^HTTP\/1.1 200 /)
  for (const other of others) other.destroy()
  first.destroy()
  expect((await server.kill('SIGTERM')).exit).toBe('0')
  expect(readFileSync(join(shell.folder, 'errors'), 'utf8')).not.toContain('Error')
})
