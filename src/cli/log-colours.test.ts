// The colours of the log: red for statuses of the server, yellow for those of the client, green for the rest.
import { expect, it, vi } from 'vitest'
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
