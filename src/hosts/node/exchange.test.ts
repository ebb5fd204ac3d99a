// A request as the service reads it: the key in any case of its header, the first one where there are several.
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { toServiceRequest } from './exchange.js'

const keyOf = (...rawHeaders: string[]): string | undefined =>
  toServiceRequest({ method: 'GET', url: '/', rawHeaders } as IncomingMessage).authorization

it.each(['authorization', 'Authorization', 'AUTHORIZATION'])('args: %s', name => {
  expect(keyOf('Host', 'a', name, 'first', name, 'second')).toBe('first')
})

it('behavior: other headers and values do not count', () => {
  expect(keyOf('X-Authorization', 'a', 'host', 'authorization')).toBeUndefined()
})
