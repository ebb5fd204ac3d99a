import { secp256k1 } from '@bitauth/libauth'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import published from '../../fixtures/published-responses.json' with { type: 'json' }
import vectors from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { errorLines } from '../../test/support/problem-paths.js'
import { CURVE_ORDER } from '../settings/layouts.js'
import { createSigner, testKey } from './signer.js'
import { assertNoTestSigners, LAYOUTS, type Layout, recoverSigners, testSigners, verify } from './verify.js'

const [high, low, latest] = published.samples.map(({ endpoint: _, ...price }) => price) as [Sample, Sample, Sample]
type Sample = { feedId: string; price: number; ts: number; expo: number; signature: string; recoveryId: number }

const { address: expectedAddress, publicKey: expectedKey } = published.signer
const expected = { publicKey: expectedKey, address: expectedAddress }
const signers = [expectedAddress]

const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: 1753354105 }
const eth = { feedId: 'ETHUSD', price: 365012000000, expo: -8, ts: 1753354104 }

/** Responses as the service would write them, signed by a test key. */
const respond = (key = 0, { svm = LAYOUTS.svm, evm = LAYOUTS.evm }: { svm?: Layout; evm?: Layout } = {}) => {
  const { sign } = createSigner(testKey(key))
  return {
    latest: (price: typeof btc) => ({ ...price, ...sign(svm, [price]) }),
    batch: (...prices: (typeof btc)[]) => ({ prices, ...sign(svm, prices) }),
    evm: (...prices: (typeof btc)[]) => ({
      prices: prices.map(price => ({ ...price, signature: sign(evm, [price]).signature })),
    }),
  }
}
const addressOf = (key: number): string => testSigners()[key]!.address

const mismatch = expect.objectContaining({ code: 'SIGNATURE_MISMATCH' })
const unrecognised = expect.objectContaining({ code: 'RESPONSE_UNRECOGNISED' })

describe('recoverSigners', () => {
  const single = vectors.vectors.filter(({ prices }) => prices.length === 1)
  test.each(single)('default: $title, $layout, test key $key, signed by another library', vector => {
    const { layout, prices, signature, recoveryId, publicKey, address } = vector
    const price = prices[0]!
    const body = layout === 'evm' ? { prices: [{ ...price, signature }] } : { ...price, signature, recoveryId }
    expect(recoverSigners(body)).toEqual([{ prices, publicKey, address }])
  })

  const batches = vectors.vectors.filter(({ layout }) => layout === 'svm')
  test.each(batches)('default: $title as a batch, test key $key, signed by another library', vector => {
    const { prices, signature, recoveryId, publicKey, address } = vector
    expect(recoverSigners({ prices, signature, recoveryId })).toEqual([{ prices, publicKey, address }])
  })

  test('behavior: each price of an evm response has its own signer', () => {
    const prices = [...respond(3).evm(btc).prices, ...respond(7).evm(eth).prices]
    expect(recoverSigners({ prices }).map(({ address }) => address)).toEqual([addressOf(3), addressOf(7)])
  })

  test('behavior: a price as a bigint is the same price, and above 2^53 it keeps every digit', () => {
    const exact = { ...btc, price: 2n ** 60n + 1n }
    const signed = createSigner(testKey(0)).sign(LAYOUTS.svm, [exact as never])
    expect(recoverSigners({ ...exact, ...signed })[0]!.address).toBe(addressOf(0))
    expect(recoverSigners({ ...latest, price: BigInt(latest.price) })[0]).toMatchObject(expected)
  })

  test('behavior: hex digits in upper case are the same signature', () => {
    expect(recoverSigners({ ...latest, signature: latest.signature.toUpperCase() })[0]).toMatchObject(expected)
  })

  test('args: symbolOf names the feeds of a batch with integer ids', () => {
    const { prices, ...signed } = respond().batch(btc, eth)
    const body = { prices: prices.map((price, i) => ({ ...price, feedId: i + 1 })), ...signed }
    const symbolOf = (number: number) => ['BTCUSD', 'ETHUSD'][number - 1]
    expect(recoverSigners(body, { symbolOf })).toMatchObject([{ prices, address: addressOf(0) }])
    expect(recoverSigners(body, { symbolOf: n => symbolOf(3 - n) })[0]!.address).not.toBe(addressOf(0))
    expect(() => recoverSigners(body)).toThrow('or in a batch a number that symbolOf knows')
  })

  test.each([
    ['rsv', ''],
    ['rsy', ''],
    ['rs', '0x'],
    ['rsv', '0x'],
    ['rsy', '0x'],
  ] as const)('args: svm and evm layouts that write signatures as %s with the prefix "%s"', (signature, hexPrefix) => {
    const svm = { ...LAYOUTS.svm, signature, hexPrefix }
    const evm = { ...LAYOUTS.evm, signature: signature === 'rs' ? 'rsv' : signature, hexPrefix } as const
    const made = respond(4, { svm, evm })
    for (const price of [btc, eth])
      for (const body of [made.latest(price), made.batch(price, btc), made.evm(price)])
        expect(recoverSigners(body, { svm, evm })[0]!.address).toBe(addressOf(4))
  })
})

