import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/wrong-content-type', {
  refused: {
    mediaType: ['', 'json', 'text/plain\r\nset-cookie: a=b', 'text/plain; ', 'a/b/c', `text/${'x'.repeat(196)}`],
  },
  effect({ wire, calm }) {
    expect(wire.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect([wire.status, wire.body]).toEqual([calm.status, calm.body])
  },
})

it.each(['text/html', 'application/octet-stream', 'application/vnd.x+json; charset=utf-8'])(
  'args: %s',
  async mediaType => {
    const { headers } = await mockWith([{ fault: 'reply/wrong-content-type', options: { mediaType } }]).ask(
      targetOf('evm'),
    )
    expect(headers['content-type']).toBe(mediaType)
  },
)
