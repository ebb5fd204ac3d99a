// Where the tests of the kit for vitest find their mock, and what a shared server cannot be told.
import { expect, it } from 'vitest'
import { placeOf } from './test-target.js'

const URL_OF_SERVER = 'http://127.0.0.1:4700'

it('default: a mock in process', () => {
  expect(placeOf(undefined, { seed: '7' }).url).toBe('http://price-feed-mock.test')
})

it('behavior: the server that tests share', () => {
  expect(placeOf(URL_OF_SERVER, {}).url).toBe(URL_OF_SERVER)
})

it('error: options of a mock for a server that has its own', () => {
  expect(() => placeOf(URL_OF_SERVER, { seed: '7' })).toThrowErrorMatchingInlineSnapshot(`
    [OptionsInvalidError: On a shared server, priceFeedMockOptions cannot be obeyed.
      at    priceFeedMockOptions
      got   "seed" (string)
      want  nothing
      fix   sharedServer({ … }) in the global setup; what a session begins with: priceFeedOptions
      code  OPTIONS_INVALID]
  `)
})