describe('recoverSigners of other bodies', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['a bigint', 1n],
    ['an array', [latest]],
    ['an empty object', {}],
    ['candles', { data: { queryType: '1', interval: '1h', result: [] } }],
    ['an evm response without prices', { prices: [] }],
    ['a batch without prices', { ...latest, prices: [], feedId: undefined }],
    ['a history without its low', { BTCUSD: { high } }],
    ['a history of one good and one bad feed', { BTCUSD: { high, low }, ETHUSD: null }],
    ['bigints inside', { BTCUSD: 1n }],
  ])('error: %s', (_, body) => expect(() => recoverSigners(body)).toThrow(unrecognised))

  test.each<[string, object]>([
    ['a price with a fraction', { price: 1.5 }],
    ['a price that has lost digits', { price: 2 ** 60 }],
    ['a price that is not a number', { price: Number.NaN }],
    ['no expo', { expo: undefined }],
    ['a time as text', { ts: '1753085844' }],
    ['no signature', { signature: undefined }],
    ['a signature of bytes', { signature: [1, 2, 3] }],
    ['no id', { feedId: '' }],
  ])('error: %s', (_, change) => expect(() => recoverSigners({ ...latest, ...change })).toThrow(unrecognised))

  test.each([
    ['letters beyond ASCII that end in the same byte', 'łTCUSD'],
    ['padding that is written out', 'BTCUSD\0'],
  ])('error: an id with the bytes of another: %s', (_, feedId) => {
    expect(() => recoverSigners({ ...latest, feedId })).toThrow(unrecognised)
    expect(() => recoverSigners({ [feedId]: { high, low } })).toThrow(unrecognised)
  })

  test('error: a number with the bytes of another', () => {
    expect(() => recoverSigners({ ...latest, price: BigInt(latest.price) - 2n ** 64n })).toThrow(unrecognised)
    const [price] = respond().evm(btc).prices
    expect(() => recoverSigners({ prices: [{ ...price, ts: btc.ts - 2 ** 32 }] })).toThrow(unrecognised)
    expect(() => recoverSigners({ prices: [{ ...price, price: BigInt(btc.price) - 2n ** 192n }] })).toThrow(
      unrecognised,
    )
  })
})

