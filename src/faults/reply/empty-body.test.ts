import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('reply/empty-body', {
  effect({ wire, calm }) {
    expect([wire.status, wire.body, wire.error]).toEqual([200, '', undefined])
    expect(wire.headers['content-length']).toBe('0')
    expect(wire.headers['content-type']).toBe(calm.headers['content-type'])
  },
})
