import { describe, expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { describeFault, mockWith } from '../../../test/support/request-faults.js'
import { exchange, LATEST, requestOf, serveFaults, TRANSPORTS } from '../../../test/support/wire.js'
import { createFetch } from '../../hosts/fetch.js'

describeFault('wire/refused', {
  effect({ wire }) {
    expect(wire).toEqual({ status: 0, headers: {}, body: '', error: 'fetch failed', faults: ['wire/refused'] })
  },
})

it('behavior: in process, the error is that of fetch for a port without a server', async () => {
  const fetched = createFetch(mockWith([{ fault: 'wire/refused' }]).mock)(`http://mock${LATEST}`)
  await expect(fetched).rejects.toThrow(TypeError)
  await expect(fetched).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED', syscall: 'connect' },
  })
})

describe.each(TRANSPORTS)('wire/refused on a socket of %s', transport => {
  const serve = serveFaults(transport)

  it.each(['GET', 'HEAD'])('behavior: %s is reset at once, whatever the delay', async method => {
    const late = { fault: 'reply/latency', options: { ms: 600_000 } }
    const { address, url } = await serve([{ fault: 'wire/refused' }, late])
    expect(await exchange(address, requestOf(LATEST, method))).toEqual({ received: '', how: 'ECONNRESET' })
    await expect(fetch(url + LATEST, { method, headers: KEY })).rejects.toThrow(new TypeError('fetch failed'))
  })
})
