// The choice between a shared server and a mock in process.
import { expect, it } from 'vitest'
import { chooseTarget } from './test-target.js'

const SERVER_URL = 'http://127.0.0.1:4700'

it('default: a mock in process', () => {
  expect(chooseTarget(undefined, { seed: '7' }).url).toBe('http://price-feed-mock.test')
})

it('behavior: a shared server', () => {
  expect(chooseTarget(SERVER_URL, {}).url).toBe(SERVER_URL)
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
