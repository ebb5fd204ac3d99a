// A command beside the server: its environment, its exit code, and what is said when it cannot start.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { constants } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Ready } from './banner.js'
import { runCommand, toEnvironment } from './exec.js'

/** Runs a program of Node. */
const run = (program: string, environment: Record<string, string> = {}, atTerminal?: boolean) =>
  runCommand([process.execPath, '-e', program], environment, atTerminal)

/** Runs a script of the shell that starts `$PROGRAM`, away from a terminal; the program lives as long as the connection that it makes. */
async function runBeside(script: string): Promise<{ started: Socket; running: Promise<number> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const environment = { NODE: process.execPath, PROGRAM: `net.connect(${port}, '127.0.0.1', () => console.log('up'))` }
  const running = runCommand(['sh', '-c', script], environment, false)
  const [started] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    started.destroy()
    server.close()
  })
  // It is ended by a signal or by the end of this connection, which then is reset.
  started.on('error', () => {}).resume()
  return { started, running }
}

describe('toEnvironment', () => {
  it('default', () => {
    const ready = {
      url: 'http://127.0.0.1:4700',
      historyUrl: 'http://127.0.0.1:4701',
      apiKey: 'test-api-key',
      signer: { testKey: 0, address: '0xad3784aa29be2b36f5873e248de7a8e28f441f55', publicKey: '02d9…' },
    } as Ready
    expect(toEnvironment(ready)).toEqual({
      PRICE_FEED_BASE_URL: 'http://127.0.0.1:4700',
      PRICE_FEED_HISTORY_URL: 'http://127.0.0.1:4701',
      PRICE_FEED_API_KEY: 'test-api-key',
      PRICE_FEED_SIGNER: '0xad3784aa29be2b36f5873e248de7a8e28f441f55',
    })
  })
})

describe('runCommand', () => {
  it('default: the exit code is the command’s', async () => {
    expect(await run('')).toBe(0)
    expect(await run('process.exit(3)')).toBe(3)
    expect(await run('process.exit(255)')).toBe(255)
  })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', 137],
    ['SIGTERM', 143],
    ['SIGUSR2', 128 + constants.signals.SIGUSR2],
  ] as const)
    it(`behavior: ${signal} gives ${code}, as in a shell`, async () => {
      expect(await run(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`)).toBe(code)
    })

  it('behavior: the environment is this one and what is given, which wins', async () => {
    const program = 'process.exit(process.env.MOCK_TEST_NAME === "given" && process.env.PATH ? 7 : 1)'
    process.env.MOCK_TEST_NAME = 'outer'
    try {
      expect(await run(program, { MOCK_TEST_NAME: 'given' })).toBe(7)
    } finally {
      delete process.env.MOCK_TEST_NAME
    }
  })

  it('behavior: arguments are passed on as they are, through no shell', async () => {
    const args = ['two words', "it's", '$HOME', '*', '--help', '']
    const program = `process.exit(JSON.stringify(process.argv.slice(1)) === process.env.WANTED ? 0 : 1)`
    const command = [process.execPath, '-e', program, '--', ...args]
    expect(await runCommand(command, { WANTED: JSON.stringify(args) })).toBe(0)
  })

  it('behavior: signals are listened to only while it runs', async () => {
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

  for (const [where, atTerminal, code] of [
    ['a terminal, which has sent it to the command already', true, 143],
    ['elsewhere', false, 130],
  ] as const)
    it(`behavior: Ctrl-C ${atTerminal ? 'is not forwarded on' : 'is forwarded'} ${where}`, async () => {
      const running = run('setInterval(() => {}, 1000)', {}, atTerminal)
      process.emit('SIGINT', 'SIGINT')
      // Of two pending signals the lower one ends it.
      process.emit('SIGTERM', 'SIGTERM')
      expect(await running).toBe(code)
    })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    it(`behavior: ${signal} ends what the command has started as well`, async () => {
      const { started, running } = await runBeside('"$NODE" -e "$PROGRAM" > /dev/null & wait')
      const ended = once(started, 'close')
      process.emit(signal, signal)
      expect(await running).toBe(code)
      await ended
    })

  it('behavior: what the command leaves behind is ended with it', async () => {
    const { started, running } = await runBeside('{ "$NODE" -e "$PROGRAM" & } | { read up; exit 3; }')
    const ended = once(started, 'close')
    expect(await running).toBe(3)
    await ended
  })

  it('error: a command that there is not', async () => {
    await expect(runCommand(['no-such-command-anywhere'], {})).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      shortMessage: 'no-such-command-anywhere was not started: there is no such command.',
      details: [
        [
          'fix',
          'check the name and PATH; for a program of node_modules: price-feed-mock exec -- npx no-such-command-anywhere',
        ],
      ],
    })
  })

  it('error: a whole command as one word', async () => {
    await expect(runCommand(['npm test'], {})).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      details: [['fix', 'price-feed-mock exec -- npm test']],
    })
  })

  it('error: a line for a shell as one word', async () => {
    await expect(runCommand(["npm run lint && it's"], {})).rejects.toMatchObject({
      details: [['fix', `price-feed-mock exec -- sh -c 'npm run lint && it'\\''s'`]],
    })
  })

  it('error: a command that cannot be run', async () => {
    await expect(runCommand([import.meta.dirname], {})).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      shortMessage: `${import.meta.dirname} is not executable.`,
      details: [['fix', `chmod +x ${import.meta.dirname}`]],
    })
  })
})
