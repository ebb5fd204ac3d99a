// Makes fixtures/format-vectors.json with libraries that the mock does not use: rejections, the limits of int64, whole
// replies, instruction data and calldata. Bodies are texts, because JavaScript would round their integers.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { secp256k1 } from '@bitauth/libauth'
import jsSha3 from 'js-sha3'
import { evmMessage, svmMessage } from './vector-messages.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const TOOLS = ['@bitauth/libauth', 'js-sha3']
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const TS = 1753354105

const hex = bytes => Buffer.from(bytes).toString('hex')
const keccak256 = bytes => Uint8Array.from(jsSha3.keccak256.array(bytes))
const word = value => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')

/** libauth answers its errors as text. */
function unwrap(result) {
  if (typeof result === 'string') throw new Error(result)
  return result
}

const keyOf = number => {
  const privateKey = keccak256(`price-feed-mock test key ${number}`)
  const uncompressed = unwrap(secp256k1.derivePublicKeyUncompressed(privateKey))
  return { privateKey, address: `0x${hex(keccak256(uncompressed.subarray(1)).subarray(12))}` }
}
const KEY = keyOf(0)
const OTHER = keyOf(1)

function sign(message, { privateKey } = KEY) {
  const { signature, recoveryId } = unwrap(secp256k1.signMessageHashRecoverableCompact(privateKey, keccak256(message)))
  return { rs: hex(signature), recoveryId }
}
const withV = ({ rs, recoveryId }) => rs + (27 + recoveryId).toString(16)

// Each price by hand, in the order of the replies.
const price = ({ feedId, price, expo, ts }, more = '') =>
  `{"feedId":"${feedId}","price":${price},"ts":${ts},"expo":${expo}${more}}`
const signed = (tick, { rs, recoveryId }) => price(tick, `,"signature":"${rs}","recoveryId":${recoveryId}`)
const latest = (tick, signature = sign(svmMessage(tick))) => signed(tick, signature)
const batch = ticks => {
  const { rs, recoveryId } = sign(Buffer.concat(ticks.map(svmMessage)))
  const prices = ticks.map(
    ({ feedId, price, expo, ts }) => `{"feedId":"${feedId}","price":${price},"expo":${expo},"ts":${ts}}`,
  )
  return `{"prices":[${prices.join(',')}],"signature":"${rs}","recoveryId":${recoveryId}}`
}
const evmPrice = (tick, signature = withV(sign(evmMessage(tick)))) => price(tick, `,"signature":"${signature}"`)
const evm = (...prices) => `{"prices":[${prices.join(',')}]}`
const history = (id, high, low) => `{"${id}":{"high":${latest(high)},"low":${latest(low)}}}`

const btc = { feedId: 'BTCUSD', price: 11830872000000n, expo: -8, ts: TS }
const eth = { feedId: 'ETHUSD', price: 365012000000n, expo: -8, ts: TS - 1 }
const big = { ...btc, price: 9007199254740993n }
const negative = { ...btc, price: -1n }
const good = sign(svmMessage(btc))
const s = BigInt(`0x${good.rs.slice(64)}`)
const highS = { rs: good.rs.slice(0, 64) + word(ORDER - s), recoveryId: 1 - good.recoveryId }

const evmWithId = id => evm(evmPrice(btc)).replace('"signature"', `"recoveryId":${id},"signature"`)

