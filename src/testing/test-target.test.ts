// The choice between a shared server and a mock in process.
import { expect, it, onTestFinished, vi } from 'vitest'
import { startMock } from '../../test/support/listen.js'
import { openSession } from './price-feed.js'
import { chooseTarget, type TestTarget } from './test-target.js'

const SERVER_URL = 'http://127.0.0.1:4700'

it('default: a mock in process', () => {
  expect(chooseTarget(undefined, { seed: '7' }).url).toBe('http://use-pricefeed.fetch.price-feed-mock.test')
})

it('behavior: a shared server', () => expect(chooseTarget(SERVER_URL, {}).url).toBe(SERVER_URL))

it('behavior: the token of a shared server is given, or that of the environment', async () => {
  const server = await startMock({ adminToken: 'correct-horse' })
  const idOf = async (target: TestTarget) => (await openSession(target, {}, 100)).feed.id
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await idOf(chooseTarget(server.url, {}, 'correct-horse'))).toBe('s1')
  vi.stubEnv('PRICE_FEED_MOCK_ADMIN_TOKEN', 'correct-horse')
  expect(await idOf(chooseTarget(server.url, {}))).toBe('s2')
  vi.stubEnv('PRICE_FEED_MOCK_ADMIN_TOKEN', '')
  await expect(idOf(chooseTarget(server.url, {}))).rejects.toThrow('ADMIN_TOKEN_INVALID')
})

it('error: mock options with a shared server', () => {
  expect(() => chooseTarget(SERVER_URL, { seed: '7' })).toThrowErrorMatchingInlineSnapshot(`
    [OptionsInvalidError: priceFeedMockOptions has no effect with a shared server.
      at    priceFeedMockOptions
      got   "seed" (string)
      want  nothing
      fix   pass them to sharedServer({ … }) in the global setup, or use priceFeedOptions for a session
      code  OPTIONS_INVALID]
  `)
})
