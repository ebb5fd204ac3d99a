// The clients for Python and Go, as the packed package has them: their own tests, with the vectors, a tape of every fault that changes a
// price or a signature, and a mock that npx starts.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { toTapeSettings, writeTape } from '../../src/cli/tape.js'
import { FAULTS } from '../../src/faults/index.js'
import { startServer } from '../../src/hosts/node/server.js'
import { createMock } from '../../src/index.js'
import { type Consumer, createConsumer } from '../support/consumer.js'
import { ROOT } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'

const CLIENTS = 'node_modules/price-feed-mock/clients'
const AT = 1_753_354_105

let consumer: Consumer
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('')
  consumer = createConsumer(ROOT)
  environment = {
    VECTORS: join(consumer.folder, 'node_modules/price-feed-mock/fixtures'),
    TAPE: join(consumer.folder, 'tape.ndjson'),
    PRICE_FEED_BASE_URL: '',
  }
  consumer.write('tape.ndjson', await recordFaults())
})
afterAll(() => consumer?.end())

/** A calm second, then a second of each fault, in both forms. */
async function recordFaults(): Promise<string> {
  const names = FAULTS.map(({ name }) => name).filter(name => /^(signature|tick)\//.test(name))
  const faults = names.map((fault, i) => ({ fault, from: `${i + 1}s`, for: '1s' }))
  let text = ''
  for (const layout of ['svm', 'evm'] as const) {
    const scenario = { title: 'Each fault for a second', why: 'W', faults }
    const mock = createMock({ clock: { at: AT }, startedAt: 0, scenario } as never)
    const settings = toTapeSettings({
      feeds: ['BTCUSD', 'ETHUSD'],
      for: `${names.length + 1}s`,
      layout,
      format: 'ndjson',
    })
    await writeTape(mock, settings, { print: piece => void (text += piece), report: () => {} })
  }
  return text
}

const MODULES = 'import Cryptodome, ecdsa, pytest'
const python = ['python3', '/usr/bin/python3'].find(name => spawnSync(name, ['-c', MODULES]).status === 0)
const NO_PYTHON =
  python === undefined
    ? 'No ecdsa, pycryptodomex and pytest found: run "apt-get install python3-ecdsa python3-pycryptodome python3-pytest".'
    : undefined

describe('Python', needs(missingProgram('python3'), NO_PYTHON), () => {
  const pytest = (tests: string, more: Readonly<Record<string, string>> = {}) => {
    // As pip would register it.
    const [, plugin] = /pytest11\]\n\w+ = "(.+)"/.exec(consumer.read(`${CLIENTS}/python/pyproject.toml`))!
    return consumer.run(python!, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', plugin!, tests], {
      ...environment,
      PYTHONPATH: join(consumer.folder, CLIENTS, 'python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
      ...more,
    })
  }

  it('default: its tests pass, with a mock that npx starts', async () => {
    const { status, output } = await pytest(`${CLIENTS}/python/tests`)
    expect(output).toMatch(/\n1\d\d passed in /)
    expect(status).toBe(0)
  })

  it('behavior: a failed test shows the timeline of its session', async context => {
    const server = await startServer({ port: 0 })
    context.onTestFinished(() => server.stop())
    const lines = ['assert price_feed.latest("BTCUSD").price == 0', 'price_feed.latest("NOPE")']
    consumer.write('test_fails.py', lines.map((line, i) => `def test_${i}(price_feed):\n    ${line}\n`).join(''))
    const { status, output } = await pytest('test_fails.py', { PRICE_FEED_BASE_URL: `${server.url}/session/other` })
    expect(output).toMatch(/- price feed -[\s\S]*latest[\s\S]*2 failed in /)
    // Its last place in the code is that of the test, not one in the client.
    expect(output).toContain('test_fails.py:4: ServiceError')
    expect(status).toBe(1)
    expect(server.mock.sessions.list().map(({ id }) => id)).toEqual(['default'])
  })
})

/** Debian's Go libraries, which need no proxy. */
const GO_LIBRARIES = '/usr/share/gocode'
const NO_GO_LIBRARIES = existsSync(join(GO_LIBRARIES, 'src/github.com/btcsuite/btcd/btcec'))
  ? undefined
  : 'No btcec found: run "apt-get install golang-github-btcsuite-btcd-btcec-dev golang-golang-x-crypto-dev".'

describe('Go', needs(missingProgram('go')), () => {
  const PACKAGES = ['price-feed-mock/clients/go', 'price-feed-mock/clients/go/mock']
  const go = (args: readonly string[], more: Readonly<Record<string, string>>) =>
    consumer.run('go', [...args, ...PACKAGES], { ...environment, ...more })

  it(
    'default: its tests pass with the curve of Debian, and a mock that npx starts',
    needs(NO_GO_LIBRARIES),
    async () => {
      const workspace = join(consumer.folder, 'gopath')
      const copy = (from: string, to: string) => cpSync(from, join(workspace, 'src', to), { recursive: true })
      copy(join(consumer.folder, CLIENTS, 'go'), 'price-feed-mock/clients/go')
      copy(join(ROOT, 'test/clients/go-curve'), 'github.com/decred/dcrd/dcrec/secp256k1/v4')
      const env = { GO111MODULE: 'off', GOPATH: [workspace, GO_LIBRARIES].join(delimiter), GOFLAGS: '' }
      const { status, output } = await go(['test', '-count=1'], env)
      expect(output).toMatch(/^ok .*\nok .*\n$/)
      expect(status).toBe(0)
    },
  )

  it('behavior: the module fetches its libraries', async context => {
    const folder = join(consumer.folder, 'user')
    mkdirSync(folder)
    const module = 'price-feed-mock/clients/go'
    const target = join(consumer.folder, CLIENTS, 'go')
    writeFileSync(
      join(folder, 'go.mod'),
      `module user\n\ngo 1.19\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ${target}\n`,
    )
    writeFileSync(join(folder, 'user.go'), `package user\n\nimport _ "${module}/mock"\n`)
    const tidy = spawnSync('go', ['mod', 'tidy'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GOFLAGS: '' },
    })
    if (/dial tcp|no such host|timeout|lookup/.test(tidy.stderr)) return context.skip('the Go proxy cannot be reached')
    expect(tidy.stderr).not.toContain('checksum mismatch')
    expect(tidy.status, tidy.stderr).toBe(0)
    const test = spawnSync('go', ['vet', `${module}/...`], { cwd: folder, encoding: 'utf8' })
    expect(test.status, test.stderr).toBe(0)
  })
})
