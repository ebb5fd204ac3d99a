// @noble/secp256k1 for tests: the same functions, but signatures and recovered keys are computed once in a process. Mocks of many
// tests sign the same prices, and a signature without extra entropy is a function of its arguments. Recovering a key is left to
// libsecp256k1, which takes a tenth of the time.
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

const signOnce = remember(original.sign)

/** Signs a digest. */
export const sign = (message, secretKey, options) =>
  options?.extraEntropy === undefined
    ? signOnce(message, secretKey, options)
    : original.sign(message, secretKey, options)

// All of its package would take each process a tenth of a second to load.
const libsecp256k1 = await instantiateSecp256k1()
/** The number of keys of a process that both implementations recover. */
const COMPARED = 50
let recovered = 0

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
