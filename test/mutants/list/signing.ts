// Mistakes in signing: layouts, forms of signatures, recovery.
import type { Mutant } from '../mutant.js'

/** Mistakes in signing: layouts, forms of signatures, recovery. */
export const SIGNING: readonly Mutant[] = [
  {
    file: 'signing/check-layouts.ts',
    find: "form === 'evm' && layout.signature === 'rs'",
    replace: "form === 'svm' && layout.signature === 'rs'",
    why: 'an EVM layout without v is accepted',
  },
  {
    file: 'signing/signature-form.ts',
    find: ".slice(0, 128).padEnd(128, '0')",
    replace: '.slice(0, 128)',
    why: 'a truncated signature is not padded',
  },
  {
    file: 'signing/signature-form.ts',
    find: ".replace(/^0x/, '')",
    replace: '',
    why: 'the prefix counts as a part of r‖s',
  },
  {
    file: 'signing/signature-form.ts',
    find: '(FIRST_V[form] + recoveryId)',
    replace: '(FIRST_V[form] + 1 - recoveryId)',
    why: 'v of the two recovery ids is exchanged',
  },
  {
    file: 'signing/encode.ts',
    find: 'padLeft ? offset + size - feedId.length : offset',
    replace: 'padLeft ? offset : offset + size - feedId.length',
    why: 'text is padded on the other side',
  },
  {
    file: 'signing/encode.ts',
    find: 'value > max || value < min',
    replace: 'value > max || value <= min',
    why: 'the lowest number that fits is refused',
  },
  {
    file: 'signing/encode.ts',
    find: 'const largest = signed ? half - 1n : 2n * half - 1n',
    replace: 'const largest = 2n * half - 1n',
    why: 'a signed field takes numbers that it cannot hold',
  },
  {
    file: 'signing/encode.ts',
    find: 'littleEndian ? i : size - 1 - i',
    replace: 'littleEndian ? size - 1 - i : i',
    why: 'the order of bytes is reversed',
  },
  {
    file: 'signing/encode.ts',
    find: 'hash(concat(EIP_191, hash(message)))',
    replace: 'hash(concat(EIP_191, message))',
    why: 'the EIP-191 prefix stands before the message, not its digest',
  },
  {
    file: 'signing/signer.ts',
    find: 'key += `${feedId} ${price} ${expo} ${ts};`',
    replace: 'key += `${feedId} ${price} ${ts};`',
    why: 'a remembered signature is reused for another exponent',
  },
  {
    file: 'signing/signer.ts',
    find: 'keccak_256(publicKey.subarray(1)).subarray(12)',
    replace: 'keccak_256(publicKey).subarray(12)',
    why: 'an address is made of the tagged public key',
  },
  { file: 'signing/recover.ts', find: '> CURVE_ORDER / 2n', replace: '> CURVE_ORDER', why: 'a high s is accepted' },
  {
    file: 'signing/recover.ts',
    find: 'recoveryId !== undefined && recoveryId !== bit',
    replace: 'recoveryId !== undefined && recoveryId === bit',
    why: 'a recovery id that contradicts v is accepted',
  },
  {
    file: 'signing/encode.ts',
    find: '(1n << 63n) - 1n',
    replace: '(1n << 64n) - 1n',
    why: 'a price 2^64 above a negative one is accepted',
  },
  {
    file: 'signing/signed-response.ts',
    find: 'price.tick.feedId.toUpperCase() === id.toUpperCase()',
    replace: 'price.tick.feedId === id',
    why: 'a history under an id of another case is refused',
  },
  {
    file: 'signing/find-signers.ts',
    find: 'digits.length === 128 ? `04${digits}` : digits',
    replace: 'digits',
    why: 'a bare public key of 64 bytes is refused',
  },
  {
    file: 'signing/verdict.ts',
    find: 'signers.includes(key.address)',
    replace: 'signers.length > 0',
    why: 'any signer is accepted',
  },
  {
    file: 'signing/test-keys.ts',
    find: "signerKeyUnsafe.replace(/^0x/, '')",
    replace: 'signerKeyUnsafe',
    why: 'a private key with 0x is refused',
  },
  {
    file: 'signing/verdict.ts',
    find: 'age > maxAge',
    replace: 'age >= maxAge',
    why: 'a price of exactly the largest age is stale',
  },
  {
    file: 'signing/verdict.ts',
    find: '-age > maxFuture',
    replace: 'age > maxFuture',
    why: 'a price from the future is accepted',
  },
  {
    file: 'signing/verdict.ts',
    find: 'response !== undefined && prices.every(({ ok }) => ok)',
    replace: 'prices.every(({ ok }) => ok)',
    why: 'a body without prices is good',
  },
  {
    file: 'signing/verdict.ts',
    find: 'feedId !== undefined && isSameFeed(id, feedId)',
    replace: 'feedId !== undefined',
    why: 'a missing feed goes unnoticed beside another',
  },
  {
    file: 'signing/verdict.ts',
    find: '!allowNotPositive && tick.price <= 0',
    replace: '!allowNotPositive && tick.price < 0',
    why: 'a price of 0 is accepted',
  },
  {
    file: 'signing/recover.ts',
    find: 'r === 0n || s === 0n)',
    replace: 'r === 0n && s === 0n)',
    why: 'a signature with one half of zeros counts as another defect',
  },
  {
    file: 'signing/parse-exact.ts',
    find: 'Number.isSafeInteger(Number(token))',
    replace: 'Number(token) <= Number.MAX_VALUE',
    why: 'integers above 2^53 are rounded',
  },
  {
    file: 'signing/parse-exact.ts',
    find: '(?:\\s*:)?',
    replace: '',
    why: 'keys get a mark',
  },
  {
    file: 'signing/find-signers.ts',
    find: 'onUnreadable(inside)',
    replace: 'inside.length',
    why: 'a getter that throws hides a test key',
  },
]
