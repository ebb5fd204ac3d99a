// Running a command beside the server: its environment, exit code and signals, and the errors when it cannot start.
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { listen } from '../../test/support/listen.js'
import { createMock } from '../index.js'
import type { Ready } from './banner.js'
import { runCommand, toEnvironment } from './exec.js'

const folder = createFolder()
const loop = join(folder, 'loop')
symlinkSync(loop, loop)

/** Runs a Node program. */
const run = (program: string, environment: Record<string, string> = {}, atTerminal?: boolean) =>
  runCommand([process.execPath, '-e', program], environment, atTerminal)

/** Runs a shell script that starts `$PROGRAM`, without a terminal. The program lives as long as its connection. */
async function runBeside(script: string): Promise<{ started: Socket; running: Promise<number> }> {
  const server = createServer()
  const port = await listen(server)
  const environment = { NODE: process.execPath, PROGRAM: `net.connect(${port}, '127.0.0.1', () => console.log('up'))` }
  const running = runCommand(['sh', '-c', script], environment, false)
  const [started] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => void started.destroy())
  // A signal or the end of this connection ends the program, which resets the connection.
  started.on('error', () => {}).resume()
  return { started, running }
}

it('default: toEnvironment', () => {
  const ready = {
    url: 'http://127.0.0.1:4700',
    historyUrl: 'http://127.0.0.1:4701',
    apiKey: '(not shown)',
    signer: { testKey: 0, address: '0xad3784aa29be2b36f5873e248de7a8e28f441f55', publicKey: '02d9…' },
  } as Ready
  const mock = createMock({ apiKeys: ['live-4242'] })
  const variables = {
    PRICE_FEED_BASE_URL: 'http://127.0.0.1:4700',
    PRICE_FEED_HISTORY_URL: 'http://127.0.0.1:4701',
    PRICE_FEED_API_KEY: 'live-4242',
    PRICE_FEED_SIGNER: '0xad3784aa29be2b36f5873e248de7a8e28f441f55',
    PRICE_FEED_SIGNER_PUBLIC_KEY: '02d9…',
    PRICE_FEED_MOCK_ADMIN_TOKEN: 'correct-horse',
  }
  const config = { adminToken: 'correct-horse', tlsCert: '/certs/mine.pem' }
  expect(toEnvironment(mock, ready, config, {})).toEqual({ ...variables, NODE_EXTRA_CA_CERTS: '/certs/mine.pem' })
  expect(toEnvironment(mock, ready, config, { NODE_EXTRA_CA_CERTS: '/certs/all.pem' })).toEqual(variables)
  // A proxy cannot reach the server.
  const proxied = (environment: NodeJS.ProcessEnv) => toEnvironment(mock, ready, {}, environment)
  expect(proxied({ HTTPS_PROXY: 'http://proxy', no_proxy: 'intern' })).toMatchObject({
    NO_PROXY: 'intern,127.0.0.1',
    no_proxy: 'intern,127.0.0.1',
  })
  expect(proxied({ http_proxy: 'http://proxy' })).toMatchObject({ NO_PROXY: '127.0.0.1' })
  expect(proxied({ http_proxy: 'http://proxy', NO_PROXY: '*' })).not.toHaveProperty('NO_PROXY')
  expect(proxied({})).not.toHaveProperty('NO_PROXY')
  const onIpv6 = toEnvironment(mock, { ...ready, url: 'http://[::1]:4700' }, {}, { http_proxy: 'http://proxy' })
  expect(onIpv6).toMatchObject({ NO_PROXY: '::1' })
})

