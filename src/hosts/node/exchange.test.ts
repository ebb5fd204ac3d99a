// A request of Node as the mock takes it: the header of the key in any case, and the first of several.
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { toServiceRequest } from './write.js'

const keyOf = (...rawHeaders: string[]): string | undefined =>
  toServiceRequest({ method: 'GET', url: '/', rawHeaders } as IncomingMessage, 0).authorization

it.each(['authorization', 'Authorization', 'AUTHORIZATION'])('args: %s', name => {
  expect(keyOf('Host', 'a', name, 'first', name, 'second')).toBe('first, second')
})

it('behavior: other headers and values do not count', () => {
  expect(keyOf('X-Authorization', 'a', 'host', 'authorization')).toBeUndefined()
})
