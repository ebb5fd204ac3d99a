// The reducer over two stub endpoints: stages in order, what is counted, what each answer carries, and that it is pure.
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { replyOf } from '../../test/support/ask.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { NO_VOCABULARY } from '../scenario/parse.js'
import { createScenarios } from '../scenario/scenarios.js'
import { DEFAULT_SETTINGS, mergeSettings, type SettingsPatch } from '../settings/settings.js'
import { DEFAULT_STATE } from './apply-faults.js'
import { defineEndpoint, type Parameter, ServiceError } from './endpoint.js'
import type { EndpointContext } from './endpoint-context.js'
import { NO_KEYS } from './key-problem.js'
import type { Counters } from './record.js'
import type { ServiceRequest } from './request.js'
import { type Answer, createRespond } from './respond.js'
import type { Runtime } from './runtime.js'
import { createSessions } from './sessions.js'

const RECEIVED_AT = 1_800_000_000_000
const NOW = 1_753_354_105
const word: Parameter<string> = {
  in: 'query',
  description: 'A word.',
  schema: { type: 'string' },
  example: 'a',
  parse(values) {
    if (values.length !== 1) throw new ServiceError(400, 'bad_request', `${values.length} words`)
    return values[0]!
  },
}
const stub = (name: string, isProtected: boolean) =>
  defineEndpoint({
    name,
    summary: name,
    path: `/${name}`,
    base: isProtected ? 'prices' : 'history',
    protected: isProtected,
    parameters: { word },
    reply: z.object({ word: z.string(), now: z.int() }),
    answer: (moment: EndpointContext, { word }) => ({ word, now: moment.now }),
  })

const respond = createRespond([stub('open', false), stub('closed', true)])
const contextOf = (patch: SettingsPatch = {}): Runtime => {
  const settings = mergeSettings(DEFAULT_SETTINGS, { clock: { at: NOW * 1000 + 999, frozen: true } }, patch)
  return createSessions({
    settings,
    feeds: catalogueFeeds(),
    respond,
    scenarios: createScenarios(NO_VOCABULARY),
    startedAt: RECEIVED_AT,
  }).default.runtime
}
const request = (method: string, target: string, authorization?: string): ServiceRequest => ({
  method,
  target,
  authorization,
  receivedAt: RECEIVED_AT,
})
const CONTEXT = contextOf()
const CLOCK = { virtualMs: NOW * 1000 + 999, realMs: RECEIVED_AT, speed: 1, frozen: true }
const FIRST: Counters = { ...DEFAULT_STATE, clock: CLOCK, refused: NO_KEYS, at: RECEIVED_AT }
const ask = (method: string, target: string, authorization?: string, state: Counters = FIRST): Answer =>
  respond(CONTEXT, state, request(method, target, authorization))!
const headersOf = (answer: Answer): Record<string, string> =>
  Object.fromEntries(
    replyOf(answer).headers.flatMap((name, i, headers) => (i % 2 === 0 ? [[name, headers[i + 1]!]] : [])),
  )
const errorOf = (answer: Answer): unknown => [replyOf(answer).status, JSON.parse(replyOf(answer).body)]

it('default', () => {
  const answer = ask('GET', '/open?word=a', 'a key')
  expect(answer).toEqual({
    outcome: {
      kind: 'reply',
      status: 200,
      headers: expect.any(Array),
      body: `{"word":"a","now":${NOW}}`,
      delayMs: 0,
    },
    counters: { ...FIRST, n: 1, ordinals: { open: 1 } },
    entry: {
      n: 1,
      ordinal: 1,
      endpoint: 'open',
      method: 'GET',
      target: '/open?word=a',
      status: 200,
      faults: [],
      now: NOW,
      nowMs: NOW * 1000 + 999,
      receivedAt: RECEIVED_AT,
      apiKey: '(not shown)',
      // The endpoint of this test has no prices.
      got: 'broken',
      why: 'there is no list of prices',
    },
  })
  expect(headersOf(answer)).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'content-length': '29',
    'cache-control': 'no-store',
    date: 'Thu, 24 Jul 2025 10:48:25 GMT',
    'x-price-feed-mock': `session="default", now=${NOW}, n=1`,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-price-feed-mock, retry-after, date',
  })
  expect(replyOf(answer).headers).toHaveLength(2 * 7)
})

it('args: base, an endpoint under the other base address is not found', () => {
  for (const [base, there, elsewhere] of [
    ['prices', '/closed', '/open'],
    ['history', '/open', '/closed'],
  ] as const) {
    expect(respond.matchedRouteOf(there, base)?.match.endpoint.base).toBe(base)
    expect(respond.matchedRouteOf(elsewhere, base)).toBeUndefined()
  }
})

it('behavior: OPTIONS needs no key and no parameters', () => {
  const answer = ask('OPTIONS', '/closed')
  expect(answer.outcome).toMatchObject({ status: 204, body: '' })
  expect(headersOf(answer)).toMatchObject({ allow: 'GET, HEAD, OPTIONS', 'access-control-allow-origin': '*' })
  expect(headersOf(answer)).not.toHaveProperty('content-type')
  expect(headersOf(answer)).not.toHaveProperty('content-length')
})

it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'get'])('error: %s', method => {
  const answer = ask(method, '/open?word=a')
  const message = `${method} is not allowed here: use GET, HEAD or OPTIONS.`
  expect(errorOf(answer)).toEqual([405, { error: 'method_not_allowed', message }])
  expect(headersOf(answer)).toMatchObject({ allow: 'GET, HEAD, OPTIONS', 'access-control-allow-origin': '*' })
})

const MISSING = 'The Authorization header is missing: its value is the API key itself, without a scheme.'
const WRONG = 'The API key in the Authorization header is not a valid one.'
const bare = (scheme: string) =>
  `The API key is sent bare: remove "${scheme}" from the Authorization header, its value is the key itself.`
it.each([
  [undefined, MISSING],
  ['', MISSING],
  ['wrong', WRONG],
  ['TEST-API-KEY', WRONG],
  ['test-api-key,test-api-key', WRONG],
  ['Digest test-api-key', WRONG],
  ['Bearer test-api-key', bare('Bearer')],
  ['bearer  test-api-key', bare('bearer')],
  ['Basic dGVzdA==', bare('Basic')],
  ['Token test-api-key', bare('Token')],
  ['ApiKey wrong', bare('ApiKey')],
  ['Api-Key test-api-key', bare('Api-Key')],
])('error: 401 for the key %j', (authorization, message) => {
  expect(errorOf(ask('GET', '/closed?word=a', authorization))).toEqual([401, { error: 'unauthorized', message }])
})

it('args: signerKeyUnsafe marks every answer', () => {
  const context = contextOf({ signerKeyUnsafe: '11'.repeat(32) })
  for (const method of ['GET', 'POST', 'OPTIONS'])
    expect(headersOf(respond(context, FIRST, request(method, '/closed'))!)['x-price-feed-mock']).toBe(
      `session="default", now=${NOW}, n=1, signer="custom"`,
    )
})

it('behavior: unexpected errors are not swallowed', () => {
  const broken = createRespond([{ ...stub('open', false), answer: () => JSON.parse('{') }])
  const asked = () => broken(CONTEXT, FIRST, request('GET', '/open?word=a'))
  expect(asked).toThrow(SyntaxError)
  expect(asked).toThrow(SyntaxError)
})