/** Bodies, each with the verdict on its prices in order: no reason for a good price. */
const REPLIES = [
  ['latest', latest(btc), [[]]],
  ['batch of two', batch([btc, eth]), [[], []]],
  [
    'history, its key spelled as requested',
    history('btcusd', btc, { ...btc, price: 11823675000000n, ts: TS - 58 }),
    [[], []],
  ],
  ['evm', evm(evmPrice(btc), evmPrice(eth)), [[], []]],
  ['a price above 2^53', latest(big), [[]]],
  ['evm, a price above 2^53', evm(evmPrice(big)), [[]]],
  ["a negative price, signed as two's complement", latest(negative), [['negative-price']]],
  ["evm, a negative price, signed as two's complement", evm(evmPrice(negative)), [['negative-price']]],
  ['a price of 0', latest({ ...btc, price: 0n }), [['zero-price']]],
  ['another signer', latest(btc, sign(svmMessage(btc), OTHER)), [['wrong-signer']]],
  ['a price changed after it was signed', signed({ ...btc, price: btc.price + 1n }, good), [['wrong-signer']]],
  [
    'a price rounded by a double',
    signed({ ...big, price: 9007199254740992n }, sign(svmMessage(big))),
    [['wrong-signer']],
  ],
  ['a ts changed after it was signed', signed({ ...btc, ts: TS + 60 }, good), [['wrong-signer']]],
  ['the other recovery id', signed(btc, { ...good, recoveryId: 1 - good.recoveryId }), [['wrong-signer']]],
  ['recovery id 27', signed(btc, { ...good, recoveryId: 27 }), [['wrong-recovery-id']]],
  ['high s', signed(btc, highS), [['high-s']]],
  ['0x before the signature', signed(btc, { ...good, rs: `0x${good.rs}` }), [['0x-prefix']]],
  ['a byte too few', signed(btc, { ...good, rs: good.rs.slice(2) }), [['wrong-length']]],
  ['a byte too many', signed(btc, { ...good, rs: `${good.rs}1b` }), [['wrong-length']]],
  ['all zero', signed(btc, { rs: '0'.repeat(128), recoveryId: 0 }), [['zero']]],
  ['r 0', signed(btc, { ...good, rs: '0'.repeat(64) + good.rs.slice(64) }), [['zero']]],
  ['r that is not on the curve', signed(btc, { ...good, rs: word(5) + good.rs.slice(64) }), [['unrecoverable']]],
  ['no hex', signed(btc, { ...good, rs: `g${good.rs.slice(1)}` }), [['malformed']]],
  ['evm, with its recovery id', evmWithId(sign(evmMessage(btc)).recoveryId), [[]]],
  // Also those that a language takes for the same number, or for none.
  ...[1 - sign(evmMessage(btc)).recoveryId, -1, '1.0', '"1"', 'true', 'null', '{}', '18446744073709551615'].map(id => [
    `evm, recovery id ${id}`,
    evmWithId(id),
    [['wrong-recovery-id']],
  ]),
  [
    'evm, another price and a recovery id that is none',
    evmWithId(-1).replace(`${btc.price}`, `${btc.price + 1n}`),
    [['wrong-recovery-id', 'wrong-signer']],
  ],
  ['evm, v 0 or 1', evm(evmPrice(btc, `${withV(sign(evmMessage(btc))).slice(0, 128)}00`)), [['wrong-v']]],
  [
    'evm, one good and one bad price',
    evm(evmPrice(btc), evmPrice(eth, withV(sign(evmMessage(btc))))),
    [[], ['wrong-signer']],
  ],
  [
    'a batch in another order',
    batch([btc, eth]).replace(/(\{"feedId":"BTC[^}]*\}),(\{[^}]*\})/, '$2,$1'),
    [['wrong-signer'], ['wrong-signer']],
  ],
  ['a price of another feed under the key of a history', history('ETHUSD', btc, btc), [['wrong-feed'], ['wrong-feed']]],
  ['the key of a history is no feed id', history('BTC\\u007f', btc, btc), [['malformed'], ['malformed']]],
  ['a price as text', latest(btc).replace(`${btc.price}`, `"${btc.price}"`), [['malformed']]],
  ['a price with a fraction of 0', latest(btc).replace(`${btc.price}`, '11830872000000.0'), [['malformed']]],
  ['a price with an exponent', latest(btc).replace(`${btc.price}`, '1.1830872e13'), [['malformed']]],
  ['a ts of 2^53, signed', latest({ ...btc, ts: 2 ** 53 }), [['malformed']]],
  ['an expo of 2^53', latest(btc).replace('-8', `${2 ** 53}`), [['malformed']]],
  ['no ts', latest(btc).replace(`"ts":${TS},`, ''), [['malformed']]],
]

const HEADER = '01' + '2000' + '00' + '0c00' + '00' + '6100'
const u16 = value => Buffer.from([value & 255, value >> 8]).toString('hex')
const instruction = ticks => {
  const message = Buffer.concat(ticks.map(svmMessage))
  const { rs, recoveryId } = sign(message)
  const data = `${HEADER + u16(message.length)}00${KEY.address.slice(2)}${rs}0${recoveryId}${hex(message)}`
  return { message: hex(message), digest: hex(keccak256(message)), signature: rs, recoveryId, instructionData: data }
}
const SELECTOR = hex(keccak256('updatePrice(bytes32,uint192,uint32,int32,bytes)')).slice(0, 8)
const call = tick => {
  const message = evmMessage(tick)
  const parts = sign(message)
  const signature = withV(parts)
  const data = [
    hex(message.subarray(0, 32)),
    word(BigInt.asUintN(192, tick.price)),
    word(tick.ts),
    word(tick.expo),
    word(160),
    word(65),
    signature.padEnd(192, '0'),
  ].join('')
  return {
    message: hex(message),
    digest: hex(keccak256(message)),
    signature,
    recoveryId: parts.recoveryId,
    calldata: SELECTOR + data,
  }
}

const titled = (title, ticks, more) => ({
  title,
  // Texts, so that every reader of JSON has all digits.
  prices: ticks.map(({ feedId, price, expo, ts }) => ({ feedId, price: String(price), expo, ts })),
  ...more,
})

/** Prices at the limits of int64: the reasons of `checkResponse` for both forms, and the verdict of each consumer in examples/. */
const LIMITS = [
  ['2^63 − 1', 2n ** 63n - 1n, [], 'accepted'],
  ['2^63', 2n ** 63n, ['out-of-range'], 'out of range'],
  ['2^64 − 1', 2n ** 64n - 1n, ['out-of-range'], 'out of range'],
  ['−11008588000000', -11008588000000n, ['negative-price'], 'not positive'],
  // The same signed bytes as the price before.
  ['2^64 − 11008588000000', 2n ** 64n - 11008588000000n, ['out-of-range'], 'out of range'],
  ['−2^63', -(2n ** 63n), ['negative-price'], 'not positive'],
  ['−2^63 − 1', -(2n ** 63n) - 1n, ['out-of-range', 'negative-price'], 'out of range'],
]
const limit = ([title, value, reasons, consumers]) => {
  const tick = { ...eth, price: value, ts: TS }
  const { calldata } = call(tick)
  return { title, price: String(value), batch: batch([tick]), evm: evm(evmPrice(tick)), calldata, reasons, consumers }
}
const CHAIN = [
  ['a price', [btc]],
  ['a price above 2^53', [big]],
  ['a negative price', [negative]],
  ['the largest price, 2^63 − 1', [{ ...btc, price: 2n ** 63n - 1n }]],
  ['the smallest price, −2^63', [{ ...btc, price: -(2n ** 63n) }]],
]
const fixture = {
  source: 'scripts/make-format-vectors.mjs',
  tool: TOOLS.join(', '),
  version: TOOLS.map(
    name => JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
  ).join(', '),
  signer: KEY.address,
  calldataFunction: 'updatePrice(bytes32,uint192,uint32,int32,bytes)',
  replies: REPLIES.map(([title, body, reasons]) => ({ title, body, reasons })),
  limits: LIMITS.map(limit),
  svm: [...CHAIN, ['a batch of 2', [btc, eth]]].map(([title, ticks]) => titled(title, ticks, instruction(ticks))),
  evm: CHAIN.map(([title, ticks]) => titled(title, ticks, call(ticks[0]))),
}
const file = join(root, 'fixtures', 'format-vectors.json')
writeFileSync(file, `${JSON.stringify(fixture, null, 2)}\n`)
process.stderr.write(
  `${fixture.replies.length + fixture.limits.length + fixture.svm.length + fixture.evm.length} vectors\n`,
)
