import { expect, it } from 'vitest'
import { describeFault, pairOf, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/empty-body', {
  effect({ wire, calm }) {
    expect([wire.status, wire.body, wire.error]).toEqual([200, '', undefined])
    expect(wire.headers['content-length']).toBe('0')
    expect(wire.headers['content-type']).toBe(calm.headers['content-type'])
  },
})

it.each(['null', '{}', '[]'])('args: body: %s', async body => {
  const { wire, calm } = await pairOf([{ fault: 'reply/empty-body', options: { body } }]).ask(targetOf('latest'))
  expect([wire.status, wire.body, wire.error, wire.faults]).toEqual([200, body, undefined, ['reply/empty-body']])
  expect(wire.headers['content-length']).toBe(String(body.length))
  expect(wire.headers['content-type']).toBe(calm.headers['content-type'])
})

it('behavior: a reply without a body keeps none', async () => {
  const faults = [
    { fault: 'reply/status', options: { status: 304 } },
    { fault: 'reply/empty-body', options: { body: '{}' } },
  ]
  const { wire } = await pairOf(faults).ask(targetOf('latest'))
  expect([wire.status, wire.body, wire.faults]).toEqual([304, '', ['reply/status']])
})
