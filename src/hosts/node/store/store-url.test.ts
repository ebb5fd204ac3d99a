// Addresses of stores: all forms, and errors that never contain a password.
import { expect, it } from 'vitest'
import { parseStoreUrl } from './store-url.js'

it('default: one server, its default port and database', () => {
  expect(parseStoreUrl('redis://host')).toEqual({
    kind: 'single',
    nodes: [{ host: 'host', port: 6379 }],
    tls: false,
    username: undefined,
    password: undefined,
    database: 0,
    master: undefined,
    prefix: 'pfm',
    sessions: 1000,
    shown: 'redis://host',
  })
})

it('args: TLS, user name, password, database and prefix, and none of the secrets is shown', () => {
  const address = parseStoreUrl('rediss://me:p%40ss@[::1]:7000/3?prefix=team-a')
  expect(address).toMatchObject({ tls: true, username: 'me', password: 'p@ss', database: 3, prefix: 'team-a' })
  expect(address.nodes).toEqual([{ host: '::1', port: 7000 }])
  expect(address.shown).toBe('rediss://[::1]:7000/3?prefix=team-a')
})

it('args: the number of sessions, alone or after a prefix', () => {
  expect(parseStoreUrl('redis://host?sessions=20000')).toMatchObject({ sessions: 20_000, prefix: 'pfm' })
  const { sessions, prefix, shown } = parseStoreUrl('redis://host/1?prefix=team-a&sessions=100000')
  expect([sessions, prefix, shown]).toEqual([100_000, 'team-a', 'redis://host/1?prefix=team-a&sessions=100000'])
})

it('args: a password with the characters of an address, and one without a user name', () => {
  expect(parseStoreUrl('redis://me:a@b:c/d@host')).toMatchObject({ password: 'a@b:c/d', shown: 'redis://host' })
  expect(parseStoreUrl('redis://:word@host')).toMatchObject({ username: undefined, password: 'word' })
})

it('args: sentinels with the name of their primary', () => {
  expect(parseStoreUrl('redis+sentinel://a,b:26380/main/2')).toMatchObject({
    kind: 'sentinel',
    nodes: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 26380 },
    ],
    master: 'main',
    database: 2,
  })
})

it('args: a cluster', () => {
  const { kind, nodes } = parseStoreUrl('redis+cluster://a:7000,b:7001')
  expect([kind, nodes.map(({ port }) => port)]).toEqual(['cluster', [7000, 7001]])
})

it.each([
  'http://user:hidden@host',
  'redis://user:hidden@',
  'redis://user:hidden@host:99999',
  'redis://user:hidden@a,b',
  'redis://user:hidden@host/x',
  'redis://user:hidden@host/1/x',
  'redis+sentinel://user:hidden@host',
  'redis+cluster://user:hidden@host/1',
  'redis://user:hidden@host?prefix={x}',
  'redis://user:hidden@host#x',
  'redis://user:hidden@host?sessions=0999',
  'redis://user:hidden@host?sessions=100001',
  'redis://user:hidden@host?sessions=2000&prefix=x',
])('error: %s', url => {
  expect(() => parseStoreUrl(url)).toThrow('The address of the store is invalid.')
  expect(() => parseStoreUrl(url)).not.toThrow('hidden')
})

it('error: the address is not shown, so the message has the form of its query too', () => {
  expect(() => parseStoreUrl('redis://host?sessions=500')).toThrow('?prefix=name&sessions=20000')
})
