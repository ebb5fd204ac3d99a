import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

const corsOf = (headers: object): string[] => Object.keys(headers).filter(name => name.startsWith('access-control-'))

describeFault('reply/no-cors', {
  effect({ wire, calm }) {
    expect(corsOf(calm.headers)).toContain('access-control-allow-origin')
    expect(corsOf(wire.headers)).toEqual([])
    expect([wire.status, wire.body]).toEqual([calm.status, calm.body])
  },
})

it('behavior: the preflight still passes', async () => {
  const { headers } = await mockWith([{ fault: 'reply/no-cors' }]).ask(targetOf('latest'), { method: 'OPTIONS' })
  expect(headers['access-control-allow-origin']).toBe('*')
})
