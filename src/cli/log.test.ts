// Log lines for people and for programs. Requests cannot inject control characters. Keys are in test/cli/log.txt.
import { describe, expect, it, vi } from 'vitest'
import type { MockExchange, ServiceExchange } from '../hosts/node/write.js'
import { createMock } from '../index.js'
import { toJsonLine, toPrettyLine } from './output.js'

// Before the import, because colours are decided once.
vi.hoisted(() => (process.env.NO_COLOR = '1'))

const AT = '2025-07-24T10:48:25Z'
const receivedAt = Date.parse(AT)

function serviceExchange(target: string, authorization?: string): ServiceExchange {
  const mock = createMock({ clock: { at: AT, frozen: true } })
  const { entry } = mock.serve({ method: 'GET', target, authorization, receivedAt })!
  return { by: 'service', session: 'test-1', entry, durationMs: 0.44 }
}

const served = serviceExchange('/prices/BTCUSD/latest', 'test-api-key')
const own: MockExchange = {
  by: 'mock',
  method: 'GET',
  target: '/_mock/health',
  status: 200,
  receivedAt,
  durationMs: 1.26,
}

describe('toPrettyLine', () => {
  it('behavior: faults end the line', () => {
    const faulty = { ...served, entry: { ...served.entry, faults: ['market/stale', 'reply/latency'] } }
    expect(toPrettyLine(faulty)).toMatch(/ 200 0\.4ms market\/stale reply\/latency$/)
  })

  it('behavior: a long target is truncated', () => {
    const line = toPrettyLine({ ...own, target: `/${'x'.repeat(500)}` })
    expect(line).toContain(`/${'x'.repeat(118)}… 200`)
    expect(line.length).toBeLessThan(150)
  })

  it('behavior: a target cannot inject control characters or line breaks', () => {
    const target = '/a\x1b[31mb\r\nc\x7fd\x9b31me\u202ef'
    expect(toPrettyLine({ ...own, target })).toBe('        own GET /a?[31mb??c?d?31me?f 200 1.3ms')
  })
})

describe('toJsonLine', () => {
  it('behavior: one line of printable characters for any target', () => {
    const line = toJsonLine({ ...own, target: '/a\n\x1b[31m' })
    expect([...line].filter(character => character < ' ')).toEqual([])
  })

  it('behavior: times are in whole microseconds', () => {
    expect(JSON.parse(toJsonLine({ ...own, durationMs: 1.23456789 })).durationMs).toBe(1.235)
  })
})
