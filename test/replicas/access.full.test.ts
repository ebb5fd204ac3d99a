// Servers that Redis refuses, and those that it accepts: TLS, passwords, users, databases. No message contains a password.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.js'
import { needs } from '../support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../support/redis.js'
import { tlsFile } from '../support/tls.js'
import { ask, startProgram, startProgramWith } from './programs.js'

const PASSWORD = 'hidden-word'
/** The certificates of the tests are their own authorities. */
const trusting = (name: string) => ({ NODE_EXTRA_CA_CERTS: tlsFile(name) })

/** The rights that docs/scale.md gives to a user. */
const [, shown = ''] =
  /^redis-cli ACL SETUSER mock on '>PASSWORD' (.*)$/m.exec(
    readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8'),
  ) ?? []
const MOCK_RIGHTS = shown.replaceAll("'", '').split(' ')

/** The output of a server that does not start. */
async function refusal(store: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const started = startProgramWith({ ...environment, PRICE_FEED_MOCK_STORE: store })
  const text = await started.then(
    program => program.stop().then(() => 'it started'),
    (error: Error) => error.message,
  )
  expect(text).not.toContain(PASSWORD)
  return text
}

/** A Redis with a port for TLS besides its plain one. */
async function startWithTls(certificate: string, ...options: string[]): Promise<TestRedis & { tls: string }> {
  const port = await freePort()
  const files = ['--tls-cert-file', tlsFile(certificate), '--tls-key-file', tlsFile('key.pem')]
  const authority = ['--tls-ca-cert-file', tlsFile(certificate)]
  const redis = await startRedis('--tls-port', String(port), ...files, ...authority, ...options)
  return Object.assign(redis, { tls: `127.0.0.1:${port}` })
}

