// Running a command with its output kept: how it ends, what is left of it, and what of its output is shown.
import { getEventListeners, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen } from '../../test/support/listen.js'
import { captureCommand } from './exec.js'

const LONG = { limitMs: 60_000, by: 'hunt' }
const run = (program: string, options: Partial<Parameters<typeof captureCommand>[2]> = {}, environment = {}) =>
  captureCommand([process.execPath, '-e', program], environment, { ...LONG, ...options })

/** A server whose connections show whether a process still lives. */
async function createLifeline() {
  const server = createServer()
  const port = await listen(server)
  const connected = once(server, 'connection').then(([socket]) => {
    const ended = once(socket as Socket, 'close')
    ;(socket as Socket).on('error', () => {}).resume()
    return { ended }
  })
  return { connect: `require('node:net').connect(${port}, '127.0.0.1').on('error', () => {})`, connected }
}

describe('the end', () => {
  it('default: exit code, time and both outputs', async () => {
    const found = await run(
      'console.log("out"); console.error(process.env.NAME); process.exitCode = 3',
      {},
      { NAME: 'n' },
    )
    expect(found).toEqual({
      exitCode: 3,
      end: 'exited',
      output: expect.arrayContaining(['out', 'n']),
      ms: expect.any(Number),
    })
    expect(found.output).toHaveLength(2)
    expect(found.ms).toBeGreaterThan(1)
  })

  it('behavior: a signal gives 128 and its number', async () => {
    expect(await run('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)')).toMatchObject({
      exitCode: 137,
      end: 'exited',
    })
  })

  it('behavior: standard input is empty', async () => {
    expect(await run('process.stdin.resume().on("end", () => process.exit(5))')).toMatchObject({ exitCode: 5 })
  })

  it('behavior: at its limit it ends with all its processes, also those that ignore SIGTERM', async () => {
    // On a busy machine the child of the command may need more than the limit to start.
    for (let limitMs = 1000, hasConnected = false; !hasConnected; limitMs *= 4) {
      const { connect, connected } = await createLifeline()
      const child = JSON.stringify(`process.on("SIGTERM", () => {}); ${connect}`)
      const program = `process.on('SIGTERM', () => {}); console.log('up')
        require('node:child_process').spawn(process.execPath, ['-e', ${child}], { stdio: 'inherit' })`
      const running = run(program, { limitMs })
      const first = await Promise.race([connected, running])
      const result = await running
      hasConnected = 'ended' in first
      if (!hasConnected) continue
      expect(result).toMatchObject({ end: 'late', exitCode: 137, output: ['up'] })
      await (await connected).ended
    }
  })

  it('behavior: it ends when the signal is aborted, before or later', async () => {
    expect(await run('setInterval(() => {}, 1000)', { signal: AbortSignal.abort() })).toMatchObject({
      end: 'stopped',
      exitCode: 143,
    })
    const { connect, connected } = await createLifeline()
    const aborting = new AbortController()
    const running = run(connect, { signal: aborting.signal })
    const { ended } = await connected
    aborting.abort()
    expect(await running).toMatchObject({ end: 'stopped' })
    await ended
  })

  it('behavior: processes that it leaves behind end, and do not hold up the result', async () => {
    const { connect, connected } = await createLifeline()
    const left = JSON.stringify(`${connect}.once('connect', () => process.send('up'))`)
    const program = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${left}], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
      child.once('message', () => process.exit(0))`
    const running = run(program)
    const { ended } = await connected
    expect(await running).toMatchObject({ end: 'exited', exitCode: 0 })
    await ended
  })

  it('behavior: listeners exist only while commands run', async () => {
    const before = process.listenerCount('exit')
    const { signal } = new AbortController()
    const both = [run('', { signal }), run('', { signal })]
    expect(process.listenerCount('exit')).toBe(before + 1)
    expect(getEventListeners(signal, 'abort')).toHaveLength(2)
    await Promise.all(both)
    expect(process.listenerCount('exit')).toBe(before)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('error: a command that does not start', async () => {
    await expect(captureCommand(['no-such-command-anywhere'], {}, LONG)).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      details: [['fix', expect.stringContaining('npx price-feed-mock hunt -- npx no-such-command-anywhere')]],
    })
    expect(process.listenerCount('exit')).toBe(0)
  })
})

describe('the output', () => {
  it('behavior: of a long one the last lines stay', async () => {
    const { output } = await run('for (let i = 0; i < 30_000; i++) console.log("line " + i)')
    expect(output).toEqual(Array.from({ length: 20 }, (_, i) => `line ${29_980 + i}`))
  })

  const BYTES = `
    const bytes = Buffer.from('é漢😀')
    ;(async () => { for (const byte of bytes) await new Promise(done => process.stdout.write(Buffer.of(byte), done)) })()`
  const COLOURS = 'console.log("\\u001b[31mred\\u001b[0m\\ttab \\u0007\\u202e"); console.log("\\n")'
  it.each([
    ['default: nothing', '', []],
    ['behavior: long lines are cut', 'console.log("x".repeat(100_000) + "\\nend")', [`${'x'.repeat(400)}…`, 'end']],
    ['behavior: colours are removed, other control characters escaped', COLOURS, ['red  tab \\u0007\\u202e']],
    ['behavior: characters of several bytes are whole', BYTES, ['é漢😀']],
  ])('%s', async (_, program, output) => expect((await run(program)).output).toEqual(output))
})
