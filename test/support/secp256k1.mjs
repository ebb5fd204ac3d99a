// @noble/secp256k1 for tests: the same functions, but signatures and recovered keys are computed once in a process. Mocks of many
// tests sign the same prices, and a signature without extra entropy is a function of its arguments. Both are left to libsecp256k1,
// which takes a third of the time to sign, and a tenth to recover a key; the first ones of a process are compared with the original.
import { bytesToHex } from '@noble/hashes/utils.js'
import { instantiateSecp256k1 } from '../../node_modules/@bitauth/libauth/build/lib/crypto/secp256k1.js'
import * as original from '../../node_modules/@noble/secp256k1/index.js'

// An explicit export hides the one of the same name. The path avoids the alias, which leads here.
export * from '../../node_modules/@noble/secp256k1/index.js'

function remember(compute) {
  const known = new Map()
  return (...args) => {
    const key = args.map(arg => (arg instanceof Uint8Array ? bytesToHex(arg) : JSON.stringify(arg))).join()
    const found = known.get(key) ?? compute(...args)
    known.set(key, found)
    // A copy, as each call of the original makes one.
    return found.slice()
  }
}

// All of its package would take each process a tenth of a second to load.
const libsecp256k1 = await instantiateSecp256k1()
/** The number of signatures, and of keys, of a process that both implementations make. */
const COMPARED = 50
let signed = 0
let recovered = 0
/** The options of the package: a recovered signature of a digest, with a low s. */
const USUAL = JSON.stringify({ prehash: false, format: 'recovered' })

const signOnce = remember((message, secretKey, options) => {
  const made = JSON.stringify(options) === USUAL && libsecp256k1.signMessageHashRecoverableCompact(secretKey, message)
  // With another key, or with other options, the original answers, or throws its own error.
  if (typeof made !== 'object') return original.sign(message, secretKey, options)
  const signature = Uint8Array.of(made.recoveryId, ...made.signature)
  if (signed++ >= COMPARED) return signature
  const expected = original.sign(message, secretKey, options)
  if (String(signature) !== String(expected))
    throw new Error(`libsecp256k1 signs ${signature}, @noble/secp256k1 ${expected}.`)
  return expected
})

/** Signs a digest. */
export const sign = (message, secretKey, options) =>
  options?.extraEntropy === undefined
    ? signOnce(message, secretKey, options)
    : original.sign(message, secretKey, options)

/** Recovers the key of a signature. */
export const recoverPublicKey = remember((signature, digest, options) => {
  const key = libsecp256k1.recoverPublicKeyCompressed(signature.subarray(1), signature[0], digest)
  // Where no key can have made the signature, the original throws its own error.
  const isCompared = typeof key === 'string' || recovered++ < COMPARED
  if (!isCompared) return key
  const expected = original.recoverPublicKey(signature, digest, options)
  if (String(key) !== String(expected)) throw new Error(`libsecp256k1 recovers ${key}, @noble/secp256k1 ${expected}.`)
  return expected
})