describe('recoverSigners of invalid signatures', () => {
  const { signature } = latest
  const r = signature.slice(0, 64)
  const s = signature.slice(64)
  const hex = (scalar: bigint): string => scalar.toString(16).padStart(64, '0')

  test.each([
    ['empty', ''],
    ['an odd digit', `${signature}0`],
    ['a byte too many', `${signature}1b`],
    ['0x before it', `0x${signature}`],
    ['0x instead of a byte', `0x${signature.slice(2)}`],
    ['no hex digit', `g${signature.slice(1)}`],
    ['a blank', ` ${signature.slice(1)}`],
    ['r is 0', hex(0n) + s],
    ['s is 0', r + hex(0n)],
    ['both are 0', hex(0n) + hex(0n)],
    ['r is the order', hex(CURVE_ORDER) + s],
    ['s is the order', r + hex(CURVE_ORDER)],
    ['every bit is set', 'f'.repeat(128)],
  ])('error: %s', (_, changed) => expect(() => recoverSigners({ ...latest, signature: changed })).toThrow(mismatch))

  test.each([undefined, null, -1, 2, 3, 0.5, 28, '1', true, 1n, Number.NaN, [1], { a: 1n }])(
    'error: recoveryId %o',
    recoveryId => expect(() => recoverSigners({ ...latest, recoveryId })).toThrow(mismatch),
  )

  test.each([
    ['rsv', ['00', '01', '1a', '1d', 'ff']],
    ['rsy', ['1b', '1c', '02', 'ff']],
  ] as const)('error: v of another form than %s', (form, others) => {
    const evm = { ...LAYOUTS.evm, signature: form }
    const [price] = respond(0, { evm }).evm(btc).prices
    for (const v of others) {
      const signature = price!.signature.slice(0, 128) + v
      expect(() => recoverSigners({ prices: [{ ...price, signature }] }, { evm }), v).toThrow(mismatch)
    }
    const signature = `${price!.signature.slice(0, 128)}05`
    expect(() => recoverSigners({ prices: [{ ...price, signature }] }, { evm })).toThrow(
      `v ${form === 'rsv' ? 27 : 0} or`,
    )
  })

  test('error: v and the recovery id beside it contradict each other', () => {
    const svm = { ...LAYOUTS.svm, signature: 'rsv' } as const
    const body = respond(0, { svm }).latest(btc)
    expect(() => recoverSigners({ ...body, recoveryId: 1 - body.recoveryId }, { svm })).toThrow(mismatch)
    expect(recoverSigners({ ...body, recoveryId: undefined }, { svm })[0]!.address).toBe(addressOf(0))
  })

  test('error: an evm layout without v gives no recovery id', () => {
    const evm = { ...LAYOUTS.evm, signature: 'rs' } as const
    expect(() => recoverSigners(respond(0, { evm }).evm(btc), { evm })).toThrow(mismatch)
  })

  test('error: a price of one feed under the id of another', () => {
    expect(() => recoverSigners({ ETHUSD: { high, low } })).toThrow(mismatch)
    expect(() => recoverSigners({ BTCUSD: { high, low: respond().latest(eth) } })).toThrow(mismatch)
  })
})

