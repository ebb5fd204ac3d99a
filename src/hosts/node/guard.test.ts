// The guard of the admin: which names, pages and tokens reach it.
import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../test/support/seed.js'
import { accessOf, matchRow } from '../../admin/routes.js'
import type { PriceFeedMockError } from '../../errors.js'
import { parseTarget } from '../../service/request.js'
import { ORIGIN } from '../../settings/schema.js'
import { type AccessRules, findObjection, findSessionObjection } from './guard.js'

const accessTo = (url: string) => accessOf(parseTarget(url), matchRow(parseTarget(url)))
const errorOf = (url: string, headers: Record<string, string>, rules: Partial<AccessRules> = {}, method = 'GET') =>
  findObjection({ url, headers, method } as unknown as IncomingMessage, accessTo(url), { allowHosts: [], ...rules })
const objection = (...request: Parameters<typeof errorOf>) => errorOf(...request)?.code

describe('host', () => {
  it.each([
    'localhost:4700',
    '127.0.0.1',
    '127.255.0.9:80',
    '[::1]:4700',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]:80',
    'a.localhost',
    'LOCALHOST',
  ])('default: %s is allowed', host => expect(objection('/_mock/health', { host })).toBeUndefined())

  it.each([
    'evil.example',
    '127.0.0',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evillocalhost',
    'localhost@evil.example',
    'localhost,evil.example',
  ])('error: %j', host => {
    for (const url of ['/', '/_mock', '/_mock/health', '/_mock/live', '/_MOCK/health'])
      expect(objection(url, { host }), url).toBe('HOST_NOT_ALLOWED')
  })

  it.each(['', '10.1.2.3:4700', '[fd00::1]:4700'])('behavior: checks of a load balancer at %j', host => {
    for (const url of ['/_mock/health', '/_mock/live?']) {
      expect(objection(url, { host }), url).toBeUndefined()
      expect(objection(url, { host, origin: 'https://evil.example' }), url).toBe('ORIGIN_NOT_ALLOWED')
    }
    for (const url of ['/', '/_mock/info', '/_mock/health/', '/_mock/livery'])
      expect(objection(url, { host }), url).toBe('HOST_NOT_ALLOWED')
  })

  it('args: --allow-host, in any case and as a whole', () => {
    const of = (host: string) => objection('/_mock/', { host }, { allowHosts: ['PRICES.internal'] })
    for (const host of ['Prices.internal:4700', 'prices.INTERNAL', 'localhost']) expect(of(host), host).toBeUndefined()
    for (const host of ['internal', 'a.prices.internal', 'prices.internal.evil.example'])
      expect(of(host), host).toBe('HOST_NOT_ALLOWED')
  })
})

