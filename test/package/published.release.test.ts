// A release, rehearsed: the packed tarball is published to a registry of this test, and used from there by its name: by npx and by each
// package manager, from empty folders of a user without settings. Packages that it depends on come through the registry of npm here.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../../src/version.js'
import { managerOf, npmRegistry, pack, ToolUnavailable } from '../matrix/project.js'
import { ROOT } from '../support/folder.js'
import { needs } from '../support/needs.js'
import { outerEnvironment } from '../support/run-program.js'

const VERDACCIO = join(ROOT, 'test/registry/node_modules/verdaccio/build/index.js')
const NO_REGISTRY = existsSync(VERDACCIO) ? undefined : 'No verdaccio found: run "npm ci --prefix test/registry".'
/** Downloads can be slow. */
const LIMIT_MS = 300_000
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

let home: string
let registry: string
let close: () => void

/** An empty folder whose settings name the registry. */
function createFolder(name: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(home, name)
  mkdirSync(folder)
  const settings = {
    '.npmrc': `registry=${registry}\n`,
    'package.json': '{ "private": true, "type": "module" }',
    ...files,
  }
  for (const [file, text] of Object.entries(settings)) writeFileSync(join(folder, file), text)
  return folder
}

function start(cwd: string, [command, ...args]: readonly string[]) {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', YARN_ENABLE_TELEMETRY: '0' }
  const inherited = Object.entries(outerEnvironment({ ...quiet, HOME: home })).filter(([name]) => !/^XDG_/.test(name))
  // Caches of the user could have another package of the same version.
  const env = Object.fromEntries(inherited)
  // A group of its own: npx does not forward signals.
  return spawn(command!, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
}

/** Runs a command, and returns its output. */
async function run(cwd: string, command: readonly string[]): Promise<string> {
  const child = start(cwd, command)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (piece: string) => void (output[name] += piece))
  const status = await new Promise<number | null>(resolve => child.once('close', resolve))
  expect(status, `${command.join(' ')}\n${output.stdout}${output.stderr}`).toBe(0)
  return output.stdout
}

describe('the published package', { timeout: LIMIT_MS, ...needs(NO_REGISTRY) }, () => {
  beforeAll(async () => {
    expect(inject('buildProblem')).toBe('')
    home = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-published-')))
    const { runServer } = createRequire(import.meta.url)(VERDACCIO) as {
      runServer(config: object): Promise<import('node:http').Server>
    }
    const server = await runServer({
      self_path: home,
      storage: join(home, 'registry'),
      uplinks: { upstream: { url: npmRegistry(), maxage: '1h' } },
      packages: { 'price-feed-mock': { access: '$all', publish: '$all' }, '**': { access: '$all', proxy: 'upstream' } },
      auth: { htpasswd: { file: join(home, 'htpasswd') } },
      web: { enable: false },
      log: { type: 'stdout', format: 'json', level: 'fatal' },
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    registry = `http://127.0.0.1:${port}/`
    close = () => {
      server.close()
      server.closeAllConnections()
    }
    const user = { name: 'releaser', password: 'a-password' }
    const reply = await fetch(`${registry}-/user/org.couchdb.user:${user.name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    })
    const { token } = (await reply.json()) as { token: string }
    const tarball = pack(ROOT)
    const settings = { '.npmrc': `registry=${registry}\n//127.0.0.1:${port}/:_authToken=${token}\n` }
    await run(createFolder('releaser', settings), ['npm', 'publish', tarball, '--access', 'public'])
    rmSync(dirname(tarball), { recursive: true })
  }, LIMIT_MS)
  afterAll(() => {
    close?.()
    if (home !== undefined) rmSync(home, { recursive: true, force: true })
  })

  it.concurrent('default: npx runs it by name and version, and the first screen of the README is as it is written', async context => {
    const [, flags] = /\nnpx price-feed-mock (--seed .*)\n/.exec(readme)!
    const [, reply] = /```json\n(\{"feedId".*\})\n```/.exec(readme)!
    const paths = [...readme.matchAll(/^curl .*http:\/\/127\.0\.0\.1:4700(\S+)$/gm)].map(([, path]) => path!)
    const command = ['npx', '--yes', `price-feed-mock@${VERSION}`, ...flags!.split(' '), '--port', '0', '--log', 'off']
    const child = start(createFolder('npx'), command)
    context.onTestFinished(() => void process.kill(-child.pid!))
    let problem = ''
    child.stderr.on('data', piece => (problem += piece))
    const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
    expect(first.value, problem).toMatch(/^http:/)
    const replies = await Promise.all(
      paths.map(path => fetch(first.value + path, { headers: { authorization: 'test-api-key' } })),
    )
    expect(await replies[0]!.text()).toBe(reply)
    expect(replies[1]!.headers.get('x-price-feed-mock')).toContain('faults=("market/stale")')
    expect(replies).toHaveLength(2)
  })

  it.concurrent('default: npm installs it, examples/ci-shell passes with it, and docs/dependencies.md has all licences', async () => {
    const folder = createFolder('npm')
    cpSync(join(ROOT, 'examples/ci-shell'), folder, { recursive: true })
    const example = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    // Without these, npm writes no bill of materials.
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...example, name: 'consumer', version: '1.0.0' }))
    await run(folder, ['npm', 'install', '--save-dev', 'price-feed-mock'])
    const [, command] = /```sh\n(npx price-feed-mock exec .* -- npm test)\n```/.exec(readme)!
    expect(await run(folder, ['sh', '-c', command!])).toMatch(/pass 7/)
    expect(await run(folder, ['npx', '--no', '--', 'price-feed-mock', '--version'])).toBe(`${VERSION}\n`)
    await run(folder, ['node', '--input-type=module', '-e', "await import('price-feed-mock/node')"])
    const { components } = JSON.parse(await run(folder, ['npm', 'sbom', '--sbom-format', 'cyclonedx'])) as {
      components: { name: string; version: string; licenses?: { license: { id: string } }[] }[]
    }
    expect(components.find(({ name }) => name === 'price-feed-mock')?.version).toBe(VERSION)
    expect(components.length).toBeGreaterThan(70)
    const licences = new Set(
      components.map(({ name, licenses }) => licenses?.map(one => one.license.id).join() ?? name),
    )
    const listed = /^Licences of all of them: (.*)\.$/m.exec(readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8'))
    expect([...licences].sort().join(', ')).toBe(listed?.[1])
  })

  const managers = ['npm@10', 'pnpm@10', 'yarn@4', 'bun@1'] as const
  it.concurrent.for(managers)('default: %s installs it', async (name, context) => {
    let manager: ReturnType<typeof managerOf>
    try {
      manager = managerOf(name, join(ROOT, '.build/matrix'), registry)
    } catch (error) {
      if (error instanceof ToolUnavailable) return context.skip(error.message)
      throw error
    }
    const { '.yarnrc.yml': yarn, ...files } = manager.files
    // Since 4.10, yarn refuses versions of the last day.
    const approved = yarn === undefined ? {} : { '.yarnrc.yml': `${yarn}npmPreapprovedPackages: [price-feed-mock]\n` }
    const folder = createFolder(name, { ...files, ...approved })
    await run(folder, [...manager.add, `price-feed-mock@${VERSION}`])
    expect(await run(folder, [...manager.exec, 'price-feed-mock', '--version'])).toContain(`${VERSION}\n`)
  })
})
