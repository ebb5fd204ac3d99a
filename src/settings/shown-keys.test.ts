// Keys and targets as outputs show them.
import { describe, expect, it } from 'vitest'
import { toShownKey, toShownTarget, withoutSecrets } from './settings.js'

it('default: toShownKey: a key of the user is hidden; the default key and those of sessions are public', () => {
  const settings = { apiKeys: ['live-4242', 'test-api-key', 'session.mine'] }
  expect(['live-4242', 'test-api-key', 'session.a', 'session.mine'].map(key => toShownKey(key, settings))).toEqual([
    '(not shown)',
    'test-api-key',
    'session.a',
    '(not shown)',
  ])
})

it('default: withoutSecrets: own keys, and a private key in any form, as often as they occur', () => {
  const settings = { apiKeys: ['live-4242', 'test-api-key'], signerKeyUnsafe: '0xAB' }
  expect(withoutSecrets('live-4242 test-api-key 0xAB ab live-4242', [settings])).toBe(
    '(not shown) test-api-key 0x(not shown) (not shown) (not shown)',
  )
  expect(withoutSecrets('AB', [{ apiKeys: [] }])).toBe('AB')
})

describe('toShownTarget', () => {
  it.each([
    ['/_mock/explain?url=/prices/BTCUSD/latest&key=sk-1', '/_mock/explain?url=/prices/BTCUSD/latest&key=(not-shown)'],
    ['/_mock/explain?KEY=sk-1&url=/x', '/_mock/explain?KEY=(not-shown)&url=/x'],
    ['/x?%6Bey=sk-1', '/x?%6Bey=(not-shown)'],
    ['/x?key%3Dsk-1', '/x?(not-shown)'],
    ['/x?key=sk-1?b=%zz', '/x?key=(not-shown)'],
    ['/x?url=/y?api_key=sk-1', '/x?url=(not-shown)'],
    ['/x?url=%2Fy%3Fa%3D1%26key%3Dsk-1', '/x?url=(not-shown)'],
    ['/x?access_token=sk-1&token=sk-1', '/x?access_token=(not-shown)&token=(not-shown)'],
  ])('default: %s', (target, shown) => expect(toShownTarget(target)).toBe(shown))

  it.each(['/prices/key=1', '/x?monkey=1', '/x?feedIds=KEY', '/charting/feeds-data?feedids=btcusd&type=1', '/x?'])(
    'behavior: %s has no key',
    target => expect(toShownTarget(target)).toBe(target),
  )
})
