// Headers of replies: the option that adds one to every 401.
import { expect, it } from 'vitest'
import { mockWith, targetOf } from '../../test/support/request-faults.js'

const policy = { wwwAuthenticate: 'ApiKey realm="prices"' }
const challengeOf = async ({ ask }: ReturnType<typeof mockWith>, headers?: Record<string, string>) =>
  (await ask(targetOf('latest'), headers && { headers })).headers['www-authenticate']

it('default: a 401 has no WWW-Authenticate', async () => expect(await challengeOf(mockWith([]), {})).toBeUndefined())

it('args: policy.wwwAuthenticate, on 401 alone, also on that of a fault', async () => {
  expect(await challengeOf(mockWith([], { policy }), {})).toBe(policy.wwwAuthenticate)
  expect(await challengeOf(mockWith([], { policy }))).toBeUndefined()
  const refusing = (status: number) => mockWith([{ fault: 'reply/status', options: { status } }], { policy })
  expect(await challengeOf(refusing(401))).toBe(policy.wwwAuthenticate)
  expect(await challengeOf(refusing(403))).toBeUndefined()
})