describe('a Redis that refuses', needs(NO_REDIS), () => {
  describe('TLS', () => {
    let redis: Awaited<ReturnType<typeof startWithTls>>
    beforeAll(async () => {
      redis = await startWithTls('cert.pem', '--tls-auth-clients', 'no', '--requirepass', PASSWORD)
    })
    afterAll(() => redis?.stop())

    it('default: a trusted certificate', async () => {
      const store = `rediss://:${PASSWORD}@${redis.tls}`
      const { url, stop, output } = await startProgramWith(trusting('cert.pem'), '--store', store)
      onTestFinished(() => stop())
      expect((await ask(`${url}/prices/BTCUSD/latest`)).status).toBe(200)
      expect(output()).toContain(`rediss://${redis.tls} `)
      expect(output()).not.toContain(PASSWORD)
    })

    it('error: a certificate that is not trusted', async () => {
      const text = await refusal(`rediss://:${PASSWORD}@${redis.tls}`)
      expect(text).toContain(`The store rediss://${redis.tls} has a certificate that is not trusted.`)
      expect(text).toMatch(/\n {2}want .*\n {2}fix {3}NODE_EXTRA_CA_CERTS=/)
    })

    it('error: a certificate for another name, and one that Redis requires', async () => {
      const named = await startWithTls('named.pem')
      onTestFinished(() => named.stop())
      const wrong = await refusal(`rediss://:${PASSWORD}@${named.tls}`, trusting('named.pem'))
      expect(wrong).toContain(`The store rediss://${named.tls} has a certificate for another name.`)
      expect(wrong).toMatch(
        /got {3}a certificate for DNS:localhost\n {2}want {2}a certificate for 127\.0\.0\.1\n {2}fix/,
      )
      const required = await refusal(`rediss://${named.tls.replace('127.0.0.1', 'localhost')}`, trusting('named.pem'))
      expect(required).toMatch(/requires a certificate of its clients\.\n[\s\S]*\n {2}fix {3}tls-auth-clients no/)
    })

    it('error: plain text to a port with TLS, and TLS to a plain port', async () => {
      const plain = await refusal(`redis://:${PASSWORD}@${redis.tls}`)
      expect(plain).toMatch(/The store redis:\S+ ends the connection at once\.\n[\s\S]*\n {2}fix {3}use rediss:\/\/ /)
      const text = await refusal(`rediss://:${PASSWORD}@127.0.0.1:${redis.port}`)
      expect(text).toMatch(/The store rediss:\S+ does not answer to TLS\.\n[\s\S]*\n {2}fix {3}use redis:\/\/ /)
    })

    it.each([
      ['no password', '', 'requires a password'],
      ['another password', ':other@', 'refuses the user name or the password'],
      ['an unknown user', `someone:${PASSWORD}@`, 'refuses the user name or the password'],
    ])('error: %s', async (_, user, sentence) => {
      const text = await refusal(`redis://${user}127.0.0.1:${redis.port}`)
      expect(text).toContain(`The store redis://127.0.0.1:${redis.port} ${sentence}.\n  got   `)
      expect(text).toContain('\n  fix   ')
    })
  })

  describe('users', () => {
    let redis: TestRedis
    const store = (user: string): string => redis.url.replace('//', `//${user}:${PASSWORD}@`)
    const give = (user: string, ...rights: readonly string[]) =>
      redis.command('ACL', 'SETUSER', user, 'on', `>${PASSWORD}`, ...rights)
    beforeAll(async () => (redis = await startRedis()))
    afterAll(() => redis?.stop())

    it('default: a user with the rights of docs/scale.md serves, streams and changes', async () => {
      await give('mock', ...MOCK_RIGHTS)
      const { url, stop } = await startProgram('--store', store('mock'))
      onTestFinished(() => stop())
      const abort = new AbortController()
      const events = await fetch(`${url}/_mock/sessions/default/events`, { signal: abort.signal })
      expect((await ask(`${url}/prices/BTCUSD/latest`)).status).toBe(200)
      const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('data: ')) text += (await reader.read()).value
      abort.abort()
      const changed = [
        await ask(`${url}/_mock/sessions`, { method: 'POST', body: { id: 'a' } }),
        await ask(`${url}/_mock/sessions/a`, { method: 'PATCH', body: { clock: { advance: 60 } } }),
        await ask(`${url}/_mock/sessions/a/reset`, { method: 'POST' }),
        await ask(`${url}/_mock/sessions/a`, { method: 'DELETE' }),
      ]
      expect(changed.map(({ status }) => status)).toEqual([201, 200, 200, 204])
    })

    it.each([
      ['no scripts', ['~*', '&*', '+@all', '-evalsha'], "to run the 'evalsha' command"],
      ['no other keys', ['~other:*', '&*', '+@all'], 'to access one of the keys'],
      // Redis would stop a script in its middle.
      ['no sorted sets', ['~*', '&*', '+@all', '-@sortedset'], 'to run ZADD in a script'],
      ['no channels', ['~*', 'resetchannels', '+@all'], 'to run PUBLISH in a script'],
    ])('error: a user with %s', async (name, rights, got) => {
      const user = name.replaceAll(' ', '-')
      await give(user, ...rights)
      const text = await refusal(store(user))
      expect(text).toContain(`The store ${redis.url} does not allow its user a command.\n  got   the user `)
      expect(text).toContain(got)
      expect(text).toMatch(/\n {2}want .* docs\/scale\.md .*\n {2}fix {3}ACL SETUSER/)
      expect(text).not.toContain(user)
    })

    it('behavior: a user that loses a right gets a 503 with the reason, until it has the right again', async () => {
      await give('changed', ...MOCK_RIGHTS)
      const { url, stop } = await startProgram('--store', store('changed'))
      onTestFinished(() => stop())
      const latest = () => ask(`${url}/prices/BTCUSD/latest`)
      expect((await latest()).status).toBe(200)
      await redis.command('ACL', 'SETUSER', 'changed', '-evalsha')
      const denied = await latest()
      expect([denied.status, JSON.parse(denied.body)]).toEqual([
        503,
        expect.objectContaining({
          code: 'STORE_UNAVAILABLE',
          detail: `The store ${redis.url} does not allow its user a command.`,
          got: "the user has no permissions to run the 'evalsha' command",
        }),
      ])
      await redis.command('ACL', 'SETUSER', 'changed', '+evalsha')
      expect((await latest()).status).toBe(200)
    })

    it.each([
      ['/99', 'has no such database'],
      ['+cluster', 'is not a cluster'],
      ['+sentinel', 'is not a sentinel'],
    ])('error: %s of a server that has none', async (part, sentence) => {
      const url = part.startsWith('/') ? `${redis.url}${part}` : redis.url.replace('redis:', `redis${part}:`)
      const text = await refusal(part === '+sentinel' ? `${url}/main` : url)
      expect(text).toContain(` ${sentence}.\n`)
      expect(text).toContain('\n  fix   ')
    })
  })
})