describe('runCommand', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', 137],
    ['SIGTERM', 143],
    ['SIGUSR2', 128 + constants.signals.SIGUSR2],
  ] as const)
    it(`behavior: ${signal} gives ${code}, as in a shell`, async () => {
      expect(await run(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`)).toBe(code)
    })

  it('behavior: the command inherits the environment; given variables win', async () => {
    const program = 'process.exit(process.env.MOCK_TEST_NAME === "given" && process.env.PATH ? 7 : 1)'
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('MOCK_TEST_NAME', 'outer')
    expect(await run(program, { MOCK_TEST_NAME: 'given' })).toBe(7)
  })

  it('behavior: arguments are passed on unchanged, without a shell', async () => {
    const args = ['two words', "it's", '$HOME', '*', '--help', '']
    const program = `process.exit(JSON.stringify(process.argv.slice(1)) === process.env.WANTED ? 0 : 1)`
    const command = [process.execPath, '-e', program, '--', ...args]
    expect(await runCommand(command, { WANTED: JSON.stringify(args) })).toBe(0)
  })

  it('behavior: signal listeners exist only while the command runs', async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    const count = () => signals.reduce((sum, signal) => sum + process.listenerCount(signal), 0)
    const before = count()
    const running = run('')
    expect(count()).toBe(before + 3)
    await running
    expect(count()).toBe(before)
    await runCommand(['no-such-command-anywhere'], {}).catch(() => {})
    expect(count()).toBe(before)
  })

  for (const [place, atTerminal, code] of [
    ['a terminal, which has sent it to the command already', true, 143],
    ['elsewhere', false, 130],
  ] as const)
    it(`behavior: Ctrl-C ${atTerminal ? 'is not forwarded on' : 'is forwarded'} ${place}`, async () => {
      const running = run('setInterval(() => {}, 1000)', {}, atTerminal)
      process.emit('SIGINT', 'SIGINT')
      // The lower of two pending signals ends the process.
      process.emit('SIGTERM', 'SIGTERM')
      expect(await running).toBe(code)
    })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    it(`behavior: ${signal} also ends the processes that the command has started`, async () => {
      const { started, running } = await runBeside('"$NODE" -e "$PROGRAM" > /dev/null & wait')
      const ended = once(started, 'close')
      process.emit(signal, signal)
      expect(await running).toBe(code)
      await ended
    })

  it('behavior: background processes of the command end with it', async () => {
    const { started, running } = await runBeside('{ "$NODE" -e "$PROGRAM" & } | { read up; exit 3; }')
    const ended = once(started, 'close')
    expect(await running).toBe(3)
    await ended
  })

  it('error: a quoted command line', async () => {
    await expect(runCommand(['npm test'], {})).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      details: [['fix', 'npx price-feed-mock exec -- npm test']],
    })
  })

  it('error: a quoted shell command line', async () => {
    await expect(runCommand(["npm run lint && it's"], {})).rejects.toMatchObject({
      details: [['fix', `npx price-feed-mock exec -- sh -c "npm run lint && it's"`]],
    })
  })

  it.each([
    ['ENOTDIR', () => `${import.meta.filename}/tool`, 'a file, not a folder'],
    ['ELOOP', () => loop, 'a loop of symbolic links'],
    ['ENAMETOOLONG', () => 'x'.repeat(5000), 'too long'],
  ])('error: %s', async (code, file, reason) => {
    const failing = runCommand([file()], {})
    await expect(failing).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      shortMessage: expect.stringContaining(reason),
      cause: { code },
      details: [['fix', expect.any(String)]],
    })
    await expect(failing).rejects.toThrow(/^.{1,400}\n {2}fix .*\n {2}code {2}COMMAND_NOT_STARTED$/)
  })

  it('error: arguments that are too long', async () => {
    await expect(
      runCommand([process.execPath, ...Array.from({ length: 40 }, () => 'x'.repeat(100_000))], {}),
    ).rejects.toMatchObject({ cause: { code: 'E2BIG' }, shortMessage: expect.stringContaining('too long') })
  })

  it.each([
    ['not executable', import.meta.filename, 'is not executable.', 'chmod +x'],
    ['a folder', import.meta.dirname, 'is a folder, not a program.', 'check the path:'],
  ])('error: a command that is %s', async (_title, path, reason, fix) => {
    await expect(runCommand([path], {})).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      shortMessage: `${path} ${reason}`,
      cause: { code: 'EACCES' },
      details: [['fix', `${fix} ${path}`]],
    })
  })
})
