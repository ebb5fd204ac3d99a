// The verdict that the console shows: every reason of the verifier, for replies of a mock with each fault.
import { expect, it } from 'vitest'
import { compareWithMarket, inspectReply, requestedBy } from '../../console/src/signature/inspect.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock, type FaultInput } from '../../src/index.js'
import { createEncoder } from '../../src/signing/encode.js'
import { checkResponse, LAYOUTS, parseExact, testSigners } from '../../src/signing/verify.js'

const AT = 1753354105
const SIGNER = testSigners()[0]!.address
const BATCH = '/prices/batch?feedIds=BTCUSD,ETHUSD'
const LATEST = '/prices/BTCUSD/latest'
const HISTORY = '/prices/queryHistory?feedIds=BTCUSD&minutes=60'
const EVM = '/prices/evm/crypto?feedIds=BTCUSD'

/** The reply of a mock whose only fault is this one, inspected as the journal does. */
async function inspect(target: string, fault?: FaultInput) {
  const mock = createMock({ clock: { at: AT, frozen: true } })
  if (fault !== undefined) mock.change({ scenario: { faults: [fault] } })
  const { market, settings } = mock.sessions.default.runtime
  const reply = await createFetch(mock)(`http://mock${target}`, { headers: { authorization: 'test-api-key' } })
  const text = await reply.text()
  const checks = { signing: settings.signing, signer: SIGNER, catalogue: market.feeds, now: AT }
  return { text, checks, inspected: inspectReply(text, { ...checks, ...requestedBy(target, checks.catalogue) }) }
}

const reasonsOf = (inspected: ReturnType<typeof inspectReply>): string[] =>
  'problem' in inspected
    ? [inspected.problem]
    : [...inspected.signatures.flatMap(({ findings }) => findings), ...inspected.missing].map(({ reason }) => reason)

it.each([LATEST, BATCH, HISTORY, EVM])('default: every price of %s is valid', async target => {
  const { inspected } = await inspect(target)
  expect(reasonsOf(inspected)).toEqual([])
  const keys = 'problem' in inspected ? [] : inspected.signatures.map(({ address, testKey }) => `${address} ${testKey}`)
  expect(new Set(keys)).toEqual(new Set([`${SIGNER} 0`]))
})

it.each([
  [{ fault: 'signature/wrong-signer' }, LATEST, 'wrong-signer'],
  [{ fault: 'signature/tampered-price' }, LATEST, 'wrong-signer'],
  [{ fault: 'signature/high-s' }, LATEST, 'high-s'],
  [{ fault: 'signature/0x-prefix' }, LATEST, '0x-prefix'],
  [{ fault: 'signature/truncated' }, LATEST, 'wrong-length'],
  [{ fault: 'signature/all-zero' }, LATEST, 'zero'],
  [{ fault: 'signature/evm-v-parity' }, EVM, 'wrong-v'],
  [{ fault: 'market/stale', options: { age: '5m' } }, LATEST, 'stale'],
  [{ fault: 'tick/ts-skew', options: { seconds: 60 } }, LATEST, 'future'],
  [{ fault: 'tick/zero' }, LATEST, 'zero-price'],
  [{ fault: 'tick/negative' }, LATEST, 'negative-price'],
  [{ fault: 'tick/wrong-expo' }, LATEST, 'wrong-expo'],
  [{ fault: 'tick/missing-feed' }, BATCH, 'missing-feed'],
] as const)('behavior: %s of %s is rejected as %s', async (fault, target, reason) => {
  const { inspected } = await inspect(target, fault)
  expect(reasonsOf(inspected)).toContain(reason)
})

it('behavior: the reasons are those of the verifier', async () => {
  const { text, inspected } = await inspect(BATCH, { fault: 'signature/wrong-signer' })
  const verdict = checkResponse(parseExact(text), { signers: [SIGNER], feeds: ['BTCUSD', 'ETHUSD'] })
  expect(inspected).toMatchObject({ signatures: [{ findings: [verdict.prices[0]!.findings[0]] }] })
})

it('behavior: the fields are the signed bytes', async () => {
  const { text, inspected } = await inspect(BATCH)
  const { prices } = checkResponse(parseExact(text), { signers: [SIGNER] })
  const [signature] = 'problem' in inspected ? [] : inspected.signatures
  const { encode } = createEncoder(LAYOUTS.svm)
  const bytes = Buffer.from(encode(prices.map(({ tick }) => tick!))).toString('hex')
  expect(signature!.signed!.fields.map(({ hex }) => hex).join('')).toBe(bytes)
})

