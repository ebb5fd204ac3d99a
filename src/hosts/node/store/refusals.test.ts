import { describe, expect, it } from 'vitest'
import { PriceFeedMockError } from '../../../errors.js'
import { isLasting, reasonOf, unavailable } from './refusals.js'

const failure = (message: string, more: object = {}) => Object.assign(new Error(message), more)

describe('unavailable', () => {
  it.each<[title: string, reason: unknown, tls: boolean, says: string, lines: Record<string, string>]>([
    [
      'a certificate of another name',
      failure('x', {
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
        host: 'a.example',
        cert: { subjectaltname: 'DNS:b.example' },
      }),
      true,
      'has a certificate for another name',
      {
        got: 'a certificate for DNS:b.example',
        want: 'a certificate for a.example',
        fix: 'use a name of the certificate in the address, or make a certificate for this one',
      },
    ],
    [
      'TLS to a port without it',
      failure('error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../x.c:1:'),
      true,
      'does not speak TLS',
      { got: 'a reply without TLS', fix: 'use redis:// in the address, or the port of Redis with TLS' },
    ],
    [
      'rights of a user',
      failure("NOPERM User app has no permissions to run the 'set' command script: 1f, on @user_script:7."),
      false,
      'does not allow its user a command',
      {
        got: "the user has no permissions to run the 'set' command",
        want: 'the rights that docs/scale.md lists under Users',
        fix: 'ACL SETUSER, with these rights',
      },
    ],
    [
      'no room',
      failure("OOM command not allowed when used memory > 'maxmemory'."),
      false,
      'is full',
      {
        got: 'as much memory in use as maxmemory allows',
        fix: 'delete sessions, or give Redis more memory. Nothing was counted or changed',
      },
    ],
    [
      'a single server, under the address of a cluster',
      failure('ERR This instance has cluster support disabled'),
      false,
      'is not a cluster',
      { got: 'a server without cluster-enabled yes', fix: 'use redis:// in the address' },
    ],
    [
      'a server, under the address of sentinels',
      failure("ERR unknown command 'SENTINEL'"),
      false,
      'is not a sentinel',
      {
        got: "ERR unknown command 'SENTINEL'",
        fix: 'name the port of sentinels, usually 26379, or use redis:// for the server itself',
      },
    ],
    [
      'silence, with TLS',
      failure('Connection timeout'),
      true,
      'does not answer to TLS',
      { got: 'Connection timeout', fix: 'use redis:// if its port has no TLS, or check the address' },
    ],
    [
      'silence, without TLS',
      failure('Connection timeout'),
      false,
      'does not answer',
      { got: 'Connection timeout', fix: 'start Redis first, or check the address' },
    ],
  ])('error: %s', (_, reason, tls, says, lines) => {
    const error = unavailable({ shown: 'redis://host', tls }, reason, true)
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', shortMessage: `The store redis://host ${says}.` })
    expect(error.details).toEqual(Object.entries(lines))
  })

  it('behavior: a connection that was made once is not wrong about TLS, and a request may have been counted', () => {
    const { details } = unavailable({ shown: 'redis://host', tls: true }, failure('Connection timeout'))
    expect(details).toEqual([
      ['got', 'Connection timeout'],
      ['note', 'the request may have been counted'],
    ])
  })
})

describe('isLasting', () => {
  it.each([
    ['WRONGPASS invalid username-password pair', true],
    ['No such master with that name', true],
    ['OOM command not allowed', false],
    ['READONLY You can not write against a read only replica.', false],
    ['anything else', false],
  ])('args: %s', (message, expected) => {
    expect(isLasting(failure(message))).toBe(expected)
  })
})

describe('reasonOf', () => {
  it.each([
    ['a text', 'a text'],
    [failure(' one line.\r\nand another'), 'one line'],
    [failure('', { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [failure('', { errors: [failure('connect ECONNREFUSED ::1:1')] }), 'connect ECONNREFUSED ::1:1'],
    [new PriceFeedMockError('STORE_UNAVAILABLE', 'Away.', { got: 'no reply' }), 'no reply'],
    [new PriceFeedMockError('STORE_UNAVAILABLE', 'Away.'), 'Away.'],
    [failure('x'.repeat(300)), 'x'.repeat(200)],
  ])('args: %s', (error, expected) => {
    expect(reasonOf(error)).toBe(expected)
  })
})
