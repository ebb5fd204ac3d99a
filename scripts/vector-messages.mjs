// The signed bytes of a price in both built-in layouts, by hand: the vectors must not depend on the code that they check.

/** 49 bytes. */
export function svmMessage({ feedId, price, expo, ts }) {
  const bytes = Buffer.alloc(49)
  bytes.write(feedId, 0, 'latin1')
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(price)), 32)
  bytes.writeInt8(expo, 40)
  bytes.writeBigUInt64LE(BigInt(ts), 41)
  return bytes
}

/** 64 bytes. */
export function evmMessage({ feedId, price, expo, ts }) {
  const bytes = Buffer.alloc(64)
  bytes.write(feedId, 32 - feedId.length, 'latin1')
  bytes.write(BigInt.asUintN(192, BigInt(price)).toString(16).padStart(48, '0'), 32, 'hex')
  bytes.writeUInt32BE(ts, 56)
  bytes.writeInt32BE(expo, 60)
  return bytes
}
