// The colours of the log: red for statuses of the server, yellow for those of the client, green for the rest. And those of results.
import { afterEach, expect, it, vi } from 'vitest'
import { createMock } from '../index.js'
import { toPrettyLine } from './output.js'

// Before the log is loaded: colours are decided once.
vi.hoisted(() => {
  delete process.env.NO_COLOR
  process.env.FORCE_COLOR = '1'
})

const [RED, GREEN, YELLOW] = ['\x1b[31m', '\x1b[32m', '\x1b[33m']

it.each([
  [200, GREEN],
  [302, GREEN],
  [400, YELLOW],
  [499, YELLOW],
  [500, RED],
  [503, RED],
])('default: %i', (status, colour) => {
  const line = toPrettyLine({ by: 'mock', method: 'GET', target: '/', status, receivedAt: 0, durationMs: 1 })
  expect(line).toContain(`${colour}${status}`)
})

afterEach(() => {
  vi.unstubAllEnvs()
  Object.assign(process.stdout, { isTTY: before[0] })
  Object.assign(process.stderr, { isTTY: before[1] })
})
const before = [process.stdout.isTTY, process.stderr.isTTY]

it.each([true, false])('behavior: standard output decides on the colours of a list; a terminal: %s', async isTTY => {
  vi.stubEnv('FORCE_COLOR', '')
  vi.stubEnv('TERM', 'xterm')
  Object.assign(process.stdout, { isTTY })
  Object.assign(process.stderr, { isTTY: !isTTY })
  vi.resetModules()
  const { colours } = await import('./output.js')
  const { toList } = await import('./list.js')
  expect(toList('scenarios', createMock()).includes('\x1b')).toBe(isTTY)
  expect(colours.bold('a message').includes('\x1b')).toBe(!isTTY)
})