it('behavior: an age of the reader replaces the default, and a history of unknown length has none', async () => {
  const { text, checks } = await inspect(LATEST, { fault: 'market/stale', options: { age: '5m' } })
  expect(reasonsOf(inspectReply(text, { ...checks, maxAge: 600 }))).toEqual([])
  const history = await inspect(HISTORY)
  const inspected = inspectReply(history.text, history.checks)
  expect(inspected).toMatchObject({ notChecked: expect.arrayContaining([expect.objectContaining({ check: 'age' })]) })
})

it('behavior: a price that cannot be read has no bytes, and is malformed', async () => {
  const { text, checks } = await inspect(LATEST)
  const { ts: _, ...rest } = JSON.parse(text)
  const inspected = inspectReply(JSON.stringify(rest), checks)
  expect(inspected).toMatchObject({ signatures: [{ signed: undefined, address: undefined }] })
  expect(reasonsOf(inspected)).toEqual(['malformed'])
})

it.each([
  ['a fraction of 0', (text: string) => text.replace(/"price":(\d+)/, '"price":$1.0')],
  ['an exponent', (text: string) => text.replace(/"price":(\d+)/, '"price":$1e0')],
  ['a ts with a fraction', (text: string) => text.replace(/"ts":(\d+)/, '"ts":$1.0')],
])('error: %s is malformed, as for the program', async (_, change) => {
  const { text, checks } = await inspect(LATEST)
  expect(reasonsOf(inspectReply(change(text), checks))).toEqual(['malformed'])
})

it.each(['', '{"feedId":', '{}', '[1]', 'null'])('error: %j has no signature', async text => {
  const { checks } = await inspect(LATEST)
  expect(inspectReply(text, checks)).toEqual({ problem: expect.stringMatching(/^The body is /) })
})

it.each([
  ['/prices/BTCUSD/latest', ['BTCUSD'], undefined],
  ['/prices/batch?feedIds=1,ETHUSD', ['BTCUSD', 'ETHUSD'], undefined],
  ['/prices/queryHistory?feedIds=BTCUSD&minutes=60', ['BTCUSD'], 60],
  ['/prices/queryHistory?minutes=x', undefined, undefined],
  ['/prices/%E0/latest', ['%E0'], undefined],
])('behavior: %s asks for %j', async (target, feeds, minutes) => {
  const { checks } = await inspect(LATEST)
  expect(requestedBy(target, checks.catalogue)).toEqual({ feeds, minutes })
})

it.each([
  [{ fault: 'signature/tampered-price' }, BATCH, 'data'],
  [{ fault: 'signature/wrong-signer' }, BATCH, 'key'],
  [{ fault: 'signature/wrong-signer' }, EVM, 'key'],
  [{ fault: 'signature/tampered-ts' }, LATEST, 'unknown'],
] as const)('behavior: %j of %s, beside the prices of the session: %s', async (fault, target, verdict) => {
  const { inspected, checks } = await inspect(target, fault)
  const [signature] = 'problem' in inspected ? [] : inspected.signatures
  const own = await Promise.all(
    signature!.ticks.map(async ({ feedId }) => {
      const { text } = await inspect(`/prices/${feedId}/latest`)
      const { price, expo, ts } = JSON.parse(text)
      return { price: price * 10 ** expo, ts }
    }),
  )
  expect(compareWithMarket(signature!, own, checks.signer).verdict).toBe(verdict)
  // Without its prices, or with others, nothing is known.
  expect(
    compareWithMarket(
      signature!,
      own.map(() => undefined),
      checks.signer,
    ).verdict,
  ).toBe('unknown')
})

it.each([-(2 ** 31), 2 ** 31 - 1])('behavior: an exponent of %d is no price of the session', async expo => {
  const { text, checks } = await inspect(EVM)
  const { prices } = JSON.parse(text)
  const inspected = inspectReply(JSON.stringify({ prices: [{ ...prices[0], expo }] }), checks)
  const [signature] = 'problem' in inspected ? [] : inspected.signatures
  expect(signature).toMatchObject({ ticks: [{ expo }], address: expect.stringMatching(/^0x/) })
  const own = [{ price: prices[0].price * 10 ** prices[0].expo, ts: prices[0].ts }]
  expect(compareWithMarket(signature!, own, checks.signer).verdict).toBe('unknown')
})
