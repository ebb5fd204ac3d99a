import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('reply/malformed-json', {
  effect({ wire, calm }) {
    expect(() => JSON.parse(wire.body)).toThrow(SyntaxError)
    expect(calm.body.startsWith(wire.body)).toBe(true)
    // The content-length matches the body.
    expect(wire.error).toBeUndefined()
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
    expect([wire.status, wire.headers['content-type']]).toEqual([200, calm.headers['content-type']])
  },
})