describe('origin', () => {
  const HOST = { host: 'localhost:4700' }

  it('default: the page of the server itself, and of a proxy that the browser takes for it', () => {
    expect(objection('/_mock/info', { ...HOST, origin: 'http://localhost:4700' })).toBeUndefined()
    const own = { ...HOST, 'sec-fetch-site': 'same-origin' }
    expect(objection('/_mock/info', own)).toBeUndefined()
    expect(
      objection('/_mock/info', { ...HOST, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }),
    ).toBeUndefined()
  })

  it.each([
    'https://evil.example',
    'http://evil.example:4700',
    'http://evil.example/localhost',
    'localhost.evil',
    'null',
    'http://localhost.evil.example',
    'https://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'file://',
    'http://localhost:5173',
    'http://127.0.0.1:4700',
    'http://[::1]:80',
    'http://app.localhost',
    'chrome-extension://abcdef',
  ])('error: a page of %s', origin => {
    for (const url of ['/', '/_mock/', '/_mock/health', '/%5fmock/info'])
      expect(objection(url, { ...HOST, origin }), url).toBe('ORIGIN_NOT_ALLOWED')
    expect(objection('/prices/BTCUSD/latest', { ...HOST, origin })).toBeUndefined()
  })

  it.each(['cross-site', 'same-site'])('error: a request without Origin that is %s', site => {
    for (const mode of ['no-cors', 'cors', 'navigate'])
      for (const method of ['GET', 'HEAD', 'POST'])
        expect(objection('/_mock/info', { ...HOST, 'sec-fetch-site': site, 'sec-fetch-mode': mode }, {}, method)).toBe(
          'ORIGIN_NOT_ALLOWED',
        )
  })

  it('behavior: a link of any site opens the index page, but no frame shows it', () => {
    const link = { ...HOST, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    for (const url of ['/', '/_mock', '/_mock/']) {
      expect(objection(url, link), url).toBeUndefined()
      expect(objection(url, { ...link, 'sec-fetch-dest': 'iframe' }), url).toBe('ORIGIN_NOT_ALLOWED')
      expect(objection(url, link, {}, 'POST'), url).toBe('ORIGIN_NOT_ALLOWED')
    }
    expect(objection('/_mock/sessions/default/events', link)).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('args: --allow-origin is compared as a whole', () => {
    const rules = { allowOrigins: ['http://localhost:5173'] }
    const from = (origin: string) => objection('/_mock/info', { ...HOST, origin, 'sec-fetch-site': 'same-site' }, rules)
    expect(from('http://localhost:5173')).toBeUndefined()
    for (const origin of [
      'http://localhost:51730',
      'https://localhost:5173',
      'http://localhost',
      'http://a.localhost:5173',
    ])
      expect(from(origin), origin).toBe('ORIGIN_NOT_ALLOWED')
  })

  it.each([
    ['http://App:80', 'http://app', undefined],
    ['https://app:443', 'https://app', undefined],
    ['http://app:443', 'http://app', 'ORIGIN_NOT_ALLOWED'],
    ['http://app:8080', 'http://app', 'ORIGIN_NOT_ALLOWED'],
  ])('args: --allow-origin %s for a page of %s, whose browser omits the usual port: %s', (allowed, origin, want) => {
    expect(objection('/_mock/info', { ...HOST, origin }, { allowOrigins: [allowed] })).toBe(want)
  })

  it('args: an origin has a scheme and a host, and neither path nor wildcard', () => {
    for (const origin of ['http://localhost:5173', 'https://app.internal', 'http://[::1]:5173'])
      expect(ORIGIN.test(origin), origin).toBe(true)
    for (const origin of [
      '*',
      'null',
      'localhost:5173',
      'http://*.app',
      'http://localhost/',
      'http://a:b@c',
      'file://',
      'http://localhost:',
      '',
    ])
      expect(ORIGIN.test(origin), origin).toBe(false)
  })
})

describe('token', () => {
  const HOST = { host: 'localhost:4700' }
  const rules = { adminToken: 'correct-horse' }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it.each([
    ['bearer', { authorization: 'Bearer correct-horse' }],
    ['bearer, in lower case', { authorization: 'bearer correct-horse' }],
    ['the password that a browser asks for', { authorization: basic('any:correct-horse') }],
    ['x-admin-token', { 'x-admin-token': 'correct-horse' }],
    ['a password with a colon', { authorization: basic('any:correct:horse') }, 'correct:horse'],
  ])('default: %s', (_, headers, adminToken = 'correct-horse') =>
    expect(objection('/_mock/info', { ...HOST, ...headers }, { adminToken })).toBeUndefined(),
  )

  it.each([
    {},
    { authorization: 'correct-horse' },
    { authorization: 'Bearer correct-hors' },
    { authorization: 'Bearer correct-horse2' },
    { authorization: basic('correct-horse:') },
    { 'x-admin-token': '' },
  ])('error: %j', headers => {
    for (const url of ['/_mock', '/_mock/', '/_mock/info', '/_mock/health/', '/%5fmock/metrics'])
      expect(objection(url, { ...HOST, ...headers }, rules), url).toBe('ADMIN_TOKEN_INVALID')
  })

  it('behavior: health checks and the list of endpoints need none', () => {
    for (const url of ['/', '/_mock/health', '/_mock/health?a=1']) expect(objection(url, HOST, rules)).toBeUndefined()
  })
})

describe('a session that its path creates', () => {
  const errorAt = (url: string, headers: Record<string, string> = {}) => {
    const request = { url, headers, method: 'GET' } as unknown as IncomingMessage
    const rules = { allowHosts: [], adminToken: 'correct-horse' }
    return findSessionObjection(request, id => id === 'known', rules) as PriceFeedMockError | undefined
  }
  const of = (...request: Parameters<typeof errorAt>) => errorAt(...request)?.code

  it('error: without the token', () => {
    expect(errorAt('/session/new/prices/BTCUSD/latest')!.message).toMatchInlineSnapshot(`
      "There is no session "new", and a new one needs the token.
        want  the id of a session, or the token of --admin-token in the header: x-admin-token
        fix   POST /_mock/sessions with the token
        code  ADMIN_TOKEN_INVALID"
    `)
    expect(of('/session/new/prices/BTCUSD/latest', { 'x-admin-token': 'correct' })).toBe('ADMIN_TOKEN_INVALID')
  })

  it('default: with the token, and for sessions that exist or that belong to a scenario', () => {
    expect(of('/session/new/prices/BTCUSD/latest', { 'x-admin-token': 'correct-horse' })).toBeUndefined()
    for (const id of ['known', 'scenario.stale-btc'])
      expect(of(`/session/${id}/prices/BTCUSD/latest`), id).toBeUndefined()
  })
})

describe('spellings', () => {
  it.each(['evil.example#.localhost', 'evil@localhost', 'a/.localhost', '.localhost', 'evil.example?.localhost:80'])(
    'error: %j is no name of this machine',
    host => expect(objection('/_mock/info', { host })).toBe('HOST_NOT_ALLOWED'),
  )

  const [http, https] = ['http://localhost:4700', 'https://localhost:4700']
  const site = (name: string) => ({ 'sec-fetch-site': name })
  it.each([
    [{ origin: http }, undefined],
    [{ origin: https }, 'ORIGIN_NOT_ALLOWED'],
    [{ origin: 'capacitor://localhost:4700' }, 'ORIGIN_NOT_ALLOWED'],
    [{ origin: 'capacitor://localhost:4700', ...site('same-origin') }, 'ORIGIN_NOT_ALLOWED'],
    // Behind a proxy that takes TLS off.
    [{ origin: https, 'x-forwarded-proto': 'https, http' }, undefined],
    [{ origin: http, 'x-forwarded-proto': 'https' }, 'ORIGIN_NOT_ALLOWED'],
    [{ origin: https, ...site('same-origin') }, undefined],
  ] as const)('args: a page of %o', (headers, code) => {
    expect(objection('/_mock/info', { host: 'localhost:4700', ...headers })).toBe(code)
  })

  it('args: the origin of --public-url', () => {
    const headers = { host: 'mock.example', origin: 'https://mock.example' }
    const rules = { allowHosts: ['mock.example'] }
    expect(objection('/_mock/info', headers, rules)).toBe('ORIGIN_NOT_ALLOWED')
    expect(objection('/_mock/info', headers, { ...rules, publicOrigin: 'https://mock.example' })).toBeUndefined()
  })

  it('behavior: another spelling of a path has the same guard, and never a weaker one', () => {
    const spelled = fc
      .tuple(
        fc.constantFrom(
          '/_mock',
          '/_mock/',
          '/_mock/info',
          '/_mock/health',
          '/_mock/console/a.js',
          '/_mock/sessions/a',
          '/_mock/x',
        ),
        fc.infiniteStream(fc.boolean()),
        fc.constantFrom('', 'http://localhost:4700', 'X://evil.example'),
        fc.constantFrom('', '?a=/prices', '#/prices/BTCUSD/latest'),
      )
      .map(([path, encodes, origin, rest]) => {
        const encode = (letter: string) => (encodes.next().value ? `%${letter.charCodeAt(0).toString(16)}` : letter)
        return { path, url: origin + path.replace(/[^/]/g, encode) + rest }
      })
    check([spelled], ({ path, url }) => {
      expect(accessTo(url)).toBe(accessTo(path))
      const shouted = accessTo(url.replace(/_mock/i, '_MOCK'))
      expect([accessTo(path), 'admin']).toContain(shouted)
    })
  })
})

it('error: each message names the remedy, and repeats only names', () => {
  const own = { host: 'localhost' }
  const token = { adminToken: 'correct-horse' }
  const errors = [
    errorOf('/_mock/info', {}),
    errorOf('/_mock/info', { host: 'mock.internal:4700' }),
    errorOf('/_mock/info', { host: 'x'.repeat(200) }),
    errorOf('/_mock/info', { ...own, origin: 'http://app.example' }),
    errorOf('/_mock/info', { ...own, origin: 'http://$(reboot)' }),
    errorOf('/_mock/info', own, token),
    errorOf('/_mock/info', { ...own, 'x-admin-token': 'wrong' }, token),
  ]
  expect(errors.map(error => error!.message.replace(/\n {2}code .*/, '')).join('\n')).toMatchInlineSnapshot(`
    "The admin does not answer without a Host header.
      want  localhost, a loopback address, or a name given with --allow-host
      fix   npx price-feed-mock --allow-host NAME, or allowHosts: ['NAME'] of the server in code
      note  the five endpoints answer to any host name
    The admin does not answer to the host name "mock.internal".
      want  localhost, a loopback address, or a name given with --allow-host
      fix   npx price-feed-mock --allow-host mock.internal, or allowHosts: ['mock.internal'] of the server in code
      note  the five endpoints answer to any host name
    The admin does not answer to the host name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".
      want  localhost, a loopback address, or a name given with --allow-host
      fix   npx price-feed-mock --allow-host NAME, or allowHosts: ['NAME'] of the server in code
      note  the five endpoints answer to any host name
    The admin does not answer pages of http://app.example: it has another origin.
      want  a page of this server, a program, or an origin given with --allow-origin
      fix   npx price-feed-mock --allow-origin http://app.example, or allowOrigins: ['http://app.example'] of the server in code
      note  the five endpoints answer to pages of any origin
    The admin does not answer this page: it has another origin.
      want  a page of this server, a program, or an origin given with --allow-origin
      fix   npx price-feed-mock --allow-origin ORIGIN, or allowOrigins: ['ORIGIN'] of the server in code
      note  the five endpoints answer to pages of any origin
    The admin of this server needs a token.
      want  the token of --admin-token in the header: authorization: Bearer TOKEN
      note  the five endpoints take an API key instead
    The token is not that of this server.
      want  the token of --admin-token in the header: authorization: Bearer TOKEN
      note  the five endpoints take an API key instead"
  `)
})