describe('verify', () => {
  test('default', () => {
    expect(verify(latest, { signers })).toEqual(recoverSigners(latest))
    expect(verify({ BTCUSD: { high, low } }, { signers })).toHaveLength(2)
  })

  test('behavior: one of several signers is enough, price by price', () => {
    const prices = [...respond(3).evm(btc).prices, ...respond(7).evm(eth).prices]
    expect(verify({ prices }, { signers: [addressOf(7), addressOf(3)] })).toHaveLength(2)
  })

  const uncompressed = bytesToHex(secp256k1.uncompressPublicKey(hexToBytes(expectedKey)) as Uint8Array)
  test.each([
    ['an address in any case', `0x${expectedAddress.slice(2).toUpperCase()}`],
    ['an address without 0x', expectedAddress.slice(2)],
    ['a public key', expectedKey],
    ['a public key with 0x', `0x${expectedKey}`],
    ['an uncompressed public key', uncompressed],
    ['the 64 bytes that a Solana program recovers', uncompressed.slice(2)],
  ])('args: a signer may be %s', (_, signer) => expect(verify(latest, { signers: [signer] })).toHaveLength(1))

  test('args: layouts and symbolOf are passed on', () => {
    const evm = { ...LAYOUTS.evm, prefix: 'eip191' }
    const body = respond(0, { evm }).evm(btc)
    expect(verify(body, { signers: [addressOf(0)], evm })).toHaveLength(1)
    expect(() => verify(body, { signers: [addressOf(0)] })).toThrow(mismatch)
    const { prices: _, ...signed } = respond().batch(btc)
    const numbered = { prices: [{ ...btc, feedId: 1 }], ...signed }
    expect(verify(numbered, { signers: [addressOf(0)], symbolOf: () => 'BTCUSD' })).toHaveLength(1)
  })

  test('error: signers is not a list', () => {
    for (const options of [undefined, null, {}, { signers: expectedAddress }, { signers: null }])
      expect(() => verify(latest, options as never)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
    for (const signer of [undefined, null, {}, Object.create(null), Symbol('a')])
      expect(() => verify(latest, { signers: [signer] } as never)).toThrow('signers[0]')
  })
})

test('default: testSigners', () => {
  const known = vectors.vectors.map(({ key, publicKey, address }) => ({ number: key, publicKey, address }))
  expect(testSigners()).toHaveLength(10)
  expect(testSigners().map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(testSigners()).toEqual(expect.arrayContaining(known))
})

describe('assertNoTestSigners', () => {
  test('default', () => {
    expect(() => assertNoTestSigners(signers)).not.toThrow()
    expect(() => assertNoTestSigners([])).not.toThrow()
  })

  test.each([
    ['a text', (signer: string) => signer, 'config'],
    ['a text with several', (signer: string) => `SIGNERS=${expectedAddress},${signer};`, 'config'],
    ['JSON', (signer: string) => JSON.stringify({ signers: [signer] }), 'config'],
    ['an object', (signer: string) => ({ signers: [expectedAddress, signer] }), 'signers[1]'],
    ['objects in a list', (signer: string) => [{ name: 'main', address: signer }], 'signers[0].address'],
    [
      'a nested object',
      (signer: string) => ({ chains: { solana: { trusted: { signer } } } }),
      'chains.solana.trusted.signer',
    ],
    ['a key', (signer: string) => ({ trusted: { [signer]: true } }), /^trusted\./],
    ['a Map', (signer: string) => ({ trusted: new Map([['main', signer]]) }), 'trusted.main'],
    ['a Set', (signer: string) => ({ trusted: new Set([expectedAddress, signer]) }), 'trusted[1]'],
    ['bytes', (signer: string) => hexToBytes(signer.replace('0x', '')), 'config'],
    ['a list of bytes', (signer: string) => [...hexToBytes(signer.replace('0x', ''))], 'config'],
    ['bytes in an object', (signer: string) => ({ key: [...hexToBytes(signer.replace('0x', ''))] }), 'key'],
    ['bytes that could be a key', (signer: string) => Buffer.from(`{"signer":"${signer}"}`.padEnd(64)), 'config'],
    ['an object with a link', (signer: string) => ({ href: 'https://api.example', signer }), 'signer'],
    ['the bytes of a text', (signer: string) => Buffer.from(JSON.stringify({ chain: 'main', signer })), 'config'],
    [
      'an address of the web',
      (signer: string) => ({ url: new URL(`https://api.example/?signer=${signer}`) }),
      'url.href',
    ],
    [
      'a class',
      (signer: string) =>
        new (class {
          signer = signer
        })(),
      'signer',
    ],
  ])('args: %s', (_, shape, at) => {
    for (const signer of [addressOf(3), testSigners()[3]!.publicKey]) {
      const trusting = () => assertNoTestSigners(shape(signer))
      expect(trusting).toThrow(expect.objectContaining({ code: 'TEST_SIGNER_TRUSTED' }))
      expect(trusting).toThrow('this is test key 3')
      expect(trusting).toThrow(
        expect.objectContaining({
          problems: [expect.objectContaining({ at: typeof at === 'string' ? at : expect.stringMatching(at) })],
        }),
      )
    }
    for (const signer of [expectedAddress, expectedKey]) expect(() => assertNoTestSigners(shape(signer))).not.toThrow()
  })

  test('args: an address as a word of a contract, and a test key itself', () => {
    const word = addressOf(3).replace('0x', '0'.repeat(24))
    const key = bytesToHex(testKey(3))
    for (const signer of [
      `0x${word}`,
      `0X${word}`,
      word.toUpperCase(),
      hexToBytes(word),
      key,
      `0x${key}`,
      hexToBytes(key),
    ])
      expect(() => assertNoTestSigners({ owner: expectedAddress, signer })).toThrow('this is test key 3')
    const others = { owner: expectedAddress, amount: `0x${'1'.padStart(64, '0')}`, hash: `0x${'ab'.repeat(32)}` }
    expect(() => assertNoTestSigners(others)).not.toThrow()
    // Neither is a signer.
    expect(() => assertNoTestSigners({ ...others, owner: undefined })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })

  test('behavior: other values of a configuration do not matter, and it may contain itself', () => {
    const config: Record<string, unknown> = {
      signers,
      url: 'https://api.example',
      retries: 3,
      off: null,
      at: new Date(0),
    }
    config.self = config
    expect(() => assertNoTestSigners(config)).not.toThrow()
    let deep: unknown = addressOf(0)
    for (let i = 0; i < 50_000; i++) deep = { deep }
    expect(() => assertNoTestSigners(deep)).toThrow(expect.objectContaining({ code: 'TEST_SIGNER_TRUSTED' }))
  })

  test('error: a configuration without any signer, for nothing was checked', () => {
    for (const config of [
      { signer: [] },
      undefined,
      null,
      0,
      '',
      true,
      {},
      { a: 'b' },
      1n,
      Symbol('a'),
      () => {},
      Number.NaN,
      '0x1234',
      new Date(Number.NaN),
    ])
      expect(() => assertNoTestSigners(config)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  })

  test('error: an invalid signer in a list is rejected', () => {
    for (const invalid of ['0x', '', null, undefined, 7, {}, [], `${expectedAddress}0`, Symbol('a')])
      expect(() => assertNoTestSigners([expectedAddress, invalid])).toThrow(
        expect.objectContaining({ code: 'OPTIONS_INVALID', problems: [expect.objectContaining({ at: 'signers[1]' })] }),
      )
  })

  test.each<[string, (signer: string) => unknown, string]>([
    ['an ArrayBuffer', signer => ({ key: hexToBytes(signer.slice(2)).slice().buffer }), 'key'],
    ['a DataView', signer => new DataView(hexToBytes(signer.slice(2)).slice().buffer), 'config'],
    ['a number', signer => ({ trusted: [BigInt(signer)] }), 'trusted[0]'],
    ['a getter beside one that throws', signer => withGetter(signer), 'good'],
  ])('args: an address as %s', (_, shape, at) => {
    expect(() => assertNoTestSigners(shape(addressOf(3)))).toThrow(
      expect.objectContaining({ code: 'TEST_SIGNER_TRUSTED', problems: [expect.objectContaining({ at })] }),
    )
  })

  const withGetter = (signer: string): object => ({
    get bad(): string {
      throw new TypeError('a getter')
    },
    get good(): string {
      return signer
    },
  })
  const refusing = (target: object): unknown => {
    const refuse = (): never => {
      throw new TypeError('a trap')
    }
    return new Proxy(target, { ownKeys: refuse, get: refuse, getPrototypeOf: refuse })
  }
  const revoked = (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }

  test.each<[string, unknown, string]>([
    ['a getter that throws', { signers, config: withGetter(expectedAddress) }, 'config.bad'],
    ['a proxy that throws', refusing({}), 'config'],
    ['a list that throws', refusing([]), 'config'],
    ['a revoked proxy', revoked(), 'config'],
    ['a revoked proxy beside a signer', { signers, more: revoked() }, 'more'],
    ['a revoked proxy in a list', [expectedAddress, revoked()], 'signers[1]'],
  ])('error: %s could hide a test key', (_, config, at) => {
    expect(() => assertNoTestSigners(config)).toThrow(
      expect.objectContaining({
        code: 'OPTIONS_INVALID',
        problems: [{ at, got: '(not shown)', want: 'a value that can be read' }],
      }),
    )
  })

  test('behavior: small numbers are no addresses', () => {
    expect(() => assertNoTestSigners({ chainId: 1n, amount: 10n ** 24n })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })
})

describe('messages', () => {
  const { signature } = latest
  const [r, s] = [signature.slice(0, 64), signature.slice(64)]

  test('error: bodies that are no signed responses', () => {
    const { prices, ...signed } = respond().batch(btc)
    const change = (price: object) => () => recoverSigners({ ...latest, ...price })
    const messages = errorLines(
      () => recoverSigners({ error: 'unauthorized', message: 'The Authorization header is missing.' }),
      () => recoverSigners(JSON.stringify(latest)),
      () => recoverSigners({ BTCUSD: { high, low: { ...low, price: '11823675000000' } } }),
      () => recoverSigners({ prices: prices.map(price => ({ ...price, feedId: 1 })), ...signed }),
      change({ price: 2n ** 64n }),
      () => recoverSigners(latest, { svm: { ...LAYOUTS.svm, fields: ['price:u65le'] } }),
    )
    expect(messages).toMatchInlineSnapshot(`
      "ResponseUnrecognisedError: The body is none of the signed responses. | got   an object with the keys error, message | want  the parsed body of a batch, history, evm or latest response, with at least one price | code  RESPONSE_UNRECOGNISED
      ResponseUnrecognisedError: The body is none of the signed responses. | got   "{\\"feedId\\":\\"BTCUSD\\",\\"price\\":11936907500000,\\"ts\\":1753085844,\\"expo\\":-…" (string) | want  the parsed body of a batch, history, evm or latest response, with at least one price | code  RESPONSE_UNRECOGNISED
      ResponseUnrecognisedError: The response has no usable BTCUSD.low.price. | got   "11823675000000" (string) | want  an integer in plain digits; one above 2^53 as a bigint, parsed without loss | code  RESPONSE_UNRECOGNISED
      ResponseUnrecognisedError: The response has no usable prices[0].feedId. | got   1 | want  the id of a feed in visible ASCII, or in a batch a number that symbolOf knows | code  RESPONSE_UNRECOGNISED
      ResponseUnrecognisedError: The response has no usable price. | got   price 18446744073709551616 | want  an int64, from -9223372036854775808 to 9223372036854775807 | code  RESPONSE_UNRECOGNISED
      OptionsInvalidError: The choice of layouts has 1 problem. | at    svm.fields[0] | got   "price:u65le" (string) | want  field:encoding, such as "feedId:ascii32-right", "price:u64le", "expo:i8" or "ts:u64le" | code  OPTIONS_INVALID"
    `)
  })

  test('error: signatures that cannot be genuine', () => {
    const highS = bytesToHex(secp256k1.malleateSignatureCompact(hexToBytes(signature)) as Uint8Array)
    const change = (price: object) => () => recoverSigners({ ...latest, ...price })
    const messages = errorLines(
      change({ signature: signature.slice(2) }),
      change({ recoveryId: 27 }),
      // Contracts reject it.
      change({ signature: highS, recoveryId: 1 - latest.recoveryId }),
      // It is not on the curve.
      change({ signature: r.replace(/./g, '0').replace(/0$/, '5') + s }),
      () => recoverSigners({ ETHUSD: { high, low } }),
    )
    expect(messages).toMatchInlineSnapshot(`
      "SignatureMismatchError: The signature of the latest price of BTCUSD cannot be genuine. | got   "410a3b6be6fd59351ff053455e97c9840dff6c7c8d4668b46b8f90ca705f7157aed0b53f534e…" (string), 126 characters | want  128 hex digits without 0x | code  SIGNATURE_MISMATCH
      SignatureMismatchError: The signature of the latest price of BTCUSD cannot be genuine. | got   recoveryId 27 | want  recoveryId 0 or 1 | code  SIGNATURE_MISMATCH
      SignatureMismatchError: The signature of the latest price of BTCUSD cannot be genuine. | got   a high s | want  s in the lower half of the order of the curve | code  SIGNATURE_MISMATCH
      SignatureMismatchError: The signature of the latest price of BTCUSD cannot be genuine. | got   "000000000000000000000000000000000000000000000000000000000000000557aed0b53f53…" (string) | want  r and s that some key can have made | code  SIGNATURE_MISMATCH
      SignatureMismatchError: The history of ETHUSD holds a price of another feed. | got   a price signed for BTCUSD | want  prices signed for ETHUSD | code  SIGNATURE_MISMATCH"
    `)
  })

  test('error: other signers', () => {
    const three = [...respond(0).evm(btc).prices, ...respond(3).evm(eth).prices, { ...btc, signature: '' }]
    const six = Array.from({ length: 6 }, (_, i) => ({ ...btc, feedId: `FEED${i}` }))
    const nonsense = ['test key 0', '0x1234', `05${expectedKey.slice(2)}`, '']
    const messages = errorLines(
      () => verify(respond(3).latest(eth), { signers: [addressOf(0)] }),
      () => verify({ prices: three }, { signers: [addressOf(0), expectedAddress] }),
      () => verify(respond(0).batch(...six), { signers }),
      () => verify(respond(0).batch(btc, eth), { signers }),
      () => verify(latest, { signers: [] }),
      () => verify(latest, { signers: undefined } as never),
      () => verify(latest, { signers: [expectedKey, ...nonsense] }),
      () => assertNoTestSigners([addressOf(0), expectedAddress, testSigners()[9]!.publicKey]),
      () => assertNoTestSigners({ signer: [] }),
    )
    expect(messages).toMatchInlineSnapshot(`
      "SignatureMismatchError: The price of ETHUSD is rejected: wrong-signer. | reason  wrong-signer at signature | got     0xaf947047e3a3459bb172f3efc13d4d81ad1e5e91 (test key 3) | want    0xad3784aa29be2b36f5873e248de7a8e28f441f55 (test key 0) | code    SIGNATURE_MISMATCH
      SignatureMismatchError: 2 of 3 prices are rejected: wrong-signer, wrong-length. | reason  wrong-signer at prices[1].signature | got     0xaf947047e3a3459bb172f3efc13d4d81ad1e5e91 (test key 3) | want    0xad3784aa29be2b36f5873e248de7a8e28f441f55 (test key 0), 0xa383a31402bfecab41598378fa9e3f59f39337fe | reason  wrong-length at prices[2].signature | got     "" (string), 0 characters | want    130 hex digits without 0x | code    SIGNATURE_MISMATCH
      SignatureMismatchError: 6 of 6 prices are rejected: wrong-signer. | reason  wrong-signer at signature | got     0xad3784aa29be2b36f5873e248de7a8e28f441f55 (test key 0) for the prices of FEED0, FEED1, FEED2, FEED3, FEED4 and 1 more | want    0xa383a31402bfecab41598378fa9e3f59f39337fe | code    SIGNATURE_MISMATCH
      SignatureMismatchError: 2 of 2 prices are rejected: wrong-signer. | reason  wrong-signer at signature | got     0xad3784aa29be2b36f5873e248de7a8e28f441f55 (test key 0) for the prices of BTCUSD, ETHUSD | want    0xa383a31402bfecab41598378fa9e3f59f39337fe | code    SIGNATURE_MISMATCH
      SignatureMismatchError: The price of BTCUSD is rejected: wrong-signer. | reason  wrong-signer at signature | got     0xa383a31402bfecab41598378fa9e3f59f39337fe | want    a signer, but the list of signers is empty | code    SIGNATURE_MISMATCH
      OptionsInvalidError: The call of verify has 1 problem. | at    signers | got   nothing | want  a list of addresses or public keys in hex | code  OPTIONS_INVALID
      OptionsInvalidError: The list of signers has 4 problems. | at    signers[1] | got   "test key 0" (string) | want  an address or a public key in hex | at    signers[2] | got   "0x1234" (string) | want  an address or a public key in hex | at    signers[3] | got   "05ebe7205a3a787eea0085e0581b35f1a5479ba3503483ac0ef56e3d5b343188f4" (string) | want  an address or a public key in hex | at    signers[4] | got   "" (string) | want  an address or a public key in hex | code  OPTIONS_INVALID
      TestSignerTrustedError: A public test key is trusted: anybody can sign with it. | at    signers[0] | got   "0xad3784aa29be2b36f5873e248de7a8e28f441f55" (string) | want  a signer of the service; this is test key 0 | at    signers[2] | got   "02e7159609398723e037f87a5a2711224fb623699e341d248eacba0eb1c96f4b05" (string) | want  a signer of the service; this is test key 9 | code  TEST_SIGNER_TRUSTED
      OptionsInvalidError: The configuration has 1 problem. | at    config | got   (not shown) | want  an address or a public key in hex, a list of them, or an object with some | code  OPTIONS_INVALID"
    `)
  })
})
